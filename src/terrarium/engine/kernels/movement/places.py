"""Places: where a body can be."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.movement.paths import cell_of, nearest_cell
from terrarium.engine.kernels.movement.walls import EDGE, off_outlines, off_walls
from terrarium.engine.state import Game, has_structures


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
    if not game.land.walkable[layer, cell]:
        cell = nearest_cell(game, layer, -1, x, y)
        if cell < 0:
            return x, y
        left, bottom = float(cell % game.ground.size[0]), float(cell // game.ground.size[0])
        x = min(max(x, left), left + 1.0 - EDGE)
        y = min(max(y, bottom), bottom + 1.0 - EDGE)
    return fitted(game, layer, row.inner, x, y)


@kernel
def fitted(game: Game, layer: int, inner: float, x: float, y: float) -> tuple[float, float]:
    """Move a point of a walkable cell to where a body of that inner radius can stand."""
    cell = cell_of(game, x, y)
    x, y = off_walls(game, layer, cell, inner, x, y)
    if not has_structures(game) or game.land.open[layer, cell] == game.ground.open[layer, cell]:
        return x, y
    to_x, to_y = off_outlines(game, inner, x, y)
    there = cell_of(game, to_x, to_y)
    if not game.land.walkable[layer, there]:
        return x, y
    return off_walls(game, layer, there, inner, to_x, to_y)
