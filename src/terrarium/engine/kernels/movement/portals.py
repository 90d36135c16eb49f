"""Ways between the sectors of a larger map: through portals, the middles of open border cells.

A *leg* is a flow field towards a portal over one of its two sectors; all goals share it. The
*route* of a goal is what it costs from every portal to it. A unit goes to the portal where the leg
and the rest of the route are cheapest together, crosses, and chooses again. With every cell what is
left of its way gets cheaper, so it arrives.
"""

from terrarium.engine.jit import kernel
from terrarium.engine.kernels.movement.fields import NO_EPOCH, fill_field, place_near
from terrarium.engine.kernels.movement.windows import (
    ENDLESS,
    open_window,
    spot_of,
    spread,
    start_from,
    way_down,
)
from terrarium.engine.land import BORDER_SPOTS, N_GUIDES, N_SIDES, UNREACHED
from terrarium.engine.state import Game
from terrarium.engine.tables.terrain import NEAR_CELLS, STEP_X, STEP_Y

STRAIGHT_TO_GOAL = -1
"""in place of a portal: follow the field of the goal itself"""


@kernel
def sector_of(game: Game, x: int, y: int) -> int:
    """The sector that holds cell (x, y) of the map."""
    ground = game.ground
    return ground.sector_row[y] * (ground.column_edge.shape[0] - 1) + ground.sector_column[x]


@kernel
def portals_beside(game: Game, layer: int, sector: int, side: int) -> tuple[int, int]:
    """The portals of a sector on its right, upper, left or lower side: first, and one behind."""
    n_columns = game.ground.column_edge.shape[0] - 1
    border = 2 * sector + side % 2
    if side == 2:
        if sector % n_columns == 0:
            return 0, 0
        border -= 2
    elif side == 3:
        if sector < n_columns:
            return 0, 0
        border -= 2 * n_columns
    first = game.land.first_portal[layer]
    return int(first[border]), int(first[border + 1])


@kernel
def far_sector(game: Game, border: int) -> int:
    """The sector on the high side of a border."""
    return border // 2 + (game.ground.column_edge.shape[0] - 1 if border % 2 else 1)


@kernel
def half_step(game: Game, layer: int, p: int) -> int:
    """What it costs from a cell at a portal to its middle, on the border and perhaps beside it."""
    half = game.ground.step_cost[0] // 2
    return 2 * half if game.land.portals[layer, p].beside else half


@kernel
def leg_to(game: Game, layer: int, p: int, high: int) -> int:
    """The row of the leg to a portal over the sector on its low or high side."""
    portal, paths = game.land.portals[layer, p], game.paths
    border = int(portal.border)
    sector = far_sector(game, border) if high else border // 2
    place = (border % 2 + 2 * high) * BORDER_SPOTS + int(portal.spot)
    owner = (layer * game.land.changed.shape[0] + sector) * N_SIDES * BORDER_SPOTS + place
    leg = int(paths.leg_at[layer, sector, place]) - 1
    if leg < 0 or paths.legs[leg].owner != owner:
        leg = 0
        for k in range(paths.legs.shape[0]):
            if paths.legs[k].used < paths.legs[leg].used:
                leg = k
        paths.legs[leg].owner, paths.legs[leg].epoch = owner, NO_EPOCH
        paths.leg_at[layer, sector, place] = leg + 1
    paths.legs[leg].used = game.clock[0].tick + 1  # 0: never
    if paths.legs[leg].epoch < game.land.changed[sector]:
        paths.legs[leg].epoch, paths.legs[leg].link_epoch = game.epochs[0].ground, NO_EPOCH
        fill_leg(game, layer, p, high, sector, leg)
    return leg


@kernel
def fill_leg(game: Game, layer: int, p: int, high: int, sector: int, leg: int) -> None:
    """Compute the costs and directions from everywhere in a sector to one of its portals."""
    ground, portal, width = game.ground, game.land.portals[layer, p], game.ground.size[0]
    n_columns = ground.column_edge.shape[0] - 1
    column, row = sector % n_columns, sector // n_columns
    left, bottom = ground.column_edge[column], ground.row_edge[row]
    right, top = ground.column_edge[column + 1], ground.row_edge[row + 1]
    open_window(game, layer, left, bottom, right - left, top - bottom)
    low, beside = int(portal.cell), int(portal.beside)
    cell = low + int(portal.across) if high else low
    start_from(game, cell, half_step(game, layer, p))
    start_from(game, cell + beside, half_step(game, layer, p))
    spread(game)
    # The middle of the portal in half cells: on the border, and half a cell on if it has two cells.
    upwards = int(portal.border) % 2
    middle_x = 2 * (low % width) + 1 + (1 if not upwards or beside else 0)
    middle_y = 2 * (low // width) + 1 + (1 if upwards or beside else 0)
    k = 0
    for y in range(bottom, top):
        for x in range(left, right):
            cost = game.scratch.costs[spot_of(game, x, y)]
            game.paths.leg_costs[leg, k] = cost if cost < ENDLESS else UNREACHED
            game.paths.leg_ways[leg, k] = way_down(game, x, y, middle_x, middle_y)
            k += 1


@kernel
def place_in_sector(game: Game, x: int, y: int) -> int:
    """Where legs over the sector of cell (x, y) keep what they know of it."""
    ground = game.ground
    column, row = ground.sector_column[x], ground.sector_row[y]
    left, bottom = ground.column_edge[column], ground.row_edge[row]
    return (y - bottom) * (ground.column_edge[column + 1] - left) + x - left


@kernel
def plan_route(game: Game, f: int) -> None:
    """Find what it costs from every portal to the goal of a field, unless that is known."""
    field = game.paths.fields[f]
    if field.route_epoch >= game.epochs[0].ground:
        return
    field.route_epoch = game.epochs[0].ground
    layer, width = field.layer, game.ground.size[0]
    goal_x, goal_y = field.goal % width, field.goal // width
    n_portals = int(game.land.first_portal[layer, game.land.first_portal.shape[1] - 1])
    for p in range(n_portals):
        game.paths.route[f, p] = ENDLESS
        game.scratch.portals[1, p] = 0
    sector, place = sector_of(game, goal_x, goal_y), place_in_sector(game, goal_x, goal_y)
    n_waiting = 0
    for side in range(N_SIDES):
        first, last = portals_beside(game, layer, sector, side)
        for p in range(first, last):
            cost = int(game.paths.leg_costs[leg_to(game, layer, p, side // 2), place])
            if cost < UNREACHED:
                game.paths.route[f, p] = cost
                game.scratch.portals[0, n_waiting] = p
                game.scratch.portals[1, p] = 1
                n_waiting += 1
    follow_portals(game, f, n_portals, n_waiting)


@kernel
def follow_portals(game: Game, f: int, n_portals: int, n_waiting: int) -> None:
    """Let the costs of a route flow from portal to portal until none improves."""
    queue, layer, head = game.scratch.portals, game.paths.fields[f].layer, 0
    route = game.paths.route
    while n_waiting > 0:
        p = queue[0, head]
        head = head + 1 if head + 1 < n_portals else 0
        n_waiting -= 1
        queue[1, p] = 0
        border = int(game.land.portals[layer, p].border)
        for high in range(2):
            leg = linked_leg(game, layer, p, high)
            sector, k = far_sector(game, border) if high else border // 2, 0
            for side in range(N_SIDES):
                first, last = portals_beside(game, layer, sector, side)
                for q in range(first, last):
                    cost = int(route[f, p]) + int(game.paths.links[leg, k])
                    k += 1
                    if cost < route[f, q]:
                        route[f, q] = cost
                        if not queue[1, q]:
                            queue[1, q] = 1
                            tail = head + n_waiting
                            queue[0, tail if tail < n_portals else tail - n_portals] = q
                            n_waiting += 1


@kernel
def linked_leg(game: Game, layer: int, p: int, high: int) -> int:
    """The row of a leg whose costs to the other portals of its sector are known."""
    leg, epoch = leg_to(game, layer, p, high), game.epochs[0].ground
    if game.paths.legs[leg].link_epoch >= epoch:
        return leg
    game.paths.legs[leg].link_epoch = epoch
    border, k = int(game.land.portals[layer, p].border), 0
    sector = far_sector(game, border) if high else border // 2
    for side in range(N_SIDES):
        first, last = portals_beside(game, layer, sector, side)
        for q in range(first, last):
            game.paths.links[leg, k] = between(game, layer, leg, q, side // 2)
            k += 1
    return leg


@kernel
def between(game: Game, layer: int, leg: int, q: int, high: int) -> int:
    """What it costs inside a sector from the portal at the end of a leg to another one."""
    portal, width = game.land.portals[layer, q], game.ground.size[0]
    cell = int(portal.cell) + (int(portal.across) if high else 0)
    cost = int(game.paths.leg_costs[leg, place_in_sector(game, cell % width, cell // width)])
    if portal.beside:
        cell += int(portal.beside)
        other = place_in_sector(game, cell % width, cell // width)
        cost = min(cost, int(game.paths.leg_costs[leg, other]))
    return cost + half_step(game, layer, q) if cost < UNREACHED else ENDLESS


@kernel
def best_portal(game: Game, f: int, x: int, y: int) -> tuple[int, int]:
    """Where to leave the sector of cell (x, y), as twice the portal + 1 on its high side, and the
    cost of the way to the goal."""
    layer, sector = game.paths.fields[f].layer, sector_of(game, x, y)
    place = place_in_sector(game, x, y)
    best, best_cost = STRAIGHT_TO_GOAL, ENDLESS
    for side in range(N_SIDES):
        first, last = portals_beside(game, layer, sector, side)
        for p in range(first, last):
            if game.paths.route[f, p] > best_cost:
                continue  # whatever the leg costs
            leg = leg_to(game, layer, p, side // 2)
            if game.paths.leg_costs[leg, place] == UNREACHED:
                continue
            cost = int(game.paths.leg_costs[leg, place]) + int(game.paths.route[f, p])
            if cost > best_cost or cost >= ENDLESS:
                continue
            if cost == best_cost and not is_straighter(game, f, x, y, p, best // 2):
                continue
            best, best_cost = 2 * p + side // 2, cost
    return best, best_cost


@kernel
def is_straighter(game: Game, f: int, x: int, y: int, p: int, q: int) -> bool:
    """Is portal `p` nearer to the goal than `q`, or as near and on the left? As in `way_down`."""
    field, width = game.paths.fields[f], game.ground.size[0]
    goal_x, goal_y = field.goal % width, field.goal // width
    portals = game.land.portals[field.layer]
    one, other = int(portals[p].cell), int(portals[q].cell)
    one_x, one_y = goal_x - one % width, goal_y - one // width
    other_x, other_y = goal_x - other % width, goal_y - other // width
    farther = one_x * one_x + one_y * one_y - other_x * other_x - other_y * other_y
    if farther != 0:
        return farther < 0
    to_x, to_y = goal_x - x, goal_y - y
    return to_x * (other_y - one_y) > to_y * (other_x - one_x)


@kernel
def choose_guide(game: Game, f: int, x: int, y: int) -> tuple[int, int]:
    """What leads from cell (x, y) to the goal of a field: the field itself, or a portal and the
    leg to it."""
    place = place_near(game, f, x, y)
    if place >= 0:
        fill_field(game, f)
        if game.land.changed.shape[0] == 1:
            return STRAIGHT_TO_GOAL, 0
        if no_detour_pays(game, f, x, y, int(game.paths.near[f, place])):
            return STRAIGHT_TO_GOAL, 0
    guide = remembered_guide(game, f, x, y)
    return guide, leg_of(game, f, guide)


@kernel
def leg_of(game: Game, f: int, guide: int) -> int:
    """The leg to the portal that leads to the goal of a field; where that field itself leads there,
    it is filled."""
    if guide == STRAIGHT_TO_GOAL:
        fill_field(game, f)
        return 0
    return leg_to(game, game.paths.fields[f].layer, guide // 2, guide % 2)


@kernel
def remembered_guide(game: Game, f: int, x: int, y: int) -> int:
    """The portal on the way from cell (x, y) to the goal of a field, compared once for all who ask
    from there."""
    field, cell = game.paths.fields[f], y * game.ground.size[0] + x
    guide = game.paths.guides[(cell + 61 * f) % N_GUIDES]
    if (
        guide.field != f
        or guide.cell != cell
        or guide.goal != field.goal
        or guide.layer != field.layer
        or guide.epoch != game.epochs[0].ground
    ):
        plan_route(game, f)
        portal, cost = best_portal(game, f, x, y)
        place = place_near(game, f, x, y)
        inside = int(game.paths.near[f, place]) if place >= 0 else UNREACHED
        guide.portal = STRAIGHT_TO_GOAL if inside < UNREACHED and inside <= cost else portal
        guide.field, guide.cell = f, cell
        guide.goal, guide.layer = field.goal, field.layer
        guide.epoch = game.epochs[0].ground
    return int(guide.portal)


@kernel
def no_detour_pays(game: Game, f: int, x: int, y: int, cost: int) -> bool:
    """Is a way inside of a field shorter than any that leaves it and comes back?"""
    goal, width = game.paths.fields[f].goal, game.ground.size[0]
    aside = max(abs(goal % width - x), abs(goal // width - y))
    return cost <= game.ground.step_cost[0] * (2 * NEAR_CELLS + 2 - aside)


@kernel
def next_cell(
    game: Game, f: int, guide: int, leg: int, x: int, y: int
) -> tuple[int, int, int, int]:
    """One cell on from (x, y), and what leads on from there; the same cell at the goal."""
    if guide == STRAIGHT_TO_GOAL:
        place = place_near(game, f, x, y)
        d = int(game.paths.ways[f, place]) - 1 if place >= 0 else -1  # unsigned: 0 would wrap
    else:
        d = int(game.paths.leg_ways[leg, place_in_sector(game, x, y)]) - 1
        if d < 0:
            return cross(game, f, guide, x, y)
    if d < 0:
        return guide, leg, x, y
    return guide, leg, x + STEP_X[d], y + STEP_Y[d]


@kernel
def cross(game: Game, f: int, guide: int, x: int, y: int) -> tuple[int, int, int, int]:
    """The cell on the other side of a portal, and what leads on from there."""
    width = game.ground.size[0]
    across = int(game.land.portals[game.paths.fields[f].layer, guide // 2].across)
    cell = y * width + x + (-across if guide % 2 else across)
    x, y = cell % width, cell // width
    guide, leg = choose_guide(game, f, x, y)
    return guide, leg, x, y
