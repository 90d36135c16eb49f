"""Steady targeting: big biological targets, from far away, and never more rounds than it takes."""

import numpy as np

from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import NOBODY, View
from terrarium.tactics.yamato import share_out

ABILITY = "steady_targeting"
DAMAGE = 170.0
CHANNEL_TICKS = 32.0
MIN_LIFE = 80.0
"""Smaller targets are for rifles"""


def snipe(view: View) -> list[Wish]:
    """Rounds for all big targets that cannot break the channel in time."""
    may = view.may(ABILITY) & (view.unhurt_ticks > 8.0)
    if not may.any() or view.mission.flees:  # shots give one away
        return []
    enemy = view.enemy
    left = enemy.life - enemy.incoming
    fits = enemy.alive & view.kinds.is_biological[enemy.kind]
    fits &= ~view.kinds.is_structure[enemy.kind] & (left >= MIN_LIFE)
    reach = view.ranges[ABILITY] + view.own.radius[..., None] + enemy.radius[:, None] + 0.5
    # Who arrives before the round is fired breaks it off.
    ticks = (view.apart - view.enemy_reach) / np.maximum(enemy.speed, 1e-9)[:, None]
    comes = view.pairs & (view.enemy_reach > 0.0) & (ticks < 0.5 * CHANNEL_TICKS)
    safe = ~comes.any(axis=2)
    value = np.where(fits, view.kinds.value[enemy.kind], 0.0)[:, None] - view.apart
    worth = np.where(
        (may & safe)[..., None] & fits[:, None] & (view.apart <= reach), np.maximum(value, 1.0), 0.0
    )
    times = np.ceil(np.maximum(left, 0.0) / DAMAGE).astype(np.int64)
    target = share_out(view, worth, ABILITY, times)
    return [
        Wish(
            who=target != NOBODY,
            kind=OrderKind.CAST,
            why="snipe: a big target, as many rounds as it takes",
            target=target,
            ability=ABILITY,
        )
    ]
