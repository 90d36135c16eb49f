"""Finding the way: straight lines where the ground is clear, cached flow fields around the rest."""

import math

from terrarium.engine.jit import entry, kernel
from terrarium.engine.kernels.geometry import NEARLY
from terrarium.engine.kernels.movement.fields import field_of
from terrarium.engine.kernels.movement.portals import choose_guide, leg_of, next_cell
from terrarium.engine.land import LOOK_AHEAD_CELLS
from terrarium.engine.state import Game

LOOK_STRIDE = 4
"""Of the cells ahead, so many are taken at one go where the last one is in a straight line."""
LOOK_AGAIN_TICKS = 8
LOOK_AGAIN_CELLS = 2
"""How far walkers get in that time, at most."""


@kernel
def cell_of(game: Game, x: float, y: float) -> int:
    """The number of the cell that holds a point of the map."""
    return int(y) * game.ground.size[0] + int(x)


@kernel
def line_is_clear(game: Game, layer: int, x0: float, y0: float, x1: float, y1: float) -> bool:
    """Can a walker go straight from one point to another? Follows the line from cell to cell, and
    at one go where no wall is near."""
    width = game.ground.size[0]
    cx, cy = int(x0), int(y0)
    dx, dy = x1 - x0, y1 - y0
    n_steps = abs(int(x1) - cx) + abs(int(y1) - cy)
    step_x, step_y = (1 if dx > 0.0 else -1), (1 if dy > 0.0 else -1)
    beside, above = (1 if dx > 0.0 else 16), (4 if dy > 0.0 else 64)
    diagonal = (2 if dy > 0.0 else 128) if dx > 0.0 else (8 if dy > 0.0 else 32)
    # Distance along the line, as a fraction of it, to the next border in x and in y.
    per_x = 1.0 / abs(dx) if dx != 0.0 else 1e30
    per_y = 1.0 / abs(dy) if dy != 0.0 else 1e30
    next_x = (cx + 1 - x0 if dx > 0.0 else x0 - cx) * per_x
    next_y = (cy + 1 - y0 if dy > 0.0 else y0 - cy) * per_y
    while n_steps > 0:
        n_open = int(game.land.room[layer, cy * width + cx]) - 1
        if n_open > 0:
            # Up to the first border that leads out of the open square around the cell.
            out = min(next_x + n_open * per_x, next_y + n_open * per_y)
            n_x = borders_before(out, next_x, abs(dx), n_open)
            n_y = borders_before(out, next_y, abs(dy), n_open)
            cx, cy = cx + n_x * step_x, cy + n_y * step_y
            next_x, next_y = next_x + n_x * per_x, next_y + n_y * per_y
            n_steps -= n_x + n_y
            continue
        # Conditions instead of branches: whether x or y is next, the processor cannot foresee.
        only_x, only_y = next_x < next_y - NEARLY, next_y < next_x - NEARLY
        # Neither: through the corner, or so near that rounding would decide.
        way = beside if only_x else (above if only_y else diagonal)
        is_closed = not game.land.open[layer, cy * width + cx] & way
        cx += 0 if only_y else step_x
        cy += 0 if only_x else step_y
        if is_closed:
            return ends_here(game, layer, cx, cy, x1, y1)
        next_x += 0.0 if only_y else per_x
        next_y += 0.0 if only_x else per_y
        n_steps -= 1 if only_x or only_y else 2
    return True


@kernel
def borders_before(end: float, first: float, length: float, most: int) -> int:
    """How many borders a line crosses before a fraction of it, if the first one is at `first`."""
    return min(most, int((end - first) * length) + 1) if first < end else 0


@kernel
def ends_here(game: Game, layer: int, cx: int, cy: int, x: float, y: float) -> bool:
    """Is the cell that a line cannot enter at the very structure that the line leads to?"""
    width, height = game.ground.size[0], game.ground.size[1]
    if game.blocked.shape[0] == 0 or not game.blocked[cell_of(game, x, y)]:
        return False
    structure, cell = game.blocked[cell_of(game, x, y)], cy * width + cx
    if game.blocked[cell] and game.blocked[cell] != structure:
        return False
    if not game.ground.walkable[layer, cell]:
        return False
    # Large walkers cannot enter the cells beside it, either.
    for j in range(max(0, cy - 1), min(height, cy + 2)):
        for i in range(max(0, cx - 1), min(width, cx + 2)):
            if game.blocked[j * width + i] == structure:
                return True
    return False


@kernel
def nearest_cell(game: Game, layer: int, island: int, x: float, y: float) -> int:
    """The walkable cell nearest to a point; only cells of one island unless `island` is -1."""
    width, height = game.ground.size[0], game.ground.size[1]
    cx = min(max(int(x), 0), width - 1)
    cy = min(max(int(y), 0), height - 1)
    best, best_distance = -1, 1e30
    ring = 0
    # A cell further out than the best one so far cannot be nearer: one ring more is enough.
    while ring <= width + height and (best < 0 or (ring - 1) * (ring - 1) <= best_distance):
        for j in range(cy - ring, cy + ring + 1):
            if j < 0 or j >= height:
                continue
            on_edge_row = j == cy - ring or j == cy + ring
            for i in range(cx - ring, cx + ring + 1, 1 if on_edge_row or ring == 0 else 2 * ring):
                if i < 0 or i >= width:
                    continue
                cell = j * width + i
                if not game.land.walkable[layer, cell]:
                    continue
                if island >= 0 and game.land.island[layer, cell] != island:
                    continue
                dx, dy = i + 0.5 - x, j + 0.5 - y
                distance = dx * dx + dy * dy
                if distance < best_distance:
                    best, best_distance = cell, distance
        ring += 1
    return best


@kernel
def find_way(game: Game, u: int, layer: int, x: float, y: float) -> None:
    """Note the corner to walk to next, or that the way to (x, y) is straight."""
    me = game.units[u]
    me.way_tick = game.clock[0].tick + LOOK_AGAIN_TICKS
    me.direct = True
    if game.land.convex[layer] or line_is_clear(game, layer, me.x, me.y, x, y):
        return
    width = game.ground.size[0]
    cell, goal = ends_of_way(game, layer, me.x, me.y, x, y)
    if cell < 0:
        return
    f, t = field_of(game, layer, goal), trail_of(game, layer, cell, goal)
    me.direct = False
    me.way_x, me.way_y = cell % width + 0.5, cell // width + 0.5
    seen, n_ahead = 0, 0
    while n_ahead < LOOK_AHEAD_CELLS:
        n_ahead = extend_trail(game, f, t, seen + LOOK_STRIDE)
        if n_ahead < seen + LOOK_STRIDE:
            break
        x, y = middle_of(game, game.paths.trails[t].cells[n_ahead - 1])
        if not line_is_clear(game, layer, me.x, me.y, x, y):
            n_ahead -= 1
            break
        seen = n_ahead
    follow_trail(game, u, t, seen, n_ahead)


@kernel
def trail_of(game: Game, layer: int, cell: int, goal: int) -> int:
    """The row of the trail from a cell to a goal, which may still be empty."""
    t = (cell + 61 * goal) & (game.paths.trails.shape[0] - 1)
    trail = game.paths.trails[t]
    if (
        trail.cell != cell
        or trail.goal != goal
        or trail.layer != layer
        or trail.epoch != game.epochs[0].ground
    ):
        trail.cell, trail.goal, trail.layer = cell, goal, layer
        trail.epoch = game.epochs[0].ground
        trail.n_cells, trail.ends = 0, False
    return t


@kernel
def extend_trail(game: Game, f: int, t: int, n_cells: int) -> int:
    """Follow a trail up to a number of cells, as far as that is not known; how many it has up to
    there: fewer where it ends."""
    trail, width = game.paths.trails[t], game.ground.size[0]
    if trail.n_cells >= n_cells or trail.ends:
        return min(int(trail.n_cells), n_cells)
    last = int(trail.cells[trail.n_cells - 1]) if trail.n_cells > 0 else int(trail.cell)
    x, y = last % width, last // width
    if trail.n_cells == 0:
        guide, leg = choose_guide(game, f, x, y)
    else:
        guide = int(trail.guide)
        leg = leg_of(game, f, guide)
    while trail.n_cells < n_cells:
        before_x, before_y = x, y
        guide, leg, x, y = next_cell(game, f, guide, leg, x, y)
        if x == before_x and y == before_y:
            trail.ends = True
            break
        trail.cells[trail.n_cells] = y * width + x
        trail.n_cells += 1
    trail.guide = guide
    return int(trail.n_cells)


@kernel
def middle_of(game: Game, cell: int) -> tuple[float, float]:
    """The middle of a cell."""
    return cell % game.ground.size[0] + 0.5, cell // game.ground.size[0] + 0.5


@kernel
def follow_trail(game: Game, u: int, t: int, seen: int, n_ahead: int) -> None:
    """Note the furthest cell of a trail up to which a straight line is clear, as it is to the
    first `seen`. The first cell is beside the unit."""
    me, trail = game.units[u], game.paths.trails[t]
    for k in range(max(0, seen - 1), n_ahead):
        x, y = middle_of(game, trail.cells[k])
        if k > 0 and k >= seen and not line_is_clear(game, int(trail.layer), me.x, me.y, x, y):
            return
        me.way_x, me.way_y = x, y


@kernel
def ends_of_way(
    game: Game, layer: int, x0: float, y0: float, x: float, y: float
) -> tuple[int, int]:
    """The cells where a way from one point to another begins and ends: as near as walkers get."""
    cell, goal = cell_of(game, x0, y0), cell_of(game, x, y)
    if not game.land.walkable[layer, cell]:  # a large walker where only small ones fit
        cell = nearest_cell(game, layer, -1, x0, y0)
    if cell >= 0 and game.land.island[layer, goal] != game.land.island[layer, cell]:
        goal = nearest_cell(game, layer, int(game.land.island[layer, cell]), x, y)
    return cell, goal


@entry
def way_length(game: Game, layer: int, x0: float, y0: float, x: float, y: float) -> float:
    """How far a walker goes from one point to another, in cells; -1 if it cannot get there."""
    width = game.ground.size[0]
    cell, goal = ends_of_way(game, layer, x0, y0, x, y)
    if cell < 0 or goal != cell_of(game, x, y):
        return -1.0
    f, guide, leg = field_of(game, layer, goal), 0, 0
    at_x, at_y = cell % width, cell // width
    n_straight = n_diagonal = 0
    while at_y * width + at_x != goal:
        if (n_straight + n_diagonal) % LOOK_AGAIN_CELLS == 0:  # as walkers do
            guide, leg = choose_guide(game, f, at_x, at_y)
        before_x, before_y = at_x, at_y
        guide, leg, at_x, at_y = next_cell(game, f, guide, leg, at_x, at_y)
        if at_x == before_x or at_y == before_y:
            n_straight += 1
        else:
            n_diagonal += 1
    return n_straight + math.sqrt(2.0) * n_diagonal
