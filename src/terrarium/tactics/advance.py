"""Where to go when there is nobody to shoot."""

import numpy as np

from terrarium.tactics.flight import headings_away
from terrarium.tactics.geometry import away_points, lengths
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import View

NEAR = 1.5
TOO_NEAR, SEES = 0.6, 1.4
"""beyond the reach of a fortress: to step back, and to stop"""
ESCORT = 3.0
"""Nobody is farther ahead of the foremost Tank than this"""


def advance(view: View) -> list[Wish]:
    """In an attack, to where the enemy must be; in defense everybody stays."""
    if view.mission.holds:
        return []
    goal = np.broadcast_to(view.mission.goal[:, None], view.own.pos.shape)
    way = lengths(goal - view.own.pos)
    tanks = view.own_are("siege_tank", "siege_tank_sieged")
    slow = view.own_are("siege_tank_sieged")
    front = np.where(tanks, way, np.inf).min(axis=1, keepdims=True)
    waits = ~tanks & np.isfinite(front) & (way < front - ESCORT)
    walks = view.own.alive & (view.own.speed > 0.0) & ~slow & (way > NEAR)
    return [
        Wish(waits & walks, OrderKind.HOLD, "escort: not ahead of the Tanks"),
        Wish(
            who=walks,
            kind=OrderKind.ATTACK_MOVE,
            why="advance: to where the enemy was seen or must be",
            point=goal,
        ),
    ]


def escort(view: View) -> list[Wish]:
    """With Tanks behind them, the others are their eyes: near enough to see a fortress, and just
    out of its reach."""
    own = view.own
    tanks = view.own_are("siege_tank", "siege_tank_sieged")
    eyes = own.alive & ~tanks & (own.speed > 0.0) & tanks.any(axis=1, keepdims=True)
    if view.mission.holds or not eyes.any():
        return []
    known = (view.enemy.alive | view.remembered)[:, None] & (view.enemy.speed <= 0.0)[:, None]
    fort = eyes[..., None] & known & (view.enemy_reach > view.reach)
    inside = np.asarray((fort & (view.apart <= view.enemy_reach + TOO_NEAR)).any(axis=2))
    near = np.asarray((fort & (view.apart <= view.enemy_reach + SEES)).any(axis=2))
    mobile = view.pairs & (view.enemy.speed > 0.0)[:, None]
    fights = np.asarray((mobile & (view.apart <= view.reach + 1.0)).any(axis=2))
    heading = headings_away(view, inside, np.where(fort, 1.0, 0.0), view.enemy_reach)
    return [
        Wish(inside, OrderKind.MOVE, "escort: out of the fortress's reach",
             point=away_points(view, heading, 2.0)),
        Wish(near & ~fights, OrderKind.HOLD, "escort: the Tanks' eyes"),
    ]  # fmt: skip
