"""Where a battle puts what its scenario places: near the stated point, on the same ground."""

import numpy as np

from terrarium.engine import codes
from terrarium.engine.jit import rare
from terrarium.engine.paths import cell_of
from terrarium.engine.plan import Plan
from terrarium.engine.random import POSITION, uniform
from terrarium.engine.terrain import Ground

_TRIES = 5


@rare
def drawn_place(ground: Ground, plan: Plan, p: int, seed: np.uint64) -> tuple[float, float]:
    """The p-th place of the plan, moved by up to its spread in x and in y."""
    place = plan.places[p]
    if place.spread <= 0.0:
        return place.x, place.y
    dx = (2.0 * uniform(seed, 0, 2 * p, POSITION) - 1.0) * place.spread
    dy = (2.0 * uniform(seed, 0, 2 * p + 1, POSITION) - 1.0) * place.spread
    # Half as far, and so on, rather than into a wall or onto the next island.
    for _ in range(_TRIES):
        if is_reachable(ground, plan, p, place.x + dx, place.y + dy):
            return place.x + dx, place.y + dy
        dx, dy = dx * 0.5, dy * 0.5
    return place.x, place.y


@rare
def is_reachable(ground: Ground, plan: Plan, p: int, x: float, y: float) -> bool:
    """Could those who belong to a place have come to this point?"""
    place, playable, layer = plan.places[p], ground.playable, codes.SMALL_WALKER
    if not (playable[0] <= x < playable[2] and playable[1] <= y < playable[3]):
        return False
    if place.flying:
        return True
    here, there = cell_of(ground, place.x, place.y), cell_of(ground, x, y)
    if not ground.walkable[layer, there]:
        return False
    return bool(ground.island[layer, here] == ground.island[layer, there])
