"""Placing: structures on the grid, with everybody pushed off their footprint; and their removal."""

import numpy as np

from terrarium.engine import codes
from terrarium.engine.jit import entry, kernel
from terrarium.engine.kernels.geometry import NEARLY
from terrarium.engine.kernels.movement.footprints import (
    has_space,
    lift_footprint,
    lowest_cell,
    put_footprint,
)
from terrarium.engine.kernels.random import DIRECTION, bits
from terrarium.engine.kernels.setup.births import face_middle, spawn
from terrarium.engine.kernels.setup.free_places import find_room
from terrarium.engine.state import Game, is_placed

NO_SLOT, NO_SPACE = -1, -2


@entry
def place(game: Game, kind: int, owner: int, x: float, y: float) -> int:
    """Add a structure to the grid, as near to a point as the grid allows; its slot, or why not."""
    footprint = game.rules.types[kind].footprint
    shape = game.rules.footprints[footprint]
    left, bottom = lowest_cell(x, shape.width), lowest_cell(y, shape.height)
    x, y = left + 0.5 * shape.width, bottom + 0.5 * shape.height
    if not has_space(game, footprint, left, bottom):
        return NO_SPACE
    for i in range(game.clock[0].n_living):
        v = game.living[i]
        if not game.rules.types[game.units[v].kind].mobile and stands_in(game, v, footprint, x, y):
            return NO_SPACE
    u = spawn(game, kind, owner, x, y, False)
    if u < 0:
        return NO_SLOT
    game.units[u].x, game.units[u].y = x, y
    face_middle(game, u)
    put_footprint(game, u)
    push_out(game, u)
    return u


@kernel
def stands_in(game: Game, v: int, footprint: int, x: float, y: float) -> bool:
    """Does a body on the ground overlap a footprint whose middle is at (x, y)?"""
    other, shape = game.units[v], game.rules.footprints[footprint]
    row = game.rules.types[other.kind]
    if not other.alive or row.walker == codes.FLYER or is_placed(game, v):
        return False
    reach = row.inner if row.mobile else row.separation
    dx = max(abs(other.x - x) - 0.5 * shape.width, 0.0)
    dy = max(abs(other.y - y) - 0.5 * shape.height, 0.0)
    return dx * dx + dy * dy < reach * reach - NEARLY


@kernel
def push_out(game: Game, u: int) -> None:
    """Move everybody off a new footprint to the nearest free ground, in an order drawn by lot."""
    clock, me, footprint = game.clock[0], game.units[u], game.sites[u].footprint
    if game.rules.footprints[footprint].closed == 0:
        return
    last = np.uint64(0)
    while True:
        first, key = codes.NO_UNIT, np.uint64(0)
        for i in range(clock.n_living):
            v = game.living[i]
            draw = bits(clock.seed, clock.tick, game.units[v].tag, DIRECTION)
            if draw > last and (first < 0 or draw < key):
                if stands_in(game, v, footprint, me.x, me.y):
                    first, key = v, draw
        if first < 0:
            return
        last = key
        other = game.units[first]
        other.alive = False  # it does not stand in its own way
        other.x, other.y = find_room(game, other.kind, other.owner, other.x, other.y)
        other.alive = True
        other.speed_x, other.speed_y = 0.0, 0.0
        other.way_tick, other.stalled = 0, 0


@entry
def remove(game: Game, u: int) -> None:
    """Take a unit out of a game: it leaves nothing behind and has no killer."""
    me = game.units[u]
    me.alive, me.inside, game.clock[0].any_dead = False, codes.NO_UNIT, True
    me.hp, me.shield, me.n_orders = 0.0, 0.0, 0
    game.players[me.owner].n_alive -= 1
    lift_footprint(game, u)
