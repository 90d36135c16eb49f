"""Placing: structures on the grid, with those who do not mind pushed off their footprint; and their
removal."""

import numpy as np

from terrarium.engine import codes
from terrarium.engine.jit import entry, kernel
from terrarium.engine.kernels.abilities.cargo import first_passenger, let_out
from terrarium.engine.kernels.abilities.stats import refresh
from terrarium.engine.kernels.geometry import NEARLY
from terrarium.engine.kernels.movement.footprints import (
    cover_geyser,
    enemy_stands_in,
    geyser_at,
    has_space,
    lift_footprint,
    lowest_cell,
    put_footprint,
    stands_in,
)
from terrarium.engine.kernels.orders.building import drop_orders
from terrarium.engine.kernels.random import DIRECTION, bits
from terrarium.engine.kernels.setup.births import face_middle, spawn
from terrarium.engine.kernels.setup.free_places import find_room
from terrarium.engine.state import Game, has_economy

NO_SLOT, NO_SPACE, IN_THE_WAY = -1, -2, -3
"""Why nothing was placed: no slot is left, the ground is not free, an enemy stands there."""


@entry
def place(game: Game, kind: int, owner: int, x: float, y: float) -> int:
    """Add a structure to the grid, as near to a point as the grid allows; its slot, or why not."""
    footprint = game.rules.types[kind].footprint
    shape = game.rules.footprints[footprint]
    left, bottom = lowest_cell(x, shape.width), lowest_cell(y, shape.height)
    x, y = left + 0.5 * shape.width, bottom + 0.5 * shape.height
    on_geyser = has_economy(game) and owner != codes.NEUTRAL_OWNER
    on_geyser = on_geyser and game.rules.types[kind].resource == codes.VESPENE
    geyser = geyser_at(game, x, y) if on_geyser else codes.NO_UNIT
    if geyser < 0 and (on_geyser or not is_site(game, footprint, left, bottom)):
        return NO_SPACE
    if enemy_stands_in(game, owner, footprint, x, y):
        return IN_THE_WAY
    u = spawn(game, kind, owner, x, y, False)
    if u >= 0:
        settle_on_grid(game, u, x, y)
        if geyser >= 0:
            cover_geyser(game, u, geyser)
    return u


@kernel
def begin_structure(game: Game, kind: int, owner: int, x: float, y: float, passive: bool) -> int:
    """Begin a battle with a structure on the grid, at the place nearest to a point where its
    footprint is on flat, free ground; its slot."""
    footprint = game.rules.types[kind].footprint
    shape, width = game.rules.footprints[footprint], game.ground.size[0]
    site = nearest_site(game, footprint, owner, x, y)
    if site < 0:
        game.clock[0].fault = codes.NO_GROUND
        return spawn(game, kind, owner, x, y, passive)
    x, y = site % width + 0.5 * shape.width, site // width + 0.5 * shape.height
    u = spawn(game, kind, owner, x, y, passive)
    if u >= 0:
        settle_on_grid(game, u, x, y)
    return u


@kernel
def stand_at(game: Game, kind: int, owner: int, x: float, y: float) -> int:
    """Begin a game with a structure or a resource on the grid, exactly there; its slot."""
    u = spawn(game, kind, owner, x, y, False)
    if u >= 0:
        settle_on_grid(game, u, x, y)
    return u


@kernel
def nearest_site(game: Game, footprint: int, owner: int, x: float, y: float) -> int:
    """The lowest cell of the free place for a footprint that is nearest to a point; -1 = none."""
    width, height = game.ground.size[0], game.ground.size[1]
    shape = game.rules.footprints[footprint]
    left, bottom = lowest_cell(x, shape.width), lowest_cell(y, shape.height)
    # Equally near places are tried in the opposite order for even owners: no player has the better.
    sign = 1 if owner & 1 else -1
    best, best_distance = -1, 1e30
    ring = 0
    while ring <= width + height and (best < 0 or (ring - 1) * (ring - 1) <= best_distance):
        for down in range(-ring, ring + 1):
            step = 1 if abs(down) == ring or ring == 0 else 2 * ring
            for along in range(-ring, ring + 1, step):
                i, j = left + sign * along, bottom + sign * down
                dx, dy = i + 0.5 * shape.width - x, j + 0.5 * shape.height - y
                distance = dx * dx + dy * dy
                if distance < best_distance - NEARLY and is_site(game, footprint, i, j):
                    best, best_distance = j * width + i, distance
        ring += 1
    return best


@kernel
def is_site(game: Game, footprint: int, left: int, bottom: int) -> bool:
    """Is the ground under a footprint free of structures, and of units that cannot make way?"""
    if not has_space(game, footprint, left, bottom):
        return False
    shape = game.rules.footprints[footprint]
    x, y = left + 0.5 * shape.width, bottom + 0.5 * shape.height
    for i in range(game.clock[0].n_living):
        v = game.living[i]
        if not game.rules.types[game.units[v].kind].mobile and stands_in(game, v, footprint, x, y):
            return False
    return True


@kernel
def settle_on_grid(game: Game, u: int, x: float, y: float) -> None:
    """Let a new structure stand at a point, and whoever is there make way."""
    game.units[u].x, game.units[u].y = x, y
    face_middle(game, u)
    put_footprint(game, u)
    if has_economy(game):
        refresh(game, u)  # it may stand on creep or in power where it could not appear
    push_out(game, u)


@kernel
def push_out(game: Game, u: int) -> None:
    """Move everybody off a new footprint to the nearest free ground, in an order drawn by lot."""
    clock, me, footprint = game.clock[0], game.units[u], game.sites[u].footprint
    if game.rules.footprints[footprint].n_closed == 0:
        return
    last = np.uint64(0)
    while True:
        first, key = codes.NO_UNIT, np.uint64(0)
        for i in range(clock.n_living):
            v = game.living[i]
            if not game.rules.types[game.units[v].kind].mobile:
                continue  # a Force Field stays where it is
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
    """Take a unit out of a game."""
    take_out(game, u)


@kernel
def take_out(game: Game, u: int) -> None:
    """A unit is gone: it has no killer, and leaves nothing behind but its passengers."""
    me = game.units[u]
    while game.skills[u].load > 0:
        let_out(game, u, first_passenger(game, u))
    me.alive, me.inside, game.clock[0].any_dead = False, codes.NO_UNIT, True
    me.hp, me.shield = 0.0, 0.0
    drop_orders(game, u, 0)
    game.players[me.owner].n_alive -= 1
    lift_footprint(game, u)
