"""Reapers: a grenade into those who come near, to throw them back."""

import numpy as np

from terrarium.tactics.geometry import distances
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import View

ABILITY = "kd8_charge"
RADIUS = 2.0
CROWD = 2
LEAD_TICKS = 12.0
"""They walk on until it explodes"""


def grenades(view: View) -> list[Wish]:
    """Where most of them will be."""
    may = view.may(ABILITY)
    if not may.any():
        return []
    enemy = view.enemy
    aim = enemy.pos + LEAD_TICKS * enemy.velocity
    fits = enemy.alive & ~enemy.is_air
    count = ((distances(aim, aim) <= RADIUS) & fits[:, None]).sum(axis=2)
    reach = view.ranges[ABILITY] + view.own.radius[..., None]
    near = fits[:, None] & (distances(view.own.pos, aim) <= reach)
    worth = np.where(near, count[:, None], 0)  # [N, A, E]
    best = worth.argmax(axis=2)
    n = np.take_along_axis(worth, best[..., None], axis=2)[..., 0]
    return [
        Wish(
            who=may & (n >= CROWD),
            kind=OrderKind.CAST,
            why="grenade: throw them back",
            point=np.take_along_axis(aim, best[..., None], axis=1),
            ability=ABILITY,
        )
    ]
