"""Add-ons: where they stand, whose they are, and what they become (game_rules.md, 9)."""

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.state import Game

ADDON_X, ADDON_Y = 2.5, -0.5
"""Where an add-on stands, from its producer (game_rules.md, 9)."""


@kernel
def stands_at(game: Game, x: float, y: float) -> int:
    """The structure whose middle is at a point; -1 = none."""
    width, height = game.ground.size[0], game.ground.size[1]
    if not (0.0 <= x < width and 0.0 <= y < height):
        return codes.NO_UNIT
    v = int(game.taken[int(y) * width + int(x)]) - 1
    if v < 0 or abs(game.units[v].x - x) + abs(game.units[v].y - y) > 0.1:
        return codes.NO_UNIT
    return v


@kernel
def addon_of(game: Game, u: int) -> int:
    """The add-on of a structure, finished or not; -1 = it has none."""
    me = game.units[u]
    if game.rules.structures[me.kind].lab < 0 or game.rules.types[me.kind].flying:
        return codes.NO_UNIT
    v = stands_at(game, me.x + ADDON_X, me.y + ADDON_Y)
    if v < 0 or game.units[v].owner != me.owner or not game.rules.types[game.units[v].kind].addon:
        return codes.NO_UNIT
    return v


@kernel
def finished_addon(game: Game, u: int) -> int:
    """The same, if it works."""
    v = addon_of(game, u)
    return v if v >= 0 and not game.units[v].status & codes.UNFINISHED else codes.NO_UNIT


@kernel
def builds_addon(game: Game, u: int) -> bool:
    """Is a structure at work on an add-on, or about to be, so that it makes nothing else?"""
    if game.units[u].n_orders > 0 and game.orders[u, 0].kind == codes.BUILD:
        return game.rules.types[game.units[u].kind].structure
    v = addon_of(game, u)
    return v >= 0 and game.units[v].status & codes.UNFINISHED != 0


@kernel
def has_reactor(game: Game, u: int) -> bool:
    v = finished_addon(game, u)
    return v >= 0 and game.rules.types[game.units[v].kind].reactor


@kernel
def producer_of(game: Game, v: int) -> int:
    """The finished structure that an add-on belongs to; -1 = none."""
    me = game.units[v]
    u = stands_at(game, me.x - ADDON_X, me.y - ADDON_Y)
    if u < 0 or not game.units[u].alive or game.units[u].owner != me.owner:
        return codes.NO_UNIT
    takes = game.rules.structures[game.units[u].kind].lab >= 0
    return u if takes and not game.units[u].status & codes.UNFINISHED else codes.NO_UNIT


@kernel
def fitting_addon(game: Game, v: int) -> int:
    """The type that an add-on is beside its producer, or without one."""
    kind, u = game.units[v].kind, producer_of(game, v)
    if u < 0:
        return int(game.rules.structures[kind].alone)
    takes = game.rules.structures[game.units[u].kind]
    return int(takes.reactor if game.rules.types[kind].reactor else takes.lab)


@kernel
def is_busy(game: Game, u: int) -> bool:
    """Does a structure make something, or its add-on? Then it can neither lift off nor begin an
    add-on."""
    v = addon_of(game, u)
    if v >= 0 and (game.producers[v].n_items > 0 or game.units[v].status & codes.UNFINISHED):
        return True
    return game.producers[u].n_items > 0
