"""Production: queues of structures, what they cost and require, supply, and where units appear."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.stats import research
from terrarium.engine.kernels.construction.addons import builds_addon, finished_addon, has_reactor
from terrarium.engine.kernels.economy.hangars import MOST_ABOARD, add_interceptor
from terrarium.engine.kernels.economy.morphing import run_morph
from terrarium.engine.kernels.economy.payment import (
    can_pay,
    meets_requirements,
    pay_for,
    refund,
)
from terrarium.engine.kernels.economy.rally import exit_of, send_off
from terrarium.engine.kernels.economy.work import changes_form, note_product, work_rate
from terrarium.engine.kernels.setup.births import spawn
from terrarium.engine.state import Game

MOST_SUPPLY = 200.0
QUEUE_DEPTH = 5
"""without a reactor"""


@kernel
def keep_accounts(game: Game) -> None:
    """Supply of all players, and which needs of products they fulfil."""
    for owner in range(game.accounts.shape[0]):
        account = game.accounts[owner]
        account.supply_used = account.supply_cap = 0.0
        account.fulfilled = 0
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me = game.units[u]
        if (not me.alive and me.inside < 0) or me.status & codes.HALLUCINATED:
            continue
        row, account = game.rules.types[me.kind], game.accounts[me.owner]
        account.supply_used += row.supply_used
        if me.status & codes.UNFINISHED:
            continue
        given = row.supply_given
        if me.status & codes.BUFFED:
            given += dropped_supply(game, u)
        account.supply_cap = min(MOST_SUPPLY, account.supply_cap + given)
        account.fulfilled |= row.fulfils
        for k in range(game.producers[u].n_items):
            if game.items[u, k].begun:
                account.supply_used += game.rules.products[game.items[u, k].product].supply


@kernel
def dropped_supply(game: Game, u: int) -> float:
    """What the buffs of a depot add to the supply that it gives."""
    supply = 0.0
    for b in range(game.buffs.shape[1]):
        if game.buffs[u, b].row >= 0:
            supply += game.rules.buffs[game.buffs[u, b].row].supply
    return supply


@kernel
def may_produce(game: Game, u: int, p: int) -> int:
    """Would an order to put a product into a queue be accepted? One of codes.RESULT_NAMES."""
    me, producer = game.units[u], game.producers[u]
    if not 0 <= p < game.rules.products.shape[0] or game.rules.products[p].by != me.kind:
        return codes.NOT_SUPPORTED
    product = game.rules.products[p]
    if product.how != codes.HOW_TRAIN and product.how != codes.HOW_RESEARCH:
        return codes.NOT_SUPPORTED
    if me.status & (codes.UNFINISHED | codes.HALTED):
        return codes.NOT_SUPPORTED
    if game.skills[u].morph >= 0 or builds_addon(game, u):
        return codes.NOT_SUPPORTED
    if product.upgrade >= 0 and is_researched(game, me.owner, p):
        return codes.NOT_SUPPORTED
    answer = meets_requirements(game, me.owner, p)
    if answer != codes.SUCCESS:
        return answer
    if product.attached != 0:
        v = finished_addon(game, u)
        if v < 0 or game.rules.types[game.units[v].kind].fulfils & product.attached == 0:
            return codes.TECH_REQUIREMENTS_NOT_MET
    depth = game.items.shape[1] if has_reactor(game, u) else QUEUE_DEPTH
    if producer.n_items >= depth:
        return codes.QUEUE_IS_FULL
    if changes_form(game, u):
        return codes.CANT_QUEUE_THAT_ORDER
    if game.rules.types[me.kind].hangar == p:
        if producer.n_aboard + producer.n_out + producer.n_items >= MOST_ABOARD:
            return codes.QUEUE_IS_FULL
    if product.makes >= 0 and game.rules.types[product.makes].stored:
        if not has_store(game, u):
            return codes.QUEUE_IS_FULL
    return can_pay(game, me.owner, p)


@kernel
def has_store(game: Game, u: int) -> bool:
    """Is there room for one more of what is kept: one for each structure that makes it?"""
    owner, producer = game.units[u].owner, game.producers[u]
    n_free = -game.players[owner].nukes
    for i in range(game.clock[0].n_living):
        v = game.living[i]
        other = game.units[v]
        if other.alive and other.owner == owner and game.rules.types[other.kind].stores:
            if not other.status & codes.UNFINISHED and game.producers[v].n_items == 0:
                n_free += 1
    return producer.n_items == 0 and n_free > 0


@kernel
def is_researched(game: Game, owner: int, p: int) -> bool:
    """Does a player have an upgrade, or is it being researched?"""
    upgrade = game.rules.products[p].upgrade
    row, player = game.rules.upgrades[upgrade], game.players[owner]
    if (row.tech and player.techs & row.tech) or (
        not row.tech and player.levels[row.family] >= row.level
    ):
        return True
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        if game.units[u].alive and game.units[u].owner == owner:
            for k in range(game.producers[u].n_items):
                if game.rules.products[game.items[u, k].product].upgrade == upgrade:
                    return True
    return False


@kernel
def produce(game: Game, u: int, p: int) -> int:
    """Put a product at the end of a queue, and pay for it."""
    answer = may_produce(game, u, p)
    if answer != codes.SUCCESS:
        return answer
    product, producer = game.rules.products[p], game.producers[u]
    pay_for(game, game.units[u].owner, p)
    item = game.items[u, producer.n_items]
    item.product, item.begun, item.left = p, False, product.ticks
    producer.n_items += 1
    return codes.SUCCESS


@kernel
def cancel_last(game: Game, u: int) -> int:
    """Take the last product out of the queue: all of its cost comes back."""
    producer = game.producers[u]
    if producer.n_items == 0:
        return codes.NOT_SUPPORTED
    producer.n_items -= 1
    p = game.items[u, producer.n_items].product
    refund(game, game.units[u].owner, p, 1.0)
    note_product(game, codes.CANCELLED, u, p)
    return codes.SUCCESS


@kernel
def run_production(game: Game) -> None:
    """One tick of all queues."""
    keep_accounts(game)
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        if game.producers[u].n_items == 0 or not game.units[u].alive:
            continue
        if game.units[u].status & codes.HALTED:
            continue
        if changes_form(game, u):
            run_morph(game, u)
        else:
            run_queue(game, u)


@kernel
def run_queue(game: Game, u: int) -> None:
    """One tick of what a structure makes: one product at a time, two with a reactor.

    The next one gets its first tick in that in which the one before it ends (economy.md, 7).
    """
    producer, n_lines = game.producers[u], 2 if has_reactor(game, u) else 1
    work = work_rate(game, u)
    k = 0
    while k < min(n_lines, producer.n_items):
        item = game.items[u, k]
        if not item.begun and not begin_item(game, u, k):
            return  # waits for supply, and so do those behind it
        item.left -= work
        if item.left <= 0.0:
            p = item.product
            remove_item(game, u, k)
            finish(game, u, p)
        else:
            k += 1


@kernel
def begin_item(game: Game, u: int, k: int) -> bool:
    """Take the supply of a product whose turn it is, if there is any."""
    item, account = game.items[u, k], game.accounts[game.units[u].owner]
    product = game.rules.products[item.product]
    if product.supply > 0.0 and account.supply_used + product.supply > account.supply_cap:
        if not game.players[game.units[u].owner].cheats & codes.NEEDS_NO_SUPPLY:
            return False
    account.supply_used += product.supply
    item.begun = True
    note_product(game, codes.STARTED, u, item.product)
    return True


@kernel
def remove_item(game: Game, u: int, k: int) -> None:
    producer = game.producers[u]
    for j in range(k + 1, producer.n_items):
        before, after = game.items[u, j - 1], game.items[u, j]
        before.product, before.begun, before.left = after.product, after.begun, after.left
    producer.n_items -= 1


@kernel
def finish(game: Game, u: int, p: int) -> None:
    """A product is done: units appear beside their producer, an upgrade counts from now on."""
    product, me = game.rules.products[p], game.units[u]
    note_product(game, codes.FINISHED, u, p)
    if product.upgrade >= 0:
        research(game, me.owner, product.upgrade)
        return
    if game.rules.types[product.makes].stored:
        game.players[me.owner].nukes += 1
        return
    if game.rules.types[me.kind].hangar == p:
        add_interceptor(game, u, p)
        return
    for _ in range(product.count):
        x, y = exit_of(game, u, product.makes)
        v = spawn(game, product.makes, me.owner, x, y, False)
        if v >= 0:
            send_off(game, u, v)
