"""Work: how fast producers make what they make, and the events that tell of it."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.events import new_event
from terrarium.engine.state import Game

FAST = 16.0
"""How much faster a player builds who cheats so; that of the game was not measured."""


@kernel
def build_rate(game: Game, owner: int) -> float:
    """How fast the structures and the units of a player grow."""
    return FAST if game.players[owner].cheats & codes.BUILDS_FAST else 1.0


@kernel
def work_rate(game: Game, u: int) -> float:
    """How fast a producer works: faster under chrono boost."""
    rate = build_rate(game, game.units[u].owner)
    if game.units[u].status & codes.BUFFED:
        for b in range(game.buffs.shape[1]):
            if game.buffs[u, b].row >= 0:
                rate *= game.rules.buffs[game.buffs[u, b].row].work
    return rate


@kernel
def changes_form(game: Game, u: int) -> bool:
    """Is it an egg, or about to become something else that has been paid for?"""
    if game.producers[u].n_items == 0:
        return False
    how = game.rules.products[game.items[u, 0].product].how
    return how == codes.HOW_MORPH or how == codes.HOW_LARVA


@kernel
def note_product(game: Game, kind: int, u: int, p: int) -> None:
    event = game.events[new_event(game, kind, u)]
    event.amount = float(p)
