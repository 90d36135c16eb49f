"""What players ask before they command: would it be accepted, and what is on offer? Nothing changes
by asking."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrarium.engine import codes
from terrarium.engine.battle import COMMAND
from terrarium.engine.jit import entry, kernel
from terrarium.engine.kernels.construction.addons import addon_of, builds_addon, is_busy
from terrarium.engine.kernels.economy.merging import may_seek
from terrarium.engine.kernels.economy.morphing import may_morph
from terrarium.engine.kernels.economy.payment import can_pay, energy_price, meets_requirements
from terrarium.engine.kernels.economy.production import is_researched, may_produce
from terrarium.engine.kernels.economy.warping import may_warp_in
from terrarium.engine.kernels.economy.work import changes_form
from terrarium.engine.kernels.ground.tumors import may_plant
from terrarium.engine.kernels.orders.commands import (
    is_for_producer,
    may_cancel,
    may_control,
    may_switch,
)
from terrarium.engine.kernels.orders.landing import may_land_and_add, moves_for_addon
from terrarium.engine.kernels.orders.orders import FURTHEST, judge_order
from terrarium.engine.kernels.orders.permission import (
    can_afford_use,
    has_ability,
    is_withheld,
    makes_sense,
)
from terrarium.engine.records import Records
from terrarium.engine.state import Game, has_economy


class Asked(NamedTuple):
    """Commands that are not given, and what would become of each."""

    commands: Annotated[Records, COMMAND, "K"]  # their `result` is written
    orders: Annotated[NDArray[np.int64], "i8", "K"]  # which order it would be; 0 = none or refused


@entry
def ask_commands(game: Game, asked: Asked) -> None:
    """Would these commands be accepted now, each by itself?"""
    for k in range(asked.commands.shape[0]):
        command = asked.commands[k]
        asked.orders[k] = codes.NO_ORDER
        command.result = may_control(game, command)
        if command.result != codes.SUCCESS:
            continue
        if is_order(game, command):
            kind = judge_order(game, command.unit, command)
            command.result = codes.SUCCESS if kind > 0 else -kind
            asked.orders[k] = max(kind, codes.NO_ORDER)
        else:
            command.result = would_do(game, command)


@kernel
def is_order(game: Game, command: Records) -> bool:
    """Is it about the queue of orders of a unit?"""
    if command.kind == codes.SWITCH_AUTOCAST:
        return False
    if not has_economy(game):
        return True
    return not moves_for_addon(game, command.unit, command) and not is_for_producer(game, command)


@kernel
def would_do(game: Game, command: Records) -> int:
    """Would a command be accepted that is no order of the unit's queue?"""
    u, v = command.unit, command.target
    if command.kind == codes.SWITCH_AUTOCAST:
        return may_switch(game, u, command.ability)
    if command.kind == codes.BUILD:
        return may_land_and_add(game, u, command)
    if command.kind == codes.PRODUCE:
        return may_make(game, u, command)
    if command.kind == codes.CANCEL_LAST:
        return may_cancel(game, u, command.ability)
    if not (abs(command.x) < FURTHEST and abs(command.y) < FURTHEST):
        return codes.ERROR
    if v >= 0 and not (v < game.clock[0].n_slots and game.units[v].alive):
        return codes.CANT_TARGET_THAT_UNIT
    return may_rally(game, u, command.kind)


@kernel
def may_rally(game: Game, u: int, kind: int) -> int:
    """Has a unit a rally point, or one of its workers?"""
    row = game.rules.types[game.units[u].kind]
    if kind == codes.RALLY_WORKERS:
        return codes.SUCCESS if row.townhall else codes.NOT_SUPPORTED
    return codes.SUCCESS if row.structure or changes_form(game, u) else codes.NOT_SUPPORTED


@kernel
def may_make(game: Game, u: int, command: Records) -> int:
    """Would a product be begun in the way in which it is made?"""
    p, x, y = command.ability, command.x, command.y
    if not 0 <= p < game.rules.products.shape[0]:
        return codes.NOT_SUPPORTED
    how = game.rules.products[p].how
    if how == codes.HOW_MORPH or how == codes.HOW_LARVA:
        return may_morph(game, u, p)
    if not (abs(x) < FURTHEST and abs(y) < FURTHEST):
        return codes.ERROR
    if how == codes.HOW_WARP_IN:
        return may_warp_in(game, u, p, x, y)
    if how == codes.HOW_MERGE:
        return may_seek(game, u, p, command.target)
    if how == codes.HOW_BUILD and game.rules.products[p].builder < 0:
        return may_plant(game, u, p, x, y)
    return may_produce(game, u, p)


@entry
def ask_offers(game: Game, asked: Asked, free: bool) -> None:
    """Which of these does the unit's command card offer now, whatever it is aimed at? `free`:
    resources, supply, life, energy and cooldowns do not count."""
    for k in range(asked.commands.shape[0]):
        command = asked.commands[k]
        answer = may_control(game, command)
        offered = answer == codes.SUCCESS and is_offered(game, command.unit, command, free)
        command.result = codes.SUCCESS if offered else codes.NOT_SUPPORTED


@kernel
def is_offered(game: Game, u: int, command: Records, free: bool) -> bool:
    me, kind, row = game.units[u], command.kind, command.ability
    if kind == codes.CANCEL_LAST:
        return has_economy(game) and may_cancel(game, u, row) == codes.SUCCESS
    if me.status & codes.UNFINISHED:
        return False
    if kind == codes.CAST:
        return offers_ability(game, u, row, free)
    if kind == codes.BUILD or kind == codes.PRODUCE:
        return has_economy(game) and offers_product(game, u, row, free)
    if kind == codes.MOVE or kind == codes.ATTACK_MOVE or kind == codes.PATROL:
        return game.rules.types[me.kind].mobile
    if kind == codes.ATTACK:
        return game.rules.types[me.kind].mobile or game.rules.types[me.kind].n_weapons > 0
    if kind == codes.SMART:
        return game.rules.types[me.kind].mobile or game.rules.types[me.kind].structure
    if kind == codes.RETURN_CARGO:
        return has_economy(game) and game.workers[u].cargo > 0.0
    if kind == codes.RALLY or kind == codes.RALLY_WORKERS:
        return has_economy(game) and may_rally(game, u, kind) == codes.SUCCESS
    return True


@kernel
def offers_ability(game: Game, u: int, ability: int, free: bool) -> bool:
    """Has a unit an ability, with something to begin or to end?"""
    if has_ability(game, u, ability) != codes.SUCCESS or is_withheld(game, u, ability):
        return False
    if game.players[game.units[u].owner].nukes < game.rules.abilities[ability].nukes:
        return False
    if not free and can_afford_use(game, u, ability) != codes.SUCCESS:
        return False
    return makes_sense(game, u, ability) == codes.SUCCESS


@kernel
def offers_product(game: Game, u: int, p: int, free: bool) -> bool:
    """Can a unit make something, if there is a place for it?"""
    me, product = game.units[u], game.rules.products[p]
    if me.status & (codes.HALTED | codes.SILENCED) or game.skills[u].morph >= 0:
        return False
    if meets_requirements(game, me.owner, p) != codes.SUCCESS:
        return False
    if not free and not can_make_now(game, u, p):
        return False
    if product.attached != 0:
        v = addon_of(game, u)
        if v < 0 or game.rules.types[game.units[v].kind].fulfils & product.attached == 0:
            return False
        if game.units[v].status & codes.UNFINISHED:
            return False
    n_items = game.producers[u].n_items
    if product.how == codes.HOW_ADDON:
        return game.rules.types[me.kind].flying or (not is_busy(game, u) and addon_of(game, u) < 0)
    if product.how == codes.HOW_RESEARCH:
        return n_items == 0 and not is_researched(game, me.owner, p)
    if product.how == codes.HOW_TRAIN:
        return not changes_form(game, u) and not builds_addon(game, u)
    if product.how == codes.HOW_MORPH or product.how == codes.HOW_LARVA:
        return n_items == 0
    spreads = product.makes >= 0 and game.rules.types[product.makes].settles_as == me.kind
    return not (spreads and game.producers[u].spent)


@kernel
def can_make_now(game: Game, u: int, p: int) -> bool:
    """Is there what a product takes, and has a warp gate or a tumor waited for long enough?"""
    product = game.rules.products[p]
    if can_pay(game, game.units[u].owner, p) != codes.SUCCESS:
        return False
    if game.units[u].energy < energy_price(game, game.units[u].owner, product.energy):
        return False
    waits = product.how == codes.HOW_WARP_IN
    waits = waits or (product.how == codes.HOW_BUILD and product.builder < 0)
    return not waits or game.producers[u].cooldown <= 0.0
