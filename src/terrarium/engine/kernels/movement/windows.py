"""The search behind every flow field: costs that spread over the cells of a window of the map."""

from terrarium.engine.jit import inline, kernel
from terrarium.engine.state import Game
from terrarium.engine.tables.terrain import STEP_X, STEP_Y

ENDLESS = 1 << 30
RIM = -1
"""The cost of the cells around the window: none is lower, so the search never leaves it."""


@kernel
def open_window(game: Game, layer: int, left: int, bottom: int, width: int, height: int) -> None:
    """Begin a search in a part of the map, from nowhere yet."""
    scratch, map_width, across = game.scratch, game.ground.size[0], width + 2
    scratch.window[0], scratch.window[1] = left, bottom
    scratch.window[2], scratch.window[3] = across, across * (height + 2)
    scratch.waiting[0], scratch.waiting[1] = 0, 0
    for k in range(across):
        scratch.costs[k] = scratch.costs[across * (height + 1) + k] = RIM
    for j in range(height):
        k, cell = across * (j + 1), map_width * (bottom + j) + left
        scratch.costs[k] = scratch.costs[k + width + 1] = RIM
        for i in range(width):
            scratch.costs[k + 1 + i] = ENDLESS
            scratch.queue[1, k + 1 + i] = 0
            scratch.exits[k + 1 + i] = game.land.open[layer, cell + i]


@inline
def spot_of(game: Game, x: int, y: int) -> int:
    """The place of a cell in the arrays of the window."""
    window = game.scratch.window
    return window[2] * (y - window[1] + 1) + x - window[0] + 1


@kernel
def start_from(game: Game, cell: int, cost: int) -> None:
    """Let the search begin at a cell of the map, too."""
    scratch, width = game.scratch, game.ground.size[0]
    spot = spot_of(game, cell % width, cell // width)
    if cost >= scratch.costs[spot]:
        return
    scratch.costs[spot] = cost
    if not scratch.queue[1, spot]:
        scratch.queue[1, spot] = 1
        scratch.queue[0, scratch.waiting[1]] = spot
        scratch.waiting[1] += 1


@kernel
def spread(game: Game) -> None:
    """Let costs flow from where the search began until none improves."""
    scratch = game.scratch
    across, n_spots = scratch.window[2], scratch.window[3]
    straight, diagonal = game.ground.step_cost[0], game.ground.step_cost[1]
    head, n_waiting = 0, scratch.waiting[1]
    while n_waiting > 0:
        spot = scratch.queue[0, head]
        head = head + 1 if head + 1 < n_spots else 0
        n_waiting -= 1
        scratch.queue[1, spot] = 0
        exits = scratch.exits[spot]
        for d in range(8):
            if not exits >> d & 1:
                continue
            neighbor = spot + STEP_Y[d] * across + STEP_X[d]
            cost = scratch.costs[spot] + (diagonal if d & 1 else straight)
            if cost >= scratch.costs[neighbor]:
                continue
            scratch.costs[neighbor] = cost
            if not scratch.queue[1, neighbor]:
                scratch.queue[1, neighbor] = 1
                tail = head + n_waiting
                scratch.queue[0, tail if tail < n_spots else tail - n_spots] = neighbor
                n_waiting += 1


@kernel
def way_down(game: Game, x: int, y: int, to_x: int, to_y: int) -> int:
    """1 + the direction of the cheapest way on from cell (x, y); 0 where the search began and where
    no way leads there.

    Of equally cheap ones the one that comes nearest to the goal, then the left one: never the one
    that happens to be listed first, which would favor a side of the map. The goal (to_x, to_y) is
    in half cells: a portal may be between two.
    """
    spot, across = spot_of(game, x, y), game.scratch.window[2]
    own = game.scratch.costs[spot]
    if own >= ENDLESS:
        return 0
    to_x, to_y = to_x - 2 * x - 1, to_y - 2 * y - 1
    exits = game.scratch.exits[spot]
    best, best_distance, best_turn = 0, 0, 0
    for d in range(8):
        if not exits >> d & 1:
            continue
        step = game.ground.step_cost[d & 1]
        cost = game.scratch.costs[spot + STEP_Y[d] * across + STEP_X[d]]
        if cost == RIM or cost + step > own:
            continue
        rest_x, rest_y = to_x - 2 * STEP_X[d], to_y - 2 * STEP_Y[d]
        distance = rest_x * rest_x + rest_y * rest_y
        turn = to_x * STEP_Y[d] - to_y * STEP_X[d]
        if best and (distance > best_distance or (distance == best_distance and turn <= best_turn)):
            continue
        best, best_distance, best_turn = d + 1, distance, turn
    return best
