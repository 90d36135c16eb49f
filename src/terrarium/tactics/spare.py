"""Pull the wounded out of the fire: the enemy has to look for somebody else."""

import numpy as np

from terrarium.tactics.flight import headings_away
from terrarium.tactics.geometry import away_points
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import NOBODY, View

LOW = 0.4
"""below this share of life"""
HURT_TICKS = 20.0
AWAY = 1.5
"""beyond the enemies' reach one is out of the fire"""
SHARE = 0.4
"""Not more of an army than this leaves the fight at a time"""

SHOOT_MOVING = ("battlecruiser",)
"""who lose nothing by moving"""


def spare(view: View) -> list[Wish]:
    """Who is low and shot at runs out of reach, if others stay to fight and it is fast enough."""
    own = view.own
    fights = own.alive & (own.period_ticks > 0.0)
    can = view.pairs & (view.enemy_reach > 0.0)
    in_fire = np.asarray((can & (view.apart <= view.enemy_reach + AWAY)).any(axis=2))
    fast = np.where(in_fire[..., None] & can, view.enemy.speed[:, None], 0.0).max(axis=2)
    low = own.hp + own.shield < LOW * (own.hp_max + own.shield_max)
    # A slow one only turns its back on those who shoot at it; unless it shoots on the way.
    gets_away = own.speed > np.where(view.own_are(*SHOOT_MOVING), 0.7, 1.0) * fast
    leaves = fights & low & in_fire & (view.unhurt_ticks < HURT_TICKS) & gets_away
    leaves &= view.aim == NOBODY
    enough = leaves.sum(axis=1) <= SHARE * fights.sum(axis=1)
    leaves &= enough[:, None]
    heading = headings_away(view, leaves, np.where(can, 1.0, 0.0), view.enemy_reach)
    return [
        Wish(
            who=leaves,
            kind=OrderKind.MOVE,
            why="spare: low and shot at, out of their reach for a moment",
            point=away_points(view, heading),
        )
    ]
