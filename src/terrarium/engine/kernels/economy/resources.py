"""Resources, workers and producers: who may gather what, and how all of them begin."""

import numpy as np

from terrarium.engine import codes
from terrarium.engine.jit import inline, kernel
from terrarium.engine.state import Game

NEVER = -1
FIRST_LARVA = -1.0
"""A hatchery has one larva as soon as it is finished."""


@inline
def is_harvesting(order: int) -> bool:
    return order == codes.GATHER or order == codes.RETURN_CARGO


@inline
def station_of(game: Game, u: int) -> int:
    """Where a worker gathers at a resource: a MULE beside the others."""
    return 1 if game.rules.types[game.units[u].kind].own_trip > 0.0 else 0


@kernel
def may_gather(game: Game, u: int, v: int) -> bool:
    """Is `v` something that worker `u` can gather from?"""
    me, other = game.units[u], game.units[v]
    if not other.alive or game.resources[v].contents <= 0.0 or other.status & codes.UNFINISHED:
        return False
    resource = game.rules.types[other.kind].resource
    if resource == codes.MINERALS:
        return True
    if resource != codes.VESPENE or game.rules.types[me.kind].own_trip > 0.0:
        return False
    return other.owner == me.owner  # a geyser with a structure of the player on it


@kernel
def clear_economy(game: Game, u: int) -> None:
    """A new unit carries nothing; a new resource is full and nobody is there."""
    worker, resource = game.workers[u], game.resources[u]
    row = game.rules.types[game.units[u].kind]
    worker.phase, worker.timer, worker.cargo = codes.TO_RESOURCE, 0.0, 0.0
    worker.carries, worker.waits_since = codes.NO_RESOURCE, NEVER
    worker.townhall, worker.townhall_tag = codes.NO_UNIT, 0
    worker.held_up, worker.slips_until = 0, 0
    worker.field, worker.field_tag = codes.NO_UNIT, 0
    worker.spot_tag, worker.spot_x, worker.spot_y = 0, 0.0, 0.0
    resource.contents, resource.per_trip, resource.n_coming = row.contents, row.per_trip, 0
    resource.geyser, resource.geyser_tag = codes.NO_UNIT, 0
    for station in range(resource.worker.shape[0]):
        resource.worker[station], resource.worker_tag[station] = codes.NO_UNIT, 0
        resource.free_tick[station], resource.bidder[station] = 0, codes.NO_UNIT
        resource.bid[station] = np.uint64(0)
    clear_production(game, u)


@kernel
def hold_workers_back(game: Game) -> None:
    """The workers of a new game set out a little later than it begins."""
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        if game.rules.types[game.units[u].kind].worker:
            game.workers[u].phase = codes.PAUSING
            game.workers[u].timer = game.rules.harvest[0].first_ticks


@kernel
def begin_harvest(game: Game, u: int, v: int, tag: int) -> None:
    """A new order to gather goes on with what the worker does there already."""
    worker, order = game.workers[u], game.orders[u, 0]
    goes_on = order.kind == codes.GATHER and order.target == v and order.tag == tag
    if not goes_on or worker.phase == codes.RETURNING:
        worker.phase, worker.waits_since, worker.townhall = codes.TO_RESOURCE, NEVER, codes.NO_UNIT
        worker.spot_tag = 0


@kernel
def stop_work(game: Game, u: int) -> None:
    """Another order: if the worker comes back to its field, it begins there anew."""
    worker = game.workers[u]
    if worker.phase != codes.RETURNING:
        worker.phase = codes.TO_RESOURCE
    worker.waits_since, worker.spot_tag = NEVER, 0
    worker.held_up, worker.slips_until = 0, 0


@kernel
def clear_production(game: Game, u: int) -> None:
    """A new structure is finished, makes nothing, and its units stay where they appear."""
    producer = game.producers[u]
    producer.made_as, producer.progress, producer.left = codes.NO_PRODUCT, 1.0, 0.0
    producer.builder, producer.builder_tag = codes.NO_UNIT, 0
    producer.n_items, producer.patch = 0, codes.NO_UNIT
    for k in range(producer.rally.shape[0]):
        producer.rally[k], producer.rally_x[k], producer.rally_y[k] = codes.NO_RALLY, 0.0, 0.0
        producer.rally_target[k], producer.rally_tag[k] = codes.NO_UNIT, 0
    producer.total, producer.cooldown, producer.keeps_form = 0.0, 0.0, False
    producer.seeks, producer.spent, producer.dig_timer = codes.NO_PRODUCT, False, 0.0
    producer.stocked, producer.n_aboard, producer.n_out = False, 0, 0
    producer.n_larvae, producer.larva_timer = 0, FIRST_LARVA
    producer.n_injects, producer.inject_timer = 0, 0.0
    producer.brood, producer.brood_timer = 0, 0.0


@kernel
def come_out(game: Game, u: int) -> None:
    """A worker leaves the structure on a geyser where it went in."""
    me = game.units[u]
    if not me.alive:
        me.alive, me.inside = True, codes.NO_UNIT
        me.way_tick, me.stalled = 0, 0
