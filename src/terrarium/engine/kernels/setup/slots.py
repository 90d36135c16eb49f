"""Slots: where units live in the arrays, and the list of those that do.

A slot that was never used is taken before one of a dead unit, and of those the one that has been
free for longest: references to a dead unit stay valid for as long as possible.
"""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.vision.visibility import hide
from terrarium.engine.state import Game, keeps_sight


@kernel
def clear_slots(game: Game) -> None:
    """No slot has been used."""
    clock = game.clock[0]
    clock.n_slots, clock.next_tag, clock.n_living = 0, 0, 0
    clock.n_free, clock.first_free, clock.any_dead = 0, 0, False


@kernel
def take_slot(game: Game) -> int:
    """A slot for a new unit; -1 if all are taken."""
    clock = game.clock[0]
    if clock.n_slots < game.units.shape[0]:
        clock.n_slots += 1
        return clock.n_slots - 1
    if clock.n_free == 0:
        return codes.NO_UNIT
    u = game.free[clock.first_free]
    clock.first_free = (clock.first_free + 1) % game.free.shape[0]
    clock.n_free -= 1
    return u


@kernel
def free_slot(game: Game, u: int) -> None:
    """A slot may be taken again."""
    clock = game.clock[0]
    game.free[(clock.first_free + clock.n_free) % game.free.shape[0]] = u
    clock.n_free += 1


@kernel
def list_unit(game: Game, u: int) -> None:
    """Append a new unit to the living. They are in the order of their tags."""
    clock = game.clock[0]
    game.living[clock.n_living] = u
    clock.n_living += 1


@kernel
def update_living(game: Game) -> None:
    """Take those that died since the last tick off the list of the living, and free their slots.

    Loops of a tick run over the list, so it must not change under them.
    """
    clock = game.clock[0]
    if not clock.any_dead:
        return
    clock.any_dead = False
    n_kept = 0
    for i in range(clock.n_living):
        u = game.living[i]
        if game.units[u].alive or game.units[u].inside >= 0:
            game.living[n_kept] = u
            n_kept += 1
        else:
            if keeps_sight(game):
                hide(game, u)
            free_slot(game, u)
    clock.n_living = n_kept
