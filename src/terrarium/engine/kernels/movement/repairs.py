"""What footprints leave of the terrain: derived from scratch, or repaired where one changed."""

from terrarium.engine import codes
from terrarium.engine.jit import entry, kernel
from terrarium.engine.kernels.movement.borders import find_portals
from terrarium.engine.state import Game
from terrarium.engine.tables.terrain import ALL_OPEN, MOST_ROOM, STEP_X, STEP_Y

NO_ISLAND = -1
AROUND = 2
"""A footprint closes cells for large walkers beside it, and diagonal steps one further."""
LOOK_AROUND = 4
"""How far around a footprint cells must stay connected to be taken for one island still."""


@entry
def survey(game: Game) -> None:
    """Derive everything from the terrain and the footprints of a game, and forget its paths."""
    width, height = game.ground.size[0], game.ground.size[1]
    game.epochs[0].ground += 1
    for sector in range(game.land.changed.shape[0]):
        game.land.changed[sector] = game.epochs[0].ground
    forget_paths(game)
    close_cells(game, 0, 0, width, height)
    measure_room(game, 0, 0, width, height)
    for layer in range(game.land.open.shape[0]):
        name_islands(game, layer)
    find_portals(game)


@kernel
def forget_paths(game: Game) -> None:
    """Empty the cache: the epochs of a loaded game may be lower than those of the one before it."""
    for f in range(game.paths.fields.shape[0]):
        game.paths.fields[f].goal = codes.NO_UNIT
    for leg in range(game.paths.legs.shape[0]):
        game.paths.legs[leg].owner = codes.NO_UNIT
    for k in range(game.paths.guides.shape[0]):
        game.paths.guides[k].field = codes.NO_UNIT
    for k in range(game.paths.trails.shape[0]):
        game.paths.trails[k].cell = codes.NO_UNIT


@entry
def repair(game: Game, left: int, bottom: int, right: int, top: int) -> None:
    """Derive anew what depends on the footprints in a rectangle of cells."""
    width, height = game.ground.size[0], game.ground.size[1]
    game.epochs[0].ground += 1
    x0, y0 = max(0, left - AROUND), max(0, bottom - AROUND)
    x1, y1 = min(width, right + AROUND), min(height, top + AROUND)
    note_change(game, x0, y0, x1, y1)
    close_cells(game, x0, y0, x1, y1)
    measure_room(
        game,
        max(0, x0 - MOST_ROOM),
        max(0, y0 - MOST_ROOM),
        min(width, x1 + MOST_ROOM),
        min(height, y1 + MOST_ROOM),
    )
    x0, y0 = max(0, left - LOOK_AROUND), max(0, bottom - LOOK_AROUND)
    x1, y1 = min(width, right + LOOK_AROUND), min(height, top + LOOK_AROUND)
    for layer in range(game.land.open.shape[0]):
        if not keep_islands(game, layer, x0, y0, x1, y1):
            name_islands(game, layer)
    find_portals(game)


@kernel
def note_change(game: Game, left: int, bottom: int, right: int, top: int) -> None:
    """Fields over the sectors of a rectangle are out of date."""
    ground = game.ground
    n_columns = ground.column_edge.shape[0] - 1
    for row in range(ground.sector_row[bottom], ground.sector_row[top - 1] + 1):
        for column in range(ground.sector_column[left], ground.sector_column[right - 1] + 1):
            game.land.changed[row * n_columns + column] = game.epochs[0].ground


@kernel
def close_cells(game: Game, left: int, bottom: int, right: int, top: int) -> None:
    """Derive which cells of a rectangle walkers can be in, then which steps they can make there."""
    width, land = game.ground.size[0], game.land
    for y in range(bottom, top):
        for x in range(left, right):
            cell = y * width + x
            free = game.blocked[cell] == 0
            for layer in range(land.open.shape[0]):
                land.walkable[layer, cell] = free and game.ground.walkable[layer, cell]
    for y in range(bottom, top):
        for x in range(left, right):
            cell = y * width + x
            if land.walkable[codes.LARGE_WALKER, cell]:
                land.walkable[codes.LARGE_WALKER, cell] = is_wide(game, x, y)
    for layer in range(land.open.shape[0]):
        for y in range(bottom, top):
            for x in range(left, right):
                cell = y * width + x
                land.open[layer, cell] = open_steps(game, layer, cell)
        land.convex[layer] = game.ground.convex[layer] and game.epochs[0].n_placed == 0


@kernel
def measure_room(game: Game, left: int, bottom: int, right: int, top: int) -> None:
    """Derive how far it is from the cells of a rectangle to the nearest that a wall touches.

    In one pass from each end: what the neighbors before a cell say, then those behind it.
    """
    width, land = game.ground.size[0], game.land
    for layer in range(land.open.shape[0]):
        for y in range(bottom, top):
            for x in range(left, right):
                cell, room = y * width + x, 0
                if land.open[layer, cell] == ALL_OPEN:  # so it is not at the edge of the map
                    before = cell - width
                    room = min(MOST_ROOM, 1 + room_beside(game, layer, cell - 1, before))
                land.room[layer, cell] = room
        for y in range(top - 1, bottom - 1, -1):
            for x in range(right - 1, left - 1, -1):
                cell = y * width + x
                if land.open[layer, cell] == ALL_OPEN:
                    room = 1 + room_beside(game, layer, cell + 1, cell + width)
                    land.room[layer, cell] = min(int(land.room[layer, cell]), room)


@kernel
def room_beside(game: Game, layer: int, beside: int, row: int) -> int:
    """The least room of a cell's neighbor on one side and of the three in a row next to it."""
    room = game.land.room
    in_row = min(int(room[layer, row - 1]), int(room[layer, row]), int(room[layer, row + 1]))
    return min(in_row, int(room[layer, beside]))


@kernel
def is_wide(game: Game, x: int, y: int) -> bool:
    """Does a cell lie in an open square of two by two?"""
    width, height = game.ground.size[0], game.ground.size[1]
    for j in range(max(0, y - 1), min(height - 1, y + 1)):
        for i in range(max(0, x - 1), min(width - 1, x + 1)):
            corner = j * width + i
            if (
                is_free(game, corner)
                and is_free(game, corner + 1)
                and is_free(game, corner + width)
                and is_free(game, corner + width + 1)
            ):
                return True
    return False


@kernel
def is_free(game: Game, cell: int) -> bool:
    """Can a small walker be in a cell?"""
    return game.blocked[cell] == 0 and game.ground.walkable[codes.SMALL_WALKER, cell]


@kernel
def open_steps(game: Game, layer: int, cell: int) -> int:
    """The steps that the terrain allows and no footprint closes, a bit each."""
    width, walkable = game.ground.size[0], game.land.walkable
    if not walkable[layer, cell]:
        return 0
    steps, terrain = 0, int(game.ground.open[layer, cell])
    for d in range(8):
        if not terrain >> d & 1 or not walkable[layer, cell + STEP_Y[d] * width + STEP_X[d]]:
            continue
        if d & 1 and not (
            walkable[layer, cell + STEP_X[d]] and walkable[layer, cell + STEP_Y[d] * width]
        ):
            continue  # both ways round the corner must be open
        steps |= 1 << d
    return steps


@kernel
def name_islands(game: Game, layer: int) -> None:
    """Number all connected parts of a layer anew."""
    land, count = game.land, 0
    for cell in range(land.island.shape[1]):
        land.island[layer, cell] = NO_ISLAND
    for cell in range(land.island.shape[1]):
        if land.walkable[layer, cell] and land.island[layer, cell] == NO_ISLAND:
            fill_island(game, layer, cell, count)
            count += 1
    game.epochs[0].next_island[layer] = count


@kernel
def fill_island(game: Game, layer: int, start: int, number: int) -> None:
    """Give a number to all cells that are connected with one."""
    land, queue, width = game.land, game.scratch.queue, game.ground.size[0]
    land.island[layer, start] = number
    queue[0, 0] = start
    n_cells = 1
    while n_cells > 0:
        n_cells -= 1
        cell = queue[0, n_cells]
        for d in range(0, 8, 2):  # where a diagonal step is open, straight ones lead round it
            neighbor = cell + STEP_Y[d] * width + STEP_X[d]
            if land.open[layer, cell] >> d & 1 and land.island[layer, neighbor] != number:
                land.island[layer, neighbor] = number
                queue[0, n_cells] = neighbor
                n_cells += 1


@kernel
def keep_islands(game: Game, layer: int, left: int, bottom: int, right: int, top: int) -> bool:
    """Name the cells of a rectangle as before, if its islands neither split nor join there.

    Where the cells of each island are still connected inside the rectangle, every way through it
    can be led around the change.
    """
    land, width = game.land, game.ground.size[0]
    names = game.scratch.costs
    n_names = 0
    for y in range(bottom, top):
        for x in range(left, right):
            cell = y * width + x
            game.scratch.queue[1, cell] = 0
            if not land.walkable[layer, cell]:
                land.island[layer, cell] = NO_ISLAND
    for y in range(bottom, top):
        for x in range(left, right):
            cell = y * width + x
            if not land.walkable[layer, cell] or game.scratch.queue[1, cell]:
                continue
            game.scratch.window[0], game.scratch.window[1] = left, bottom
            game.scratch.window[2], game.scratch.window[3] = right, top
            name = common_name(game, layer, cell)
            if name < NO_ISLAND:
                return False
            for k in range(n_names):
                if names[k] == name:
                    return False
            names[n_names] = name
            n_names += 1
    return True


@kernel
def common_name(game: Game, layer: int, start: int) -> int:
    """Give the cells of the window that are connected with one the name that those of them have
    that were walkable before, or a new one; -2 if they have more than one."""
    land, queue, width = game.land, game.scratch.queue, game.ground.size[0]
    window = game.scratch.window
    name, n_cells, k = NO_ISLAND, 1, 0
    queue[0, 0] = start
    queue[1, start] = 1
    while k < n_cells:
        cell = queue[0, k]
        k += 1
        if land.island[layer, cell] != NO_ISLAND:
            if name != NO_ISLAND and name != land.island[layer, cell]:
                return NO_ISLAND - 1
            name = int(land.island[layer, cell])
        for d in range(0, 8, 2):
            x, y = cell % width + STEP_X[d], cell // width + STEP_Y[d]
            if x < window[0] or y < window[1] or x >= window[2] or y >= window[3]:
                continue
            neighbor = y * width + x
            if land.open[layer, cell] >> d & 1 and not queue[1, neighbor]:
                queue[1, neighbor] = 1
                queue[0, n_cells] = neighbor
                n_cells += 1
    if name == NO_ISLAND:
        name = int(game.epochs[0].next_island[layer])
        game.epochs[0].next_island[layer] = name + 1
    for k in range(n_cells):
        land.island[layer, queue[0, k]] = name
    return name
