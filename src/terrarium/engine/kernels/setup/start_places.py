"""Where a battle puts what its scenario places: near the stated point, on the same ground."""

import numpy as np

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.movement.paths import cell_of
from terrarium.engine.kernels.random import POSITION, uniform
from terrarium.engine.state import Game

_TRIES = 5


@kernel
def drawn_place(game: Game, p: int, seed: np.uint64) -> tuple[float, float]:
    """The p-th place of the plan, moved by up to its spread in x and in y."""
    place = game.plan.places[p]
    if place.spread <= 0.0:
        return place.x, place.y
    dx = (2.0 * uniform(seed, 0, 2 * p, POSITION) - 1.0) * place.spread
    dy = (2.0 * uniform(seed, 0, 2 * p + 1, POSITION) - 1.0) * place.spread
    # Half as far, and so on, rather than into a wall or onto the next island.
    for _ in range(_TRIES):
        if is_reachable(game, p, place.x + dx, place.y + dy):
            return place.x + dx, place.y + dy
        dx, dy = dx * 0.5, dy * 0.5
    return place.x, place.y


@kernel
def is_reachable(game: Game, p: int, x: float, y: float) -> bool:
    """Could those who belong to a place have come to this point?"""
    place, playable, layer = game.plan.places[p], game.ground.playable, codes.SMALL_WALKER
    if not (playable[0] <= x < playable[2] and playable[1] <= y < playable[3]):
        return False
    if place.flying:
        return True
    here, there = cell_of(game, place.x, place.y), cell_of(game, x, y)
    if not game.land.walkable[layer, there]:
        return False
    return bool(game.land.island[layer, here] == game.land.island[layer, there])
