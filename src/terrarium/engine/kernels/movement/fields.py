"""Flow fields towards single cells: over all of a small map, around the goal on a larger one."""

from terrarium.engine.jit import kernel
from terrarium.engine.kernels.movement.windows import (
    ENDLESS,
    open_window,
    spot_of,
    spread,
    start_from,
    way_down,
)
from terrarium.engine.land import UNREACHED
from terrarium.engine.state import Game
from terrarium.engine.tables.terrain import NEAR_CELLS

NO_EPOCH = -1


@kernel
def field_of(game: Game, layer: int, goal: int) -> int:
    """The row that belongs to a goal; the one that has not been used for longest, if none does."""
    fields = game.paths.fields
    f = int(game.paths.field_at[layer, goal]) - 1
    if f < 0 or fields[f].goal != goal or fields[f].layer != layer:
        f = 0
        for k in range(fields.shape[0]):
            if fields[k].used < fields[f].used:
                f = k
        game.paths.field_at[layer, goal] = f + 1
        fields[f].goal, fields[f].layer = goal, layer
        fields[f].epoch = fields[f].route_epoch = NO_EPOCH
        set_bounds(game, f)
    fields[f].used = game.clock[0].tick
    return f


@kernel
def set_bounds(game: Game, f: int) -> None:
    """Let a field cover all of a small map, or the cells around its goal."""
    field, width, height = game.paths.fields[f], game.ground.size[0], game.ground.size[1]
    field.left, field.bottom, field.width, field.height = 0, 0, width, height
    if game.land.changed.shape[0] > 1:
        x, y = field.goal % width, field.goal // width
        field.left, field.bottom = max(0, x - NEAR_CELLS), max(0, y - NEAR_CELLS)
        field.width = min(width, x + NEAR_CELLS + 1) - field.left
        field.height = min(height, y + NEAR_CELLS + 1) - field.bottom


@kernel
def place_near(game: Game, f: int, x: int, y: int) -> int:
    """Where a field keeps what it knows of cell (x, y); -1 if that is too far from its goal."""
    field = game.paths.fields[f]
    x, y = x - field.left, y - field.bottom
    if x < 0 or y < 0 or x >= field.width or y >= field.height:
        return -1
    return y * field.width + x


@kernel
def last_change(game: Game, left: int, bottom: int, width: int, height: int) -> int:
    """The epoch in which the ground of a rectangle changed last."""
    ground, last = game.ground, 0
    n_columns = ground.column_edge.shape[0] - 1
    for row in range(ground.sector_row[bottom], ground.sector_row[bottom + height - 1] + 1):
        first = ground.sector_column[left]
        for column in range(first, ground.sector_column[left + width - 1] + 1):
            last = max(last, game.land.changed[row * n_columns + column])
    return last


@kernel
def fill_field(game: Game, f: int) -> None:
    """Compute a field, unless it is known and the ground has not changed since."""
    field, before = game.paths.fields[f], game.paths.fields[f].epoch
    if before >= game.epochs[0].ground:
        return
    field.epoch = game.epochs[0].ground
    left, bottom, width, height = field.left, field.bottom, field.width, field.height
    if before >= last_change(game, left, bottom, width, height):
        return
    open_window(game, field.layer, left, bottom, width, height)
    start_from(game, field.goal, 0)
    spread(game)
    goal_x = 2 * (field.goal % game.ground.size[0]) + 1
    goal_y = 2 * (field.goal // game.ground.size[0]) + 1
    keeps_costs = game.paths.near.shape[1] > 0
    k = 0
    for y in range(bottom, bottom + height):
        for x in range(left, left + width):
            game.paths.ways[f, k] = way_down(game, x, y, goal_x, goal_y)
            if keeps_costs:
                cost = game.scratch.costs[spot_of(game, x, y)]
                game.paths.near[f, k] = cost if cost < ENDLESS else UNREACHED
            k += 1
