"""Construction: structures are begun, grow, and are finished or cancelled (game_rules.md, 9)."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.morphs import become
from terrarium.engine.kernels.abilities.stats import refresh
from terrarium.engine.kernels.combat.weapons import add_shot
from terrarium.engine.kernels.construction.addons import fitting_addon, is_busy, producer_of
from terrarium.engine.kernels.construction.placement import geyser_under, may_stand
from terrarium.engine.kernels.construction.sites import (
    BESIDE,
    TOUCH,
    gap_to_footprint,
    gap_to_site,
    has_builder,
    is_building,
    may_construct,
)
from terrarium.engine.kernels.economy.payment import energy_price, refund
from terrarium.engine.kernels.economy.production import cancel_last
from terrarium.engine.kernels.economy.resources import may_gather
from terrarium.engine.kernels.economy.score import count_cancelled
from terrarium.engine.kernels.economy.work import build_rate
from terrarium.engine.kernels.events import new_event
from terrarium.engine.kernels.geometry import length
from terrarium.engine.kernels.movement.footprints import cover_geyser
from terrarium.engine.kernels.movement.movement import STUCK_TICKS
from terrarium.engine.kernels.orders.orders import current_order, finish_order, order_on_unit
from terrarium.engine.kernels.setup.births import spawn
from terrarium.engine.kernels.setup.placing import settle_on_grid, take_out
from terrarium.engine.scratch import N_SHOTS
from terrarium.engine.state import Game, is_unit

FIRST_SHARE = 0.1
"""Of the life and the shields that a structure begins with."""
CANCELLED_SHARE = 0.75
"""Of its cost that comes back."""
BURNING_SHARE = 1.0 / 3.0
"""Terran structures with less of their life burn (game_rules.md, 7)."""
BURNT_A_TICK = 1.0 / 5.33
PATIENCE_TICKS = 112
"""Without getting on a worker gives up."""
SLIP_AFTER_TICKS = 16
"""Without getting on a worker passes through friends: two who meet in a gap of one cell."""
SLIP_TICKS = 24
"""So long: more than the length of two of them takes."""
SLOW_SHARE = 0.3
"""Of its pace: it does not get on."""
NEARLY_ALL = 1e-6
"""Life that rounding alone keeps from a structure that nobody has hurt."""


@kernel
def construct(game: Game) -> None:
    """One tick of all sites, and of the workers that are to begin or to go on with one."""
    for i in range(game.clock[0].n_living):
        v = game.living[i]
        if game.rules.types[game.units[v].kind].structure and game.units[v].alive:
            keep_up(game, v)
    game.scratch.counts[N_SHOTS] = 0
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        if game.units[u].alive and is_building(current_order(game, u)):
            if is_due(game, u):
                add_shot(game, u)
    # Two who want the same ground at once draw lots.
    for k in range(game.scratch.counts[N_SHOTS]):
        begin_site(game, game.scratch.shots[k].unit)


@kernel
def keep_up(game: Game, v: int) -> None:
    """One tick of a structure: it is built, or burns; add-ons come to their producers."""
    me = game.units[v]
    takes = game.rules.structures[me.kind]
    if takes.alone >= 0:
        join_producer(game, v)
    if me.status & codes.UNFINISHED:
        advance_site(game, v)
    elif takes.burns and me.hp < BURNING_SHARE * me.hp_max:
        me.hp -= BURNT_A_TICK


@kernel
def join_producer(game: Game, v: int) -> None:
    """An add-on is of the type that its producer needs, or of none; one that is not finished does
    not outlive its producer."""
    me = game.units[v]
    kind = fitting_addon(game, v)
    if me.status & codes.UNFINISHED:
        if producer_of(game, v) < 0:
            me.hp = 0.0
    elif kind != me.kind:
        while game.producers[v].n_items > 0:
            cancel_last(game, v)
        become(game, v, kind)


@kernel
def is_due(game: Game, u: int) -> bool:
    """Look after a worker with an order to build; does it begin its structure now?"""
    order = game.orders[u, 0]
    if order.kind == codes.CONSTRUCT:
        take_work(game, u)
        return False
    product = game.rules.products[order.ability]
    if product.how == codes.HOW_ADDON:
        return game.skills[u].morph < 0  # else it is still landing
    footprint = game.rules.types[product.makes].footprint
    if gap_to_footprint(game, u, footprint, order.x, order.y) <= TOUCH:
        return True
    if is_held_up(game, u):
        fail_build(game, u, codes.COULDNT_REACH_TARGET)
    return False


@kernel
def is_held_up(game: Game, u: int) -> bool:
    """Count the ticks in which a worker does not get on; are they too many?"""
    me, worker = game.units[u], game.workers[u]
    # Who stands before a friend keeps the pace that it has gained, and does not get on either.
    is_slow = length(me.speed_x, me.speed_y) < SLOW_SHARE * me.max_speed
    if is_slow or me.stalled > STUCK_TICKS:
        worker.held_up += 1
    else:
        worker.held_up = max(0, worker.held_up - 2)
    if worker.held_up > SLIP_AFTER_TICKS:
        worker.slips_until = game.clock[0].tick + SLIP_TICKS
    return worker.held_up > PATIENCE_TICKS


@kernel
def take_work(game: Game, u: int) -> None:
    """A worker that has arrived at the site it was sent to becomes its builder."""
    order = game.orders[u, 0]
    v = order.target
    if not is_unit(game, v, order.tag) or not may_construct(game, u, v):
        finish_order(game, u)
    elif not has_builder(game, v) and gap_to_site(game, u, v) <= TOUCH:
        game.producers[v].builder, game.producers[v].builder_tag = u, game.units[u].tag
        game.workers[u].held_up = 0
    elif not has_builder(game, v) and is_held_up(game, u):
        note_build(game, codes.FAILED, u, game.producers[v].made_as)
        finish_order(game, u)


@kernel
def note_build(game: Game, kind: int, u: int, p: int) -> int:
    """An event about a product; its row."""
    k = new_event(game, kind, u)
    game.events[k].amount = float(p)
    return k


@kernel
def fail_build(game: Game, u: int, why: int) -> None:
    """An order to build comes to nothing after it had been accepted: its price comes back."""
    p = game.orders[u, 0].ability
    game.events[note_build(game, codes.FAILED, u, p)].result = why
    game.skills[u].error = why
    game.workers[u].held_up = 0
    refund(game, game.units[u].owner, p, 1.0)
    finish_order(game, u)


@kernel
def begin_site(game: Game, u: int) -> None:
    """A worker is where its structure is to stand: begin it, if the ground is free now."""
    me, order = game.units[u], game.orders[u, 0]
    x, y, product = order.x, order.y, game.rules.products[order.ability]
    ready = product.by == me.kind and not (product.how == codes.HOW_ADDON and is_busy(game, u))
    if me.energy < energy_price(game, me.owner, product.energy):
        fail_build(game, u, codes.NOT_ENOUGH_ENERGY)
        return
    if not ready or may_stand(game, me.owner, product.makes, x, y, False) != codes.SUCCESS:
        fail_build(game, u, codes.CANT_BUILD_LOCATION_INVALID)
        return
    v = put_site(game, fitting_product(game, order.ability, x, y), me.owner, x, y)
    game.workers[u].held_up = 0
    if v < 0:
        fail_build(game, u, codes.ERROR)
        return
    me.energy = max(0.0, me.energy - energy_price(game, me.owner, product.energy))
    if product.builder == codes.STAYS:
        game.producers[v].builder, game.producers[v].builder_tag = u, me.tag
        order.kind, order.target, order.tag = codes.CONSTRUCT, v, game.units[v].tag
        order.ability = codes.NO_ABILITY
    elif product.builder == codes.BECOMES_IT:
        order.kind = codes.CONSTRUCT  # what it has cost is not given back
        take_out(game, u)
    else:
        finish_order(game, u)


@kernel
def fitting_product(game: Game, p: int, x: float, y: float) -> int:
    """On a rich geyser stands a type of its own."""
    product = game.rules.products[p]
    if game.rules.types[product.makes].resource != codes.VESPENE:
        return p
    per_trip = game.resources[geyser_under(game, x, y)].per_trip
    for k in range(game.rules.products.shape[0]):
        other = game.rules.products[k]
        if other.by == product.by and other.how == product.how:
            if game.rules.types[other.makes].per_trip == per_trip:
                return k
    return p


@kernel
def put_site(game: Game, p: int, owner: int, x: float, y: float) -> int:
    """A structure that nobody has built yet, on free ground; its slot, -1 if none is left."""
    kind = game.rules.products[p].makes
    v = spawn(game, kind, owner, x, y, False)
    if v < 0:
        return v
    other, producer = game.units[v], game.producers[v]
    producer.made_as, producer.progress = p, 0.0
    producer.left = game.rules.products[p].ticks
    refresh(game, v)
    other.hp *= FIRST_SHARE
    other.shield *= FIRST_SHARE
    settle_on_grid(game, v, x, y)
    if game.rules.types[kind].resource == codes.VESPENE:
        cover_geyser(game, v, geyser_under(game, x, y))
    note_build(game, codes.STARTED, v, p)
    return v


@kernel
def is_worked_on(game: Game, v: int) -> bool:
    """Is the builder there, where one is needed?"""
    producer = game.producers[v]
    if game.rules.products[producer.made_as].builder != codes.STAYS:
        return True
    return has_builder(game, v) and gap_to_site(game, producer.builder, v) <= BESIDE


@kernel
def advance_site(game: Game, v: int) -> None:
    """One tick of a site: life and shields grow evenly, and what was lost stays lost."""
    me, producer = game.units[v], game.producers[v]
    if me.hp <= 0.0 or not is_worked_on(game, v):
        return
    ticks = max(1.0, game.rules.products[producer.made_as].ticks)
    shields = game.rules.types[me.kind].shields
    rate = build_rate(game, me.owner)
    share = min(rate, producer.left) * (1.0 - FIRST_SHARE) / ticks
    producer.left -= rate
    me.hp = min(me.hp_max, me.hp + share * me.hp_max)
    me.shield = min(shields, me.shield + share * shields)
    if producer.left > 0.0:
        producer.progress = 1.0 - producer.left / ticks
        return
    if me.hp_max - me.hp < NEARLY_ALL:
        me.hp = me.hp_max
    if shields - me.shield < NEARLY_ALL:
        me.shield = shields
    finish_site(game, v)


@kernel
def finish_site(game: Game, v: int) -> None:
    """A structure is finished, and its builder is free; at a refinery it begins to gather."""
    producer = game.producers[v]
    busy = has_builder(game, v)
    producer.progress, producer.left = 1.0, 0.0
    refresh(game, v)
    note_build(game, codes.FINISHED, v, producer.made_as)
    if busy:
        u = producer.builder
        finish_order(game, u)
        if game.units[u].n_orders == 0 and may_gather(game, u, v):
            order_on_unit(game, u, codes.GATHER, v, False)
    producer.builder, producer.builder_tag = codes.NO_UNIT, 0


@kernel
def cancel_site(game: Game, v: int) -> int:
    """Give up a structure that is not finished: three quarters of its cost come back, and so does
    the drone."""
    me, p = game.units[v], game.producers[v].made_as
    x, y = me.x, me.y
    owner, product = me.owner, game.rules.products[p]
    player = game.players[owner]
    minerals, vespene = player.minerals, player.vespene
    refund(game, owner, p, CANCELLED_SHARE)
    count_cancelled(game, v, player.minerals - minerals, player.vespene - vespene)
    note_build(game, codes.CANCELLED, v, p)
    new_event(game, codes.DIED, v)
    take_out(game, v)
    if product.builder == codes.BECOMES_IT:
        spawn(game, product.by, owner, x, y, False)
    return codes.SUCCESS
