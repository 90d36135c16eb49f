"""Raids: only the prey counts. Around its defense, into its midst, and away when it is lost."""

import numpy as np

from terrarium.tactics.geometry import lengths, nearest_of, of_targets
from terrarium.tactics.jump import ABILITY as JUMP
from terrarium.tactics.jump import arrivals
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.sneak import way_around
from terrarium.tactics.view import NOBODY, View

LONG_WAY = 14.0
"""From here on a jump is better than the flight"""
CLOSE = 9.0
"""So near the prey nobody makes detours any more"""
SLOW = ("siege_tank", "siege_tank_sieged")
"""who do not raid"""


def raid(view: View) -> list[Wish]:
    """Everybody at the nearest prey; the way there leads around those who would shoot."""
    if view.mission.prey is None:
        return []
    own = view.own
    raiders = own.alive & (own.period_ticks > 0.0) & (own.speed > 0.0) & ~view.own_are(*SLOW)
    if view.own_are(*SLOW).any():
        return []
    prey = view.enemy.alive & view.mission.prey[view.enemy.kind]
    who, far = nearest_of(view, prey)
    hits = (who != NOBODY) & (of_targets(view.reach, who) > 0.0)
    near = hits & (far <= of_targets(view.reach, who) + 0.5)
    goal = np.broadcast_to(view.mission.goal[:, None], own.pos.shape)
    place = np.take_along_axis(view.enemy.pos, np.maximum(who, 0)[..., None], axis=1)
    goal = np.where(hits[..., None], place, goal)
    way = lengths(goal - own.pos)
    hidden = own.cloaked
    return [
        Wish(
            who=view.may(JUMP) & (way > LONG_WAY),
            kind=OrderKind.CAST,
            why="jump: over the defense, into the prey",
            point=arrivals(view, view.mission.goal),
            ability=JUMP,
        ),
        Wish(
            who=raiders & (near | (hits & (way < CLOSE))),
            kind=OrderKind.ATTACK,
            why="raid: the nearest prey",
            target=who,
        ),
        Wish(
            who=raiders & (way > 2.0),
            kind=OrderKind.MOVE,
            why="raid: around the defense",
            point=way_around(view, raiders, goal, hidden),
        ),
    ]
