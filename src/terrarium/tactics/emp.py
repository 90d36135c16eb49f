"""EMP: the circle that takes the most shields and energy."""

import numpy as np

from terrarium.tactics.geometry import distances
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import View

ABILITY = "emp"
RADIUS = 1.5
DRAIN = 100.0
ENERGY = 1.5
"""A caster's energy is worth more than as many shields"""
CASTERS = ("high_templar", "sentry", "oracle", "mothership", "ghost", "raven", "infestor", "viper")
MIN_WORTH = 110.0
FLIGHT = 5.0
"""ticks until the round is there: they walk on meanwhile"""


def emp(view: View) -> list[Wish]:
    """Each Ghost in turn takes the best circle that is left."""
    may = view.may(ABILITY)
    if not may.any():
        return []
    enemy = view.enemy
    casters = view.kinds.are(*CASTERS)[enemy.kind]
    drained = np.minimum(enemy.shield, DRAIN) + ENERGY * np.where(
        casters, np.minimum(enemy.energy, DRAIN), 0.0
    )
    left = np.where(enemy.alive, drained, 0.0)  # [N, E]
    aim = enemy.pos + FLIGHT * enemy.velocity
    hit = distances(aim, aim) <= RADIUS + enemy.radius[:, None]  # [N, centers, victims]
    reach = view.ranges[ABILITY] + view.own.radius[..., None] + 0.5
    n = len(left)
    who, point = np.zeros_like(may), view.own.pos.copy()
    # Rounds that are on their way have been counted already when they were fired.
    for a in np.flatnonzero(may.any(axis=0)):
        worth = (hit * left[:, None]).sum(axis=2) * (view.apart[:, a] <= reach[:, a])
        worth = worth * enemy.alive * may[:, a, None]
        best = worth.argmax(axis=1)
        takes = worth[np.arange(n), best] >= MIN_WORTH
        who[:, a], point[takes, a] = takes, aim[np.arange(n), best][takes]
        left = np.where(takes[:, None] & hit[np.arange(n), best], 0.0, left)
    return [
        Wish(
            who=who,
            kind=OrderKind.CAST,
            why="emp: the circle with the most shields and energy",
            point=point,
            ability=ABILITY,
        )
    ]
