"""Morphing: units that become others for a price, as eggs, in cocoons, or as they are."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.morphs import become
from terrarium.engine.kernels.abilities.stats import refresh
from terrarium.engine.kernels.economy.payment import (
    can_pay,
    meets_requirements,
    pay_for,
    refund,
)
from terrarium.engine.kernels.economy.rally import send_off
from terrarium.engine.kernels.economy.work import note_product, work_rate
from terrarium.engine.kernels.orders.orders import go_to_point
from terrarium.engine.kernels.random import COCOON, uniform
from terrarium.engine.kernels.setup.births import spawn
from terrarium.engine.kernels.setup.placing import take_out
from terrarium.engine.state import Game, is_unit


@kernel
def may_morph(game: Game, u: int, p: int) -> int:
    """Would an order to become something else be accepted? One of codes.RESULT_NAMES."""
    me, product = game.units[u], game.rules.products[p]
    if product.by != me.kind or me.status & codes.UNFINISHED or me.hp <= 0.0:
        return codes.NOT_SUPPORTED
    if game.producers[u].n_items > 0 or game.skills[u].morph >= 0:
        busy = game.rules.types[me.kind].structure  # sc2api.md, 11
        return codes.NOT_SUPPORTED if busy else codes.CANT_QUEUE_THAT_ORDER
    if me.status & codes.HALTED or game.skills[u].load > 0:
        return codes.NOT_SUPPORTED
    answer = meets_requirements(game, me.owner, p)
    return can_pay(game, me.owner, p) if answer == codes.SUCCESS else answer


@kernel
def morph_into(game: Game, u: int, p: int) -> int:
    """Begin to become something else, and pay for it."""
    answer = may_morph(game, u, p)
    if answer != codes.SUCCESS:
        return answer
    me, product, item = game.units[u], game.rules.products[p], game.items[u, 0]
    pay_for(game, me.owner, p)
    game.accounts[me.owner].supply_used += product.supply
    item.product, item.begun = p, True
    item.left = product.via_ticks + delay_of(game, u, p)
    game.producers[u].n_items = 1
    if not game.rules.types[me.kind].structure:
        go_to_point(game, u, codes.STOP, 0.0, 0.0, False)
    refresh(game, u)
    note_product(game, codes.STARTED, u, p)
    take_cover(game, u)
    return codes.SUCCESS


@kernel
def delay_of(game: Game, u: int, p: int) -> float:
    """How long it takes until a unit is in its cocoon."""
    product, clock = game.rules.products[p], game.clock[0]
    draw = uniform(clock.seed, clock.tick, game.units[u].tag, COCOON)
    return float(product.via_low + int(draw * (product.via_high - product.via_low + 1)))


@kernel
def take_cover(game: Game, u: int) -> None:
    """Become an egg or a cocoon when it is time."""
    item = game.items[u, 0]
    product = game.rules.products[item.product]
    if product.via >= 0 and game.units[u].kind == product.by and item.left <= product.via_ticks:
        become(game, u, product.via)


@kernel
def run_morph(game: Game, u: int) -> None:
    """One tick of a unit that becomes something else."""
    item = game.items[u, 0]
    item.left -= work_rate(game, u)
    if item.left > 0.0:
        take_cover(game, u)
        return
    p = item.product
    game.producers[u].n_items = 0
    if game.rules.products[p].how == codes.HOW_LARVA:
        hatch(game, u, p)
    else:
        become(game, u, game.rules.products[p].makes)
        # Who takes back a form that came by itself means it.
        game.producers[u].keeps_form = game.rules.types[game.units[u].kind].becomes_itself >= 0
        send_off(game, u, u)
        note_product(game, codes.FINISHED, u, p)


@kernel
def hatch(game: Game, u: int, p: int) -> None:
    """Units come out of an egg, and go where it or its hatchery sends them."""
    me, product = game.units[u], game.rules.products[p]
    x, y, hall = me.x, me.y, u
    if game.producers[u].rally[codes.OF_UNITS] == codes.NO_RALLY:
        hall = game.skills[u].maker
        if not is_unit(game, hall, game.skills[u].maker_tag):
            hall = u
    note_product(game, codes.FINISHED, u, p)
    take_out(game, u)
    for _ in range(product.count):
        v = spawn(game, product.makes, me.owner, x, y, False)
        if v >= 0:
            send_off(game, hall, v)


@kernel
def cancel_morph(game: Game, u: int) -> int:
    """Stay what one was: a larva comes back out of its egg."""
    p = game.items[u, 0].product
    product = game.rules.products[p]
    game.producers[u].n_items = 0
    refund(game, game.units[u].owner, p, product.refund)
    if game.units[u].kind != product.by:
        become(game, u, product.by)
    refresh(game, u)
    note_product(game, codes.CANCELLED, u, p)
    return codes.SUCCESS
