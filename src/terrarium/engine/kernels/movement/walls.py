"""Where a walking body can be: off the walls of the terrain, and off the outlines of structures."""

from terrarium.engine.jit import kernel
from terrarium.engine.kernels.geometry import NEARLY, length, to_outline
from terrarium.engine.records import Records
from terrarium.engine.state import Game, has_structures
from terrarium.engine.tables.terrain import ALL_OPEN, STEP_X, STEP_Y

EDGE = 1e-6
"""Keeps a point on the upper border of a cell inside it."""
LONGEST_STEP = 0.9
"""A body inside an outline comes out of it step by step: never over a wall."""


@kernel
def off_walls(
    game: Game, layer: int, cell: int, inner: float, x: float, y: float
) -> tuple[float, float]:
    """Move a point of a cell to where a walker of that inner radius can stand."""
    bits = game.ground.open[layer, cell]
    if bits == ALL_OPEN:
        return x, y
    width = game.ground.size[0]  # dividing by it is slow, and seldom needed
    left, bottom = float(cell % width), float(cell // width)
    low_x = left + (0.0 if bits & 16 else inner)
    high_x = left + 1.0 - (0.0 if bits & 1 else inner)
    low_y = bottom + (0.0 if bits & 64 else inner)
    high_y = bottom + 1.0 - (0.0 if bits & 4 else inner)
    x = min(max(x, low_x), high_x)
    y = min(max(y, low_y), high_y)
    # A closed diagonal between two open sides is a corner that sticks out.
    for d in range(1, 8, 2):
        before, after = d - 1, (d + 1) % 8
        if bits >> d & 1 or not bits >> before & 1 or not bits >> after & 1:
            continue
        corner_x = left + (1.0 if STEP_X[d] > 0 else 0.0)
        corner_y = bottom + (1.0 if STEP_Y[d] > 0 else 0.0)
        dx, dy = x - corner_x, y - corner_y
        distance = length(dx, dy)
        if 1e-9 < distance < inner:
            x = corner_x + dx / distance * inner
            y = corner_y + dy / distance * inner
    return x, y


@kernel
def along_walls(
    game: Game, body: Records, x0: float, y0: float, x: float, y: float
) -> tuple[float, float]:
    """Where the terrain lets a walker at (x0, y0) end up that wants to be at (x, y), less than a
    cell away."""
    width, layer, inner = game.ground.size[0], body.layer, body.inner
    cx, cy = int(x0), int(y0)
    bits = game.ground.open[layer, cy * width + cx]
    nx, ny = int(x), int(y)
    if nx != cx and not bits & (1 if nx > cx else 16):
        x = cx + 1.0 - inner if nx > cx else cx + inner
        nx = cx
    bits = game.ground.open[layer, cy * width + nx]
    if ny != cy and not bits & (4 if ny > cy else 64):
        y = cy + 1.0 - inner if ny > cy else cy + inner
        ny = cy
    return off_walls(game, layer, ny * width + nx, inner, x, y)


@kernel
def walk(
    game: Game, body: Records, x0: float, y0: float, x: float, y: float
) -> tuple[float, float]:
    """Where a walker at (x0, y0) that wants to be at (x, y), less than a cell away, ends up."""
    if int(x) == int(x0) and int(y) == int(y0):
        if game.land.open[body.layer, int(y) * game.ground.size[0] + int(x)] == ALL_OPEN:
            return x, y  # most steps: nothing is near
    return along_obstacles(game, body, x0, y0, x, y)


@kernel
def along_obstacles(
    game: Game, body: Records, x0: float, y0: float, x: float, y: float
) -> tuple[float, float]:
    """Where terrain and structures let a walker at (x0, y0) end up that wants to be at (x, y)."""
    x, y = along_walls(game, body, x0, y0, x, y)
    if has_structures(game) and is_at_structure(game, body.layer, x, y):
        return along_structures(game, body, x0, y0, x, y)
    return x, y


@kernel
def along_structures(
    game: Game, body: Records, x0: float, y0: float, x: float, y: float
) -> tuple[float, float]:
    """Where the structures around let a walker at (x0, y0) end up that wants to be at (x, y)."""
    x, y = off_outlines(game, body.inner, x, y)
    moved = length(x - x0, y - y0)
    if moved > LONGEST_STEP:
        x, y = x0 + (x - x0) / moved * LONGEST_STEP, y0 + (y - y0) / moved * LONGEST_STEP
    x, y = out_of_closed_cells(game, x0, y0, x, y)
    # A structure may have pushed it against a wall: then it is tight, and walls are harder.
    x, y = along_walls(game, body, x0, y0, x, y)
    width = game.ground.size[0]
    if game.blocked[int(y) * width + int(x)] and not game.blocked[int(y0) * width + int(x0)]:
        return x0, y0
    return x, y


@kernel
def is_at_structure(game: Game, layer: int, x: float, y: float) -> bool:
    """Is a cell, or one of its neighbors, closed by a footprint?"""
    cell = int(y) * game.ground.size[0] + int(x)
    return game.land.open[layer, cell] != game.ground.open[layer, cell]


@kernel
def out_of_closed_cells(
    game: Game, x0: float, y0: float, x: float, y: float
) -> tuple[float, float]:
    """Keep the middle of a body out of the cells that footprints close, unless it is in one.

    Outlines leave gaps where structures touch at their corners; paths do not.
    """
    width, cx, cy = game.ground.size[0], int(x0), int(y0)
    if game.blocked[cy * width + cx]:
        return x, y
    nx, ny = int(x), int(y)
    if nx != cx and game.blocked[cy * width + nx]:
        x = cx + 1.0 - EDGE if nx > cx else float(cx)
        nx = cx
    if ny != cy and game.blocked[ny * width + nx]:
        y = cy + 1.0 - EDGE if ny > cy else float(cy)
    return x, y


@kernel
def off_outlines(game: Game, inner: float, x: float, y: float) -> tuple[float, float]:
    """Move a point to where a body of that inner radius touches no structure on the grid."""
    width, height = game.ground.size[0], game.ground.size[1]
    for _ in range(2):  # out of one may be into the next
        cx, cy, before = int(x), int(y), 0
        for j in range(max(0, cy - 1), min(height, cy + 2)):
            for i in range(max(0, cx - 1), min(width, cx + 2)):
                owner = int(game.blocked[j * width + i])
                if owner != 0 and owner != before:
                    distance, away_x, away_y = to_outline(game, owner - 1, x, y)
                    if distance < inner - NEARLY:
                        x += away_x * (inner - distance)
                        y += away_y * (inner - distance)
                    before = owner
        x = min(max(x, game.ground.playable[0]), game.ground.playable[2] - EDGE)
        y = min(max(y, game.ground.playable[1]), game.ground.playable[3] - EDGE)
    return x, y


@kernel
def touches_structure(game: Game, inner: float, x: float, y: float) -> bool:
    """Would a body of that inner radius overlap the outline of a structure on the grid?"""
    width, height = game.ground.size[0], game.ground.size[1]
    cx, cy = int(x), int(y)
    for j in range(max(0, cy - 1), min(height, cy + 2)):
        for i in range(max(0, cx - 1), min(width, cx + 2)):
            owner = int(game.blocked[j * width + i])
            if owner != 0 and to_outline(game, owner - 1, x, y)[0] < inner - NEARLY:
                return True
    return False
