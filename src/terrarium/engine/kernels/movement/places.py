"""Places: where a body can be."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.movement.paths import cell_of, nearest_cell, off_walls
from terrarium.engine.state import Game

EDGE = 1e-6
"""Keeps a point on the upper border of a cell inside it."""


@kernel
def on_map(game: Game, x: float, y: float) -> tuple[float, float]:
    """The point of the playable area nearest to (x, y)."""
    playable = game.ground.playable
    x = min(max(x, playable[0]), playable[2] - EDGE)
    return x, min(max(y, playable[1]), playable[3] - EDGE)


@kernel
def standing_point(game: Game, kind: int, x: float, y: float) -> tuple[float, float]:
    """The point nearest to (x, y) where this type can be."""
    x, y = on_map(game, x, y)
    row = game.rules.types[kind]
    if row.walker == codes.FLYER:
        return x, y
    layer = codes.CLIFF_WALKER if row.walker == codes.CLIFF_WALKER else codes.SMALL_WALKER
    cell = cell_of(game, x, y)
    if not game.ground.walkable[layer, cell]:
        cell = nearest_cell(game, layer, -1, x, y)
        if cell < 0:
            return x, y
        left, bottom = float(cell % game.ground.size[0]), float(cell // game.ground.size[0])
        x = min(max(x, left), left + 1.0 - EDGE)
        y = min(max(y, bottom), bottom + 1.0 - EDGE)
    return off_walls(game, layer, cell, row.inner, x, y)
