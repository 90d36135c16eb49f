"""Finding the way: straight lines where the ground is clear, cached flow fields around the rest."""

from terrarium.engine.jit import kernel
from terrarium.engine.kernels.geometry import NEARLY, length
from terrarium.engine.state import Game
from terrarium.engine.tables.terrain import STEP_X, STEP_Y

STRAIGHT_COST, DIAGONAL_COST = 70, 99  # their ratio is the square root of two, to four digits
LOOK_AHEAD_CELLS = 32
LOOK_AGAIN_TICKS = 8
UNREACHED = 1 << 30


@kernel
def cell_of(game: Game, x: float, y: float) -> int:
    """The number of the cell that holds a point of the map."""
    return int(y) * game.ground.size[0] + int(x)


@kernel
def line_is_clear(game: Game, layer: int, x0: float, y0: float, x1: float, y1: float) -> bool:
    """Can a walker go straight from one point to another? Visits each cell on the line once."""
    width = game.ground.size[0]
    cx, cy = int(x0), int(y0)
    dx, dy = x1 - x0, y1 - y0
    n_steps = abs(int(x1) - cx) + abs(int(y1) - cy)
    step_x, step_y = (1 if dx > 0.0 else -1), (1 if dy > 0.0 else -1)
    # Distance along the line, as a fraction of it, to the next border in x and in y.
    per_x = 1.0 / abs(dx) if dx != 0.0 else 1e30
    per_y = 1.0 / abs(dy) if dy != 0.0 else 1e30
    next_x = (cx + 1 - x0 if dx > 0.0 else x0 - cx) * per_x
    next_y = (cy + 1 - y0 if dy > 0.0 else y0 - cy) * per_y
    while n_steps > 0:
        bits = game.ground.open[layer, cy * width + cx]
        if next_x < next_y - NEARLY:
            if not bits & (1 if step_x > 0 else 16):
                return False
            cx += step_x
            next_x += per_x
            n_steps -= 1
        elif next_y < next_x - NEARLY:
            if not bits & (4 if step_y > 0 else 64):
                return False
            cy += step_y
            next_y += per_y
            n_steps -= 1
        else:  # through the corner, or so near that rounding would decide
            diagonal = (2 if step_y > 0 else 128) if step_x > 0 else (8 if step_y > 0 else 32)
            if not bits & diagonal:
                return False
            cx += step_x
            cy += step_y
            next_x += per_x
            next_y += per_y
            n_steps -= 2
    return True


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
                if not game.ground.walkable[layer, cell]:
                    continue
                if island >= 0 and game.ground.island[layer, cell] != island:
                    continue
                dx, dy = i + 0.5 - x, j + 0.5 - y
                distance = dx * dx + dy * dy
                if distance < best_distance:
                    best, best_distance = cell, distance
        ring += 1
    return best


@kernel
def flow_field(game: Game, layer: int, goal: int) -> int:
    """The row of the cached field towards a cell; computed, over the stalest one, if missing."""
    stalest = 0
    for f in range(game.fields.shape[0]):
        field = game.fields[f]
        if field.goal == goal and field.layer == layer:
            field.used = game.clock[0].tick
            return f
        if field.used < game.fields[stalest].used:
            stalest = f
    field = game.fields[stalest]
    field.goal, field.layer, field.used = goal, layer, game.clock[0].tick
    spread_field(game, layer, goal, stalest)
    return stalest


@kernel
def spread_field(game: Game, layer: int, goal: int, f: int) -> None:
    """Let costs flow from the goal until none improves, then note every cell's way down."""
    width = game.ground.size[0]
    n_cells = width * game.ground.size[1]
    costs = game.scratch.costs
    for cell in range(n_cells):
        costs[cell] = UNREACHED
        game.scratch.queue[1, cell] = 0  # is it waiting in the queue?
    costs[goal] = 0
    game.scratch.queue[0, 0] = goal
    head, n_waiting = 0, 1
    while n_waiting > 0:
        cell = game.scratch.queue[0, head]
        head = head + 1 if head + 1 < n_cells else 0
        n_waiting -= 1
        game.scratch.queue[1, cell] = 0
        bits = game.ground.open[layer, cell]
        for d in range(8):
            if not bits >> d & 1:
                continue
            neighbor = cell + STEP_Y[d] * width + STEP_X[d]
            cost = costs[cell] + (DIAGONAL_COST if d & 1 else STRAIGHT_COST)
            if cost >= costs[neighbor]:
                continue
            costs[neighbor] = cost
            if not game.scratch.queue[1, neighbor]:
                game.scratch.queue[1, neighbor] = 1
                tail = head + n_waiting
                game.scratch.queue[0, tail if tail < n_cells else tail - n_cells] = neighbor
                n_waiting += 1
    for cell in range(n_cells):
        game.ways[f, cell] = way_down(game, layer, goal, cell)


@kernel
def way_down(game: Game, layer: int, goal: int, cell: int) -> int:
    """1 + the direction of the cheapest way on; 0 at the goal and where no way leads there.

    Of equally cheap ones the one that comes nearest to the goal, then the left one: never the one
    that happens to be listed first, which would favor a side of the map.
    """
    if cell == goal or game.scratch.costs[cell] >= UNREACHED:
        return 0
    width = game.ground.size[0]
    to_x, to_y = goal % width - cell % width, goal // width - cell // width
    bits = game.ground.open[layer, cell]
    best, best_cost, best_distance, best_turn = 0, UNREACHED, 0, 0
    for d in range(8):
        if not bits >> d & 1:
            continue
        neighbor = cell + STEP_Y[d] * width + STEP_X[d]
        cost = game.scratch.costs[neighbor] + (DIAGONAL_COST if d & 1 else STRAIGHT_COST)
        if cost > best_cost:
            continue
        rest_x, rest_y = to_x - STEP_X[d], to_y - STEP_Y[d]
        distance = rest_x * rest_x + rest_y * rest_y
        turn = to_x * STEP_Y[d] - to_y * STEP_X[d]
        if cost == best_cost:
            if distance > best_distance or (distance == best_distance and turn <= best_turn):
                continue
        best, best_cost, best_distance, best_turn = d + 1, cost, distance, turn
    return best


@kernel
def find_way(game: Game, u: int, layer: int, x: float, y: float) -> None:
    """Note the corner to walk to next, or that the way to (x, y) is straight."""
    me = game.units[u]
    me.way_tick = game.clock[0].tick + LOOK_AGAIN_TICKS
    me.direct = True
    if game.ground.convex[layer] or line_is_clear(game, layer, me.x, me.y, x, y):
        return
    width = game.ground.size[0]
    cell = cell_of(game, me.x, me.y)
    if not game.ground.walkable[layer, cell]:  # a large walker where only small ones fit
        cell = nearest_cell(game, layer, -1, me.x, me.y)
    if cell < 0:
        return
    goal = cell_of(game, x, y)
    if game.ground.island[layer, goal] != game.ground.island[layer, cell]:
        goal = nearest_cell(game, layer, game.ground.island[layer, cell], x, y)
    f = flow_field(game, layer, goal)
    me.direct = False
    me.way_x, me.way_y = cell % width + 0.5, cell // width + 0.5
    for ahead in range(LOOK_AHEAD_CELLS):
        d = int(game.ways[f, cell]) - 1  # unsigned: 0 would wrap around in plain mode
        if d < 0:
            break
        cell += STEP_Y[d] * width + STEP_X[d]
        corner_x, corner_y = cell % width + 0.5, cell // width + 0.5
        if ahead > 0 and not line_is_clear(game, layer, me.x, me.y, corner_x, corner_y):
            break
        me.way_x, me.way_y = corner_x, corner_y


@kernel
def off_walls(
    game: Game, layer: int, cell: int, inner: float, x: float, y: float
) -> tuple[float, float]:
    """Move a point of a cell to where a walker of that inner radius can stand."""
    bits = game.ground.open[layer, cell]
    if bits == 255:
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
def walk(
    game: Game, layer: int, inner: float, x0: float, y0: float, x: float, y: float
) -> tuple[float, float]:
    """Where a walker at (x0, y0) that wants to be at (x, y), less than a cell away, ends up."""
    width = game.ground.size[0]
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
