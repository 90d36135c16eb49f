"""Commands: what players say, carried out one after the other, each with an answer."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.construction.addons import addon_of
from terrarium.engine.kernels.construction.construction import cancel_site
from terrarium.engine.kernels.economy.merging import seek_merger
from terrarium.engine.kernels.economy.morphing import cancel_morph, morph_into
from terrarium.engine.kernels.economy.production import cancel_last, produce
from terrarium.engine.kernels.economy.rally import set_rally, set_worker_rally
from terrarium.engine.kernels.economy.warping import cancel_warp_in, warp_in
from terrarium.engine.kernels.economy.work import changes_form
from terrarium.engine.kernels.events import note_order
from terrarium.engine.kernels.ground.tumors import plant
from terrarium.engine.kernels.orders.landing import land_and_add, moves_for_addon
from terrarium.engine.kernels.orders.orders import FURTHEST, give_order
from terrarium.engine.kernels.orders.permission import has_ability, kit_slot
from terrarium.engine.records import Records
from terrarium.engine.state import Game, has_economy


@kernel
def obey_commands(game: Game) -> None:
    """Carry out the waiting commands in their order, and answer each."""
    inbox = game.inbox[0]
    for k in range(inbox.n_commands):
        command = game.commands[k]
        command.result = obey(game, command)
        if command.result != codes.SUCCESS:
            u = command.unit if 0 <= command.unit < game.clock[0].n_slots else codes.NO_UNIT
            note_order(game, codes.REFUSED, u, command.ability, command.result)
    inbox.n_answers, inbox.n_commands = inbox.n_commands, 0


@kernel
def may_control(game: Game, command: Records) -> int:
    """Is the unit of a command there, and does it belong to the player who gives it?"""
    u = command.unit
    if not 0 <= u < game.clock[0].n_slots or not game.units[u].alive:
        return codes.ERROR
    if command.tag != 0 and command.tag != game.units[u].tag:
        return codes.ERROR
    if command.owner != game.units[u].owner and not controls(game, command.owner, u):
        return codes.YOU_CANT_CONTROL_THAT_UNIT
    return codes.SUCCESS


@kernel
def obey(game: Game, command: Records) -> int:
    """Carry out one command."""
    answer, u = may_control(game, command), command.unit
    if answer != codes.SUCCESS:
        return answer
    if command.kind == codes.SWITCH_AUTOCAST:
        return switch_autocast(game, u, command.ability)
    if has_economy(game) and moves_for_addon(game, u, command):
        return land_and_add(game, u, command)
    if has_economy(game) and is_for_producer(game, command):
        return tell_producer(game, u, command)
    return give_order(game, u, command)


@kernel
def controls(game: Game, owner: int, u: int) -> bool:
    """May a player command a unit of another one, because it cheats?"""
    if not 0 < owner < game.players.shape[0] or game.units[u].owner == codes.NEUTRAL_OWNER:
        return False
    return game.players[owner].cheats & codes.CONTROLS_ENEMIES != 0


@kernel
def is_for_producer(game: Game, command: Records) -> bool:
    """Is it about the queue of a structure, or its rally point?"""
    if command.kind == codes.SMART:
        return not game.rules.types[game.units[command.unit].kind].mobile
    return codes.PRODUCE <= command.kind <= codes.RALLY or command.kind == codes.RALLY_WORKERS


@kernel
def what_to_cancel(game: Game, u: int) -> int:
    """What a unit would give up: codes.CANCELS_NOTHING and following."""
    if game.units[u].status & codes.UNFINISHED:
        p = game.producers[u].made_as
        structure = game.rules.types[game.units[u].kind].structure
        by_gate = p >= 0 and game.rules.products[p].how == codes.HOW_WARP_IN
        return codes.CANCELS_SITE if structure or by_gate else codes.CANCELS_NOTHING
    v = addon_of(game, u)
    if v >= 0 and game.units[v].status & codes.UNFINISHED:
        return codes.CANCELS_ADDON
    if changes_form(game, u):
        return codes.CANCELS_MORPH
    return codes.CANCELS_ITEM if game.producers[u].n_items > 0 else codes.CANCELS_NOTHING


@kernel
def may_cancel(game: Game, u: int, wanted: int) -> int:
    """Is there something to give up, of the kind that is wanted?"""
    what = what_to_cancel(game, u)
    fits = wanted == codes.CANCELS_ANYTHING or wanted == what
    return codes.SUCCESS if fits and what != codes.CANCELS_NOTHING else codes.NOT_SUPPORTED


@kernel
def cancel(game: Game, u: int, wanted: int) -> int:
    """Give up a structure that is not finished, a change of form, or the last of a queue."""
    answer = may_cancel(game, u, wanted)
    if answer != codes.SUCCESS:
        return answer
    what = what_to_cancel(game, u)
    if what == codes.CANCELS_SITE:
        structure = game.rules.types[game.units[u].kind].structure
        return cancel_site(game, u) if structure else cancel_warp_in(game, u)
    if what == codes.CANCELS_ADDON:
        return cancel_site(game, addon_of(game, u))
    return cancel_morph(game, u) if what == codes.CANCELS_MORPH else cancel_last(game, u)


@kernel
def may_switch(game: Game, u: int, ability: int) -> int:
    """Can a player switch over whether a unit uses an ability by itself, or changes its form (no
    ability)?"""
    if ability == codes.NO_ABILITY:
        becomes = game.rules.types[game.units[u].kind].becomes_itself
        return codes.SUCCESS if has_economy(game) and becomes >= 0 else codes.NOT_SUPPORTED
    k = kit_slot(game, game.units[u].kind, ability)
    if k < 0 or game.rules.abilities[ability].autocast == codes.NEVER_BY_ITSELF:
        return codes.NOT_SUPPORTED
    return has_ability(game, u, ability)


@kernel
def switch_autocast(game: Game, u: int, ability: int) -> int:
    """Switch that over."""
    answer = may_switch(game, u, ability)
    if answer == codes.SUCCESS and ability == codes.NO_ABILITY:
        game.producers[u].keeps_form = not game.producers[u].keeps_form
    elif answer == codes.SUCCESS:
        game.skills[u].switched ^= 1 << kit_slot(game, game.units[u].kind, ability)
    return answer


@kernel
def tell_producer(game: Game, u: int, command: Records) -> int:
    """Carry out a command that is no order of the unit's queue."""
    if command.kind == codes.PRODUCE:
        return make(game, u, command)
    if command.kind == codes.CANCEL_LAST:
        return cancel(game, u, command.ability)
    v = command.target
    if not (abs(command.x) < FURTHEST and abs(command.y) < FURTHEST):
        return codes.ERROR
    if v >= 0 and not (v < game.clock[0].n_slots and game.units[v].alive):
        return codes.CANT_TARGET_THAT_UNIT
    if command.kind == codes.RALLY_WORKERS:
        return set_worker_rally(game, u, v, command.x, command.y)
    return set_rally(game, u, v, command.x, command.y)


@kernel
def make(game: Game, u: int, command: Records) -> int:
    """Begin a product in the way in which it is made."""
    p, x, y = command.ability, command.x, command.y
    if not 0 <= p < game.rules.products.shape[0]:
        return codes.NOT_SUPPORTED
    how = game.rules.products[p].how
    if how == codes.HOW_MORPH or how == codes.HOW_LARVA:
        return morph_into(game, u, p)
    if not (abs(x) < FURTHEST and abs(y) < FURTHEST):
        return codes.ERROR
    if how == codes.HOW_WARP_IN:
        return warp_in(game, u, p, x, y)
    if how == codes.HOW_MERGE:
        return seek_merger(game, u, p, command.target)
    if how == codes.HOW_BUILD and game.rules.products[p].builder < 0:
        return plant(game, u, p, x, y)
    return produce(game, u, p)
