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
from terrarium.engine.kernels.orders.landing import land_and_add
from terrarium.engine.kernels.orders.orders import FURTHEST, give_order
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
def obey(game: Game, command: Records) -> int:
    """Carry out one command, if the unit is there and belongs to the player who gives it."""
    u = command.unit
    if not 0 <= u < game.clock[0].n_slots or not game.units[u].alive:
        return codes.ERROR
    if command.tag != 0 and command.tag != game.units[u].tag:
        return codes.ERROR
    if command.owner != game.units[u].owner and not controls(game, command.owner, u):
        return codes.YOU_CANT_CONTROL_THAT_UNIT
    if has_economy(game) and is_addon(game, command):
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
def is_addon(game: Game, command: Records) -> bool:
    """Is a flying structure to land and to build an add-on there?"""
    p = command.ability
    if command.kind != codes.BUILD or not 0 <= p < game.rules.products.shape[0]:
        return False
    flies = game.rules.types[game.units[command.unit].kind].flying
    return flies and game.rules.products[p].how == codes.HOW_ADDON


@kernel
def is_for_producer(game: Game, command: Records) -> bool:
    """Is it about the queue of a structure, or its rally point?"""
    if command.kind == codes.SMART:
        return not game.rules.types[game.units[command.unit].kind].mobile
    return codes.PRODUCE <= command.kind <= codes.RALLY or command.kind == codes.RALLY_WORKERS


@kernel
def cancel(game: Game, u: int) -> int:
    """Give up a structure that is not finished, a change of form, or the last of a queue."""
    if game.units[u].status & codes.UNFINISHED:
        structure = game.rules.types[game.units[u].kind].structure
        return cancel_site(game, u) if structure else cancel_warp_in(game, u)
    v = addon_of(game, u)
    if v >= 0 and game.units[v].status & codes.UNFINISHED:
        return cancel_site(game, v)
    if changes_form(game, u):
        return cancel_morph(game, u)
    return cancel_last(game, u)


@kernel
def tell_producer(game: Game, u: int, command: Records) -> int:
    """Carry out a command that is no order of the unit's queue."""
    if command.kind == codes.PRODUCE:
        return make(game, u, command)
    if command.kind == codes.CANCEL_LAST:
        return cancel(game, u)
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
