"""Changelings take the look of an enemy's units."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.morphs import become
from terrarium.engine.kernels.geometry import length
from terrarium.engine.kernels.owners import is_enemy
from terrarium.engine.state import Game

DISGUISE_TICKS = 8
"""How long the change takes, by the API's build time; so often they look for somebody."""


@kernel
def disguise(game: Game) -> None:
    """Those who see an enemy's unit become what is most common among that player's race."""
    if game.clock[0].tick % DISGUISE_TICKS != 0:
        return
    for i in range(game.clock[0].n_living):
        u = game.living[i]
        me = game.units[u]
        if me.alive and game.rules.types[me.kind].disguises:
            v = nearest_enemy(game, u)
            look = look_for(game, me.kind, v) if v >= 0 else -1
            if look >= 0:
                become(game, u, look)


@kernel
def nearest_enemy(game: Game, u: int) -> int:
    """The nearest enemy that a unit sees, no structure; -1 = there is none."""
    me = game.units[u]
    best, best_distance = codes.NO_UNIT, game.rules.types[me.kind].sight
    for i in range(game.clock[0].n_living):
        v = game.living[i]
        other = game.units[v]
        if not other.alive or game.rules.types[other.kind].structure:
            continue
        if not is_enemy(game, me.owner, other.owner) or not other.seen >> me.owner & 1:
            continue
        distance = length(other.x - me.x, other.y - me.y)
        if distance < best_distance:
            best, best_distance = v, distance
    return best


@kernel
def look_for(game: Game, kind: int, v: int) -> int:
    """The form for the race of an enemy, with its upgrade if it has one; -1 = there is none."""
    other, found = game.units[v], -1
    techs = game.players[other.owner].techs
    for k in range(game.rules.types.shape[0]):
        row = game.rules.types[k]
        if row.look_of != kind or row.look < 0:
            continue
        if game.rules.types[row.look].race != game.rules.types[other.kind].race:
            continue
        if techs & row.look_tech == row.look_tech and (found < 0 or row.look_tech):
            found = k
    return found
