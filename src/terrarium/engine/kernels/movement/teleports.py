"""Teleports: Blink, Tactical Jump, Recall."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.abilities.outcomes import touches
from terrarium.engine.kernels.geometry import length
from terrarium.engine.kernels.orders.orders import forget_target
from terrarium.engine.kernels.setup.free_places import find_room
from terrarium.engine.state import Game


@kernel
def jump(game: Game, ability: int, u: int, x: float, y: float) -> None:
    """The user appears at a point, or as far in its direction as the jump goes."""
    me, row = game.units[u], game.rules.mechanics.teleports[game.rules.abilities[ability].params]
    dx, dy = x - me.x, y - me.y
    distance = length(dx, dy)
    if row.distance > 0.0 and distance > row.distance:
        x = me.x + dx / distance * row.distance
        y = me.y + dy / distance * row.distance
    appear(game, u, x, y)


@kernel
def appear(game: Game, u: int, x: float, y: float) -> None:
    """Put a unit down near a point and let it forget where it was going."""
    me = game.units[u]
    me.alive = False  # it does not stand in its own way
    me.x, me.y = find_room(game, me.kind, me.owner, x, y)
    me.alive = True
    me.speed_x, me.speed_y = 0.0, 0.0
    me.home_x, me.home_y, me.away = me.x, me.y, False
    me.way_tick, me.stalled = 0, 0
    forget_target(game, u)


@kernel
def recall(game: Game, ability: int, u: int, x: float, y: float) -> None:
    """Bring own units around a point to the user."""
    me, row = game.units[u], game.rules.mechanics.teleports[game.rules.abilities[ability].params]
    for j in range(game.clock[0].n_living):
        o = game.living[j]
        other = game.units[o]
        if not other.alive or other.owner != me.owner or o == u:
            continue
        if not game.rules.types[other.kind].mobile or other.status & codes.GROUNDED:
            continue
        if touches(game, o, x, y, row.radius):
            appear(game, o, me.x, me.y)
