"""Harvesting: workers go to a field, gather, and bring it to a townhall (game_rules.md, 8).

What the sources leave open was fitted to the first 480 loops of recorded games (docs/fidelity.md).
"""

import numpy as np

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.economy.resources import (
    NEVER,
    come_out,
    is_harvesting,
    may_gather,
    station_of,
)
from terrarium.engine.kernels.events import new_event
from terrarium.engine.kernels.geometry import NEARLY, edge_distance, length, to_outline
from terrarium.engine.kernels.movement.footprints import lift_footprint
from terrarium.engine.kernels.movement.paths import cell_of
from terrarium.engine.kernels.movement.places import fitted
from terrarium.engine.kernels.movement.walls import EDGE
from terrarium.engine.kernels.orders.orders import current_order, finish_order
from terrarium.engine.kernels.random import HARVEST, bits, toss
from terrarium.engine.state import Game, is_placed, is_unit


@kernel
def is_taken(game: Game, v: int, station: int) -> bool:
    """Does a worker gather there, or has it only just left?"""
    resource = game.resources[v]
    u = resource.worker[station]
    if is_here(game, u, resource.worker_tag[station]) and game.workers[u].phase == codes.GATHERING:
        if current_order(game, u) == codes.GATHER and game.orders[u, 0].target == v:
            return True
    return resource.free_tick[station] > game.clock[0].tick


@kernel
def is_here(game: Game, u: int, tag: int) -> bool:
    """Does the worker that was meant live, outside or in a structure on a geyser?"""
    return (
        u >= 0 and game.units[u].tag == tag and (game.units[u].alive or game.units[u].inside >= 0)
    )


@kernel
def harvest(game: Game) -> None:
    """One tick of all workers that gather or bring what they have gathered."""
    tick = game.clock[0].tick
    slot = tick % game.income.shape[2]
    for owner in range(game.income.shape[0]):
        game.income[owner, 0, slot] = game.income[owner, 1, slot] = 0
    count_coming(game)
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        if game.rules.types[game.units[u].kind].worker and is_harvesting(current_order(game, u)):
            work(game, u)
    begin_gathering(game)


@kernel
def count_coming(game: Game) -> None:
    """How many workers wait for each resource, are about to, or have turned to it."""
    for i in range(game.clock[0].n_living):
        v = game.living[i]
        resource = game.resources[v]
        resource.n_coming = 0
        resource.bidder[0] = resource.bidder[1] = codes.NO_UNIT
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        if current_order(game, u) == codes.GATHER and game.workers[u].phase == codes.TO_RESOURCE:
            v = game.orders[u, 0].target
            if is_unit(game, v, game.orders[u, 0].tag) and counts_as_coming(game, u, v):
                game.resources[v].n_coming += 1


@kernel
def counts_as_coming(game: Game, u: int, v: int) -> bool:
    """Do others leave a field to this worker? Who goes there for the first time has reserved it;
    who comes back is noticed only when it is near."""
    me, other = game.units[u], game.units[v]
    if game.workers[u].field_tag != other.tag:
        return True
    return length(other.x - me.x, other.y - me.y) <= game.rules.harvest[0].notice


@kernel
def work(game: Game, u: int) -> None:
    """One tick of one worker."""
    worker, order = game.workers[u], game.orders[u, 0]
    if order.kind == codes.RETURN_CARGO or worker.phase == codes.RETURNING:
        deliver(game, u)
        return
    if worker.phase == codes.PAUSING:
        worker.timer -= 1.0
        if worker.timer <= 0.0:
            worker.phase = codes.RETURNING if worker.cargo > 0.0 else codes.TO_RESOURCE
        return
    v = order.target
    if not is_unit(game, v, order.tag) or not may_gather(game, u, v):
        come_out(game, u)
        # Who gathered from a geyser that is empty now does not go to the minerals.
        if is_dry(game, v, order.tag) or not take_other(game, u, order.x, order.y, codes.NO_UNIT):
            give_up(game, u)
        return
    if worker.phase == codes.GATHERING:
        gather(game, u, v)
    else:
        arrive(game, u, v)


@kernel
def is_dry(game: Game, v: int, tag: int) -> bool:
    """Is it a structure on a geyser that holds nothing any more?"""
    if not is_unit(game, v, tag) or game.resources[v].contents > 0.0:
        return False
    return game.rules.types[game.units[v].kind].resource == codes.VESPENE


@kernel
def gap_to(game: Game, u: int, v: int) -> float:
    """From the edge of a worker to the outline of what it gathers from."""
    me = game.units[u]
    if is_placed(game, v):
        distance, _, _ = to_outline(game, v, me.x, me.y)
        return distance - game.rules.types[me.kind].inner
    return edge_distance(game, me, game.units[v])


@kernel
def arrive(game: Game, u: int, v: int) -> None:
    """On the way to a field: begin where it is free, look for another one where it is taken."""
    worker, station, gap = game.workers[u], station_of(game, u), gap_to(game, u, v)
    if not is_taken(game, v, station):
        worker.waits_since = NEVER
        if gap <= game.rules.harvest[0].touch + NEARLY:
            bid(game, u, v, station)
        return
    if gap > game.rules.harvest[0].look:
        return
    if left_at(game, v, station) <= game.rules.harvest[0].patience_ticks:
        return
    tick = game.clock[0].tick
    if worker.waits_since < 0:
        worker.waits_since = tick
    if (tick - worker.waits_since) % game.rules.harvest[0].look_again_ticks == 0:
        take_other(game, u, game.units[v].x, game.units[v].y, v)


@kernel
def left_at(game: Game, v: int, station: int) -> float:
    """How long the worker at a field will still gather."""
    resource = game.resources[v]
    u = resource.worker[station]
    if is_here(game, u, resource.worker_tag[station]) and game.workers[u].phase == codes.GATHERING:
        return float(game.workers[u].timer)
    return 0.0


@kernel
def bid(game: Game, u: int, v: int, station: int) -> None:
    """Of the workers that arrive at a field in one tick a lot decides who begins."""
    resource, clock = game.resources[v], game.clock[0]
    draw = bits(clock.seed, clock.tick, game.units[u].tag, HARVEST)
    if resource.bidder[station] < 0 or draw > resource.bid[station]:
        resource.bidder[station], resource.bid[station] = u, draw


@kernel
def begin_gathering(game: Game) -> None:
    """Those who won their field begin; a geyser is gathered from inside of its structure."""
    for i in range(game.clock[0].n_living):
        v = game.living[i]
        resource = game.resources[v]
        for station in range(resource.bidder.shape[0]):
            u = resource.bidder[station]
            if u < 0:
                continue
            row, worker = game.rules.types[game.units[v].kind], game.workers[u]
            resource.worker[station], resource.worker_tag[station] = u, game.units[u].tag
            worker.phase, worker.waits_since = codes.GATHERING, NEVER
            worker.timer = row.gather_ticks
            if station == 1:
                worker.timer = game.rules.types[game.units[u].kind].own_ticks
            if row.resource == codes.VESPENE:
                game.units[u].alive, game.units[u].inside = False, v


@kernel
def gather(game: Game, u: int, v: int) -> None:
    """One tick at a field; at the end the worker has a load, and the field is free."""
    worker, resource = game.workers[u], game.resources[v]
    worker.timer -= 1.0
    if worker.timer > 0.0:
        return
    me, other = game.units[u], game.units[v]
    row, station = game.rules.types[other.kind], station_of(game, u)
    trip = game.rules.types[me.kind].own_trip if station == 1 else resource.per_trip
    worker.cargo = min(trip, resource.contents)
    worker.carries = row.resource
    resource.contents -= worker.cargo
    resource.free_tick[station] = game.clock[0].tick + game.rules.harvest[0].handover_ticks
    worker.phase = codes.PAUSING if row.pause_ticks > 0.0 else codes.RETURNING
    worker.timer += row.pause_ticks
    worker.field, worker.field_tag, worker.townhall = v, other.tag, codes.NO_UNIT
    come_out(game, u)
    if resource.contents <= 0.0 and row.resource == codes.MINERALS:
        exhaust(game, v, me.owner)
    if me.n_orders > 1:
        finish_order(game, u)  # what is queued behind it comes after one load


@kernel
def exhaust(game: Game, v: int, by: int) -> None:
    """An empty field vanishes, by the hands of a player."""
    me = game.units[v]
    event = game.events[new_event(game, codes.DIED, v)]
    event.other_owner = by
    lift_footprint(game, v)
    me.alive, me.hp, game.clock[0].any_dead = False, 0.0, True
    game.players[me.owner].n_alive -= 1


@kernel
def give_up(game: Game, u: int) -> None:
    """There is nothing to gather any more: a worker brings what it has, then it idles."""
    if game.workers[u].cargo > 0.0:
        game.orders[u, 0].kind = codes.RETURN_CARGO
    else:
        finish_order(game, u)


@kernel
def take_other(game: Game, u: int, x: float, y: float, now: int) -> bool:
    """Turn to the field nearest to a point; in place of one that is taken (`now`), to a free one
    that nobody else comes to."""
    me, order, worker = game.units[u], game.orders[u, 0], game.workers[u]
    station = station_of(game, u)
    resource = codes.MINERALS if now < 0 else game.rules.types[game.units[now].kind].resource
    if now < 0 and worker.carries != codes.NO_RESOURCE:
        resource = worker.carries
    best, best_distance = codes.NO_UNIT, 1e30
    for i in range(game.clock[0].n_living):
        v = game.living[i]
        other = game.units[v]
        if v == now or game.rules.types[other.kind].resource != resource:
            continue
        if length(other.x - me.x, other.y - me.y) > game.rules.harvest[
            0
        ].search_radius or not may_gather(game, u, v):
            continue
        if now >= 0 and (game.resources[v].n_coming > 0 or is_taken(game, v, station)):
            continue
        distance = length(other.x - x, other.y - y)
        if distance > best_distance + NEARLY:
            continue
        if distance > best_distance - NEARLY:
            tags = game.units[v].tag, game.units[best].tag
            if not toss(game.clock[0].seed, me.tag, tags[0], tags[1]):
                continue
        best, best_distance = v, distance
    if best < 0:
        return False
    if now >= 0 and counts_as_coming(game, u, now):
        game.resources[now].n_coming -= 1
    game.resources[best].n_coming += 1
    order.target, order.tag = best, game.units[best].tag
    order.x, order.y = game.units[best].x, game.units[best].y
    worker.phase, worker.waits_since, worker.spot_tag = codes.TO_RESOURCE, NEVER, 0
    me.way_tick = 0
    return True


@kernel
def deliver(game: Game, u: int) -> None:
    """On the way to a townhall: leave the cargo there, and go back."""
    me, worker = game.units[u], game.workers[u]
    if worker.cargo <= 0.0:
        worker.phase = codes.TO_RESOURCE
        if game.orders[u, 0].kind == codes.RETURN_CARGO:
            finish_order(game, u)
        return
    base = base_of(game, u)
    if base < 0 or gap_to_base(game, u, base) > game.rules.harvest[0].drop + NEARLY:
        return
    player, account = game.players[me.owner], game.accounts[me.owner]
    slot = game.clock[0].tick % game.income.shape[2]
    if worker.carries == codes.MINERALS:
        player.minerals += worker.cargo
        account.gathered_minerals += worker.cargo
        game.income[me.owner, 0, slot] += np.int16(worker.cargo)
    else:
        player.vespene += worker.cargo
        account.gathered_vespene += worker.cargo
        game.income[me.owner, 1, slot] += np.int16(worker.cargo)
    worker.cargo, worker.carries, worker.phase = 0.0, codes.NO_RESOURCE, codes.TO_RESOURCE
    worker.spot_tag = 0
    me.speed_x, me.speed_y, me.way_tick = 0.0, 0.0, 0
    if game.orders[u, 0].kind == codes.RETURN_CARGO:
        finish_order(game, u)
        if me.n_orders == 0 and is_unit(game, worker.field, worker.field_tag):
            gather_again(game, u)


@kernel
def gather_again(game: Game, u: int) -> None:
    """After the order to return its cargo a worker goes back to where it gathered."""
    worker, order = game.workers[u], game.orders[u, 0]
    field = game.units[worker.field]
    order.kind, order.ability = codes.GATHER, codes.NO_ABILITY
    order.target, order.tag, order.x, order.y = worker.field, field.tag, field.x, field.y
    game.units[u].n_orders = 1


@kernel
def base_of(game: Game, u: int) -> int:
    """The townhall that a worker brings its cargo to: the nearest when it set out; -1 = there is
    none."""
    worker = game.workers[u]
    if is_unit(game, worker.townhall, worker.townhall_tag):
        base = game.units[worker.townhall]
        if base.owner == game.units[u].owner and takes_cargo(game, worker.townhall):
            return int(worker.townhall)
    worker.townhall, worker.townhall_tag = nearest_base(game, u), 0
    if worker.townhall >= 0:
        worker.townhall_tag = game.units[worker.townhall].tag
    return int(worker.townhall)


@kernel
def takes_cargo(game: Game, v: int) -> bool:
    """Is it a townhall, and finished?"""
    other = game.units[v]
    return game.rules.types[other.kind].townhall and not other.status & codes.UNFINISHED


@kernel
def nearest_base(game: Game, u: int) -> int:
    """The nearest townhall of a worker's player; -1 = there is none."""
    me = game.units[u]
    best, best_distance = codes.NO_UNIT, 1e30
    for i in range(game.clock[0].n_living):
        v = game.living[i]
        other = game.units[v]
        if other.alive and other.owner == me.owner and takes_cargo(game, v):
            distance = length(other.x - me.x, other.y - me.y)
            if distance < best_distance:
                best, best_distance = v, distance
    return best


@kernel
def gap_to_base(game: Game, u: int, base: int) -> float:
    """From a worker to the circle that its townhall's footprint holds. Those of Zerg and Protoss
    have smaller ones, but workers of all races bring the same in recorded games (economy.md, 3)."""
    me, other = game.units[u], game.units[base]
    half = 0.5 * game.rules.footprints[game.rules.types[other.kind].footprint].width
    circle = length(other.x - me.x, other.y - me.y) - half - game.rules.types[me.kind].radius
    return min(edge_distance(game, me, other), max(0.0, circle))


@kernel
def errand_of_harvest(game: Game, u: int) -> tuple[float, float, float]:
    """Where a worker that gathers has to be, and how far it is; 0 = it stays."""
    me, worker, order = game.units[u], game.workers[u], game.orders[u, 0]
    if order.kind == codes.RETURN_CARGO or worker.phase == codes.RETURNING:
        base = base_of(game, u)
        if base < 0:
            return me.x, me.y, 0.0
        gap = gap_to_base(game, u, base) - game.rules.harvest[0].drop
        return game.units[base].x, game.units[base].y, max(0.0, gap)
    if worker.phase != codes.TO_RESOURCE or not is_unit(game, order.target, order.tag):
        return me.x, me.y, 0.0
    if worker.spot_tag != order.tag:
        choose_spot(game, u, order.target)
    return worker.spot_x, worker.spot_y, length(worker.spot_x - me.x, worker.spot_y - me.y)


@kernel
def choose_spot(game: Game, u: int, v: int) -> None:
    """Where a worker will stand to gather: on the shortest way to the field and on to its
    townhall, so that it does not walk around the fields."""
    me, worker, site = game.units[u], game.workers[u], game.sites[v]
    shape, width = game.rules.footprints[site.footprint], game.ground.size[0]
    layer, base = codes.SMALL_WALKER, base_of(game, u)
    island = game.land.island[layer, cell_of(game, me.x, me.y)]
    best = 1e30
    worker.spot_tag = game.units[v].tag
    worker.spot_x, worker.spot_y = game.units[v].x, game.units[v].y
    for cy in range(site.bottom - 1, site.bottom + shape.height + 1):
        for cx in range(site.left - 1, site.left + shape.width + 1):
            cell = cy * width + cx
            if not game.land.walkable[layer, cell] or game.land.island[layer, cell] != island:
                continue
            x = min(max(me.x, float(cx)), cx + 1.0 - EDGE)
            y = min(max(me.y, float(cy)), cy + 1.0 - EDGE)
            cost = length(x - me.x, y - me.y)
            if base >= 0:
                cost += length(x - game.units[base].x, y - game.units[base].y)
            if cost < best - NEARLY:
                best = cost
                worker.spot_x, worker.spot_y = x, y
    distance, away_x, away_y = to_outline(game, v, worker.spot_x, worker.spot_y)
    closer = distance - game.rules.types[me.kind].inner - 0.5 * game.rules.harvest[0].touch
    x, y = worker.spot_x - closer * away_x, worker.spot_y - closer * away_y
    worker.spot_x, worker.spot_y = fitted(game, layer, game.rules.types[me.kind].inner, x, y)
