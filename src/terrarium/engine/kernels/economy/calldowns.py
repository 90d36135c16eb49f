"""MULEs: where they come down, and what they begin to gather from."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.economy.resources import may_gather
from terrarium.engine.kernels.geometry import NEARLY, length
from terrarium.engine.kernels.orders.orders import order_on_unit
from terrarium.engine.kernels.random import toss
from terrarium.engine.state import Game

NEAR_HALL = 12.0
"""A field that is farther from a townhall belongs to no base."""


@kernel
def landing_at(game: Game, owner: int, v: int) -> tuple[float, float]:
    """Half-way between a resource and the player's nearest townhall, if that is near; else at the
    resource."""
    field, best_distance = game.units[v], NEAR_HALL
    x, y = field.x, field.y
    for i in range(game.clock[0].n_living):
        other = game.units[game.living[i]]
        if not other.alive or other.owner != owner or not game.rules.types[other.kind].townhall:
            continue
        distance = length(other.x - field.x, other.y - field.y)
        if distance < best_distance:
            best_distance = distance
            x, y = 0.5 * (field.x + other.x), 0.5 * (field.y + other.y)
    return x, y


@kernel
def employ(game: Game, u: int, v: int) -> None:
    """Let a new worker gather from `v`, or else from the nearest field in its search radius."""
    if v < 0 or not may_gather(game, u, v):
        v = nearest_field(game, u)
    if v >= 0:
        order_on_unit(game, u, codes.GATHER, v, False)


@kernel
def nearest_field(game: Game, u: int) -> int:
    me, best = game.units[u], codes.NO_UNIT
    best_distance = game.rules.harvest[0].search_radius
    for i in range(game.clock[0].n_living):
        v = game.living[i]
        other = game.units[v]
        if game.rules.types[other.kind].resource != codes.MINERALS or not may_gather(game, u, v):
            continue
        distance = length(other.x - me.x, other.y - me.y)
        if distance > best_distance + NEARLY:
            continue
        if best >= 0 and distance > best_distance - NEARLY:
            tags = other.tag, game.units[best].tag
            if not toss(game.clock[0].seed, me.tag, tags[0], tags[1]):
                continue
        best, best_distance = v, distance
    return best
