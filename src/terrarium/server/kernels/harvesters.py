"""How many workers gather at townhalls and geysers, and how many should."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.economy.resources import is_harvesting
from terrarium.engine.state import is_unit
from terrarium.server.kernels.layouts import ApiView

BESIDE = 10.0
"""Fields within this distance of a townhall are its own: the nearest one's."""
A_FIELD, A_GEYSER = 2, 3
"""workers that one can use"""


@kernel
def count_harvesters(view: ApiView, player: int) -> None:
    """Count the workers of a player, by the townhall or the geyser that they belong to."""
    game, listing, n_halls = view.game, view.listing, 0
    for i in range(game.clock[0].n_living):
        v = int(game.living[i])
        me = game.units[v]
        listing.hall[v] = codes.NO_UNIT
        listing.assigned[v] = listing.ideal[v] = 0
        if me.owner == player and me.alive and game.rules.types[me.kind].townhall:
            if not me.status & codes.UNFINISHED:
                listing.halls[n_halls] = v
                n_halls += 1
    for i in range(game.clock[0].n_living):
        v = int(game.living[i])
        if not game.units[v].alive or game.resources[v].contents <= 0.0:
            continue
        resource = game.rules.types[game.units[v].kind].resource
        if resource == codes.MINERALS:
            hall = nearest_hall(view, n_halls, v)
            listing.hall[v] = hall
            if hall >= 0:
                listing.ideal[hall] += A_FIELD
        elif resource == codes.VESPENE and game.units[v].owner == player:
            if not game.units[v].status & codes.UNFINISHED:
                listing.ideal[v] = A_GEYSER
    for i in range(game.clock[0].n_living):
        u = int(game.living[i])
        me = game.units[u]
        if me.owner == player and me.n_orders > 0 and is_harvesting(int(game.orders[u, 0].kind)):
            if (me.alive or me.inside >= 0) and game.rules.types[me.kind].own_trip == 0.0:
                assign(view, u)


@kernel
def nearest_hall(view: ApiView, n_halls: int, v: int) -> int:
    """The townhall that a field belongs to; -1 = none."""
    game, best, least = view.game, codes.NO_UNIT, BESIDE * BESIDE
    x, y = game.units[v].x, game.units[v].y
    for k in range(n_halls):
        u = view.listing.halls[k]
        dx, dy = game.units[u].x - x, game.units[u].y - y
        if dx * dx + dy * dy <= least:
            best, least = int(u), dx * dx + dy * dy
    return best


@kernel
def assign(view: ApiView, u: int) -> None:
    """Count a worker where it gathers, or where it gathered what it brings."""
    game, worker, order = view.game, view.game.workers[u], view.game.orders[u, 0]
    v, tag = worker.field, worker.field_tag
    if order.kind == codes.GATHER:
        v, tag = order.target, order.tag
    if not is_unit(game, v, tag):
        return
    if game.units[v].owner == game.units[u].owner:
        view.listing.assigned[v] += 1
    elif view.listing.hall[v] >= 0:
        view.listing.assigned[view.listing.hall[v]] += 1
