"""Against those who burst: apart from each other, away from them, and shooting in between."""

import numpy as np

from terrarium.tactics.flight import headings_away
from terrarium.tactics.geometry import away_points, distances, nearest_of
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.stim import PACKS
from terrarium.tactics.view import Bools, View

ALERT = 12.0
"""From this distance on the army spreads"""
STIM_AT = 9.0
ROOM = 1.4
"""Between the edges of two units, in radii of an explosion: more than one, because they shift"""
MARGIN = 1.0
"""A shot is safe while nobody who bursts gets nearer than its blast and this much more"""
FRIENDS = 3.0
"""How much friends count against enemies when one looks for a way to run"""


def split(view: View) -> list[Wish]:
    """Ranged units spread before those who burst are there, and then run and shoot in turn."""
    banes = view.enemy.alive & view.enemy.bursts  # [N, E]
    if not banes.any():
        return []
    own = view.own
    blast = np.where(banes, view.enemy.splash, 0.0).max(axis=1)[:, None]
    who, far = nearest_of(view, banes)
    shooters = own.alive & ~own.is_air & (view.reach.max(axis=2) > 2.5) & (own.speed > 0.0)
    warned = shooters & (far < ALERT)
    danger = np.where(banes[:, None], 1.0, 0.0) * view.pairs
    # How near the nearest would be, if one stood still until the next decision.
    soon = far - view.step_ticks * np.take_along_axis(view.enemy.speed, np.maximum(who, 0), axis=1)
    ready = (view.cooldown_ticks <= 0.5 * view.step_ticks) | (view.aim >= 0)
    shoots = warned & ready & (soon > blast + own.radius + MARGIN)
    in_reach = far <= np.take_along_axis(view.reach, np.maximum(who, 0)[..., None], axis=2)[..., 0]
    runs = warned & ~(shoots & in_reach)
    crowded = _crowded(view, blast)
    near = far < blast + own.radius + MARGIN + 4.0
    runs &= near | crowded
    heading = headings_away(
        view, runs, danger, np.broadcast_to(blast[..., None], view.apart.shape), FRIENDS
    )
    stims = [
        Wish(
            who=warned
            & (far < STIM_AT)
            & view.may(pack)
            & (view.stim_ticks <= 0.0)
            & (own.hp > life + 0.35 * own.hp_max),
            kind=OrderKind.CAST,
            why="stim: to outrun those who burst",
            ability=pack,
        )
        for pack, life in PACKS.items()
    ]
    return [
        *stims,
        Wish(
            who=warned & shoots & in_reach,
            kind=OrderKind.ATTACK,
            why="split: shoot the one that bursts while it is far enough",
            target=who,
        ),
        Wish(
            who=runs,
            kind=OrderKind.MOVE,
            why="split: apart from friends, away from those who burst",
            point=away_points(view, heading),
        ),
    ]


def _crowded(view: View, blast: Bools) -> Bools:
    """[N, A] so near a friend that one explosion hurts both."""
    own = view.own
    others = own.alive[:, None] & ~np.eye(own.alive.shape[1], dtype=np.bool_)
    apart = np.where(others, distances(own.pos, own.pos), np.inf).min(axis=2)
    return np.asarray(apart < ROOM * blast + 2.0 * own.radius)
