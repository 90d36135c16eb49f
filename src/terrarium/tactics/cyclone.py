"""Cyclones: lock on, and be somewhere else while the missiles fly."""

import numpy as np

from terrarium.tactics.flight import headings_away
from terrarium.tactics.geometry import away_points
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import NOBODY, View
from terrarium.tactics.yamato import share_out

ABILITY = "lock_on"
BREAKS = 15.0
KEEP = 3.5
"""so far out of the enemies' reach"""


def lock_on(view: View) -> list[Wish]:
    """The most valuable target in range; then back, out of reach of all."""
    cyclones = view.own_are("cyclone")
    if not cyclones.any() or ABILITY not in view.can:
        return []
    may = view.may(ABILITY)
    enemy = view.enemy
    reach = view.ranges[ABILITY] + view.own.radius[..., None] + enemy.radius[:, None] + 0.5
    value = np.maximum(view.kinds.value[enemy.kind] * np.minimum(enemy.life / 200.0, 1.0), 1.0)
    worth = np.where(view.pairs & may[..., None] & (view.apart <= reach), value[:, None], 0.0)
    target = share_out(view, worth - 0.1 * view.apart * (worth > 0.0), ABILITY)
    can = view.pairs & (view.enemy_reach > 0.0)
    close = (can & (view.apart <= view.enemy_reach + KEEP)).any(axis=2)
    runs = cyclones & close & (target == NOBODY)
    heading = headings_away(view, runs, np.where(can, 1.0, 0.0), view.enemy_reach)
    return [
        Wish(
            who=target != NOBODY,
            kind=OrderKind.CAST,
            why="lock on: then back off",
            target=target,
            ability=ABILITY,
        ),
        Wish(
            who=runs,
            kind=OrderKind.MOVE,
            why="cyclone: out of their reach while the missiles fly",
            point=away_points(view, heading),
        ),
    ]
