"""Where a unit that appears finds room: the nearest place at which it touches no other."""

import numpy as np

from terrarium.engine import codes
from terrarium.engine.jit import kernel
from terrarium.engine.kernels.movement.paths import cell_of
from terrarium.engine.kernels.movement.places import standing_point
from terrarium.engine.kernels.movement.walls import off_walls, touches_structure
from terrarium.engine.records import Records
from terrarium.engine.scratch import N_HALF_TRIED, N_OWN_TRIED, REMEMBERS_TRIED
from terrarium.engine.state import Game, has_structures, is_placed

ROOM = 0.05
"""Gap between units that are created on one point of a lattice."""
SLACK = 0.001
"""The same where places are the nearest: Marines of 0.6875 are recorded 0.6885 apart."""
HALF_CELL = 0.5
NEVER = 1e30


def _steps(reach: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(-reach, reach + 1) for j in range(-reach, reach + 1)]


def _lattice(reach: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """Steps on a square lattice, nearest first; equal ones north, south, east, west."""
    return np.array(
        sorted(_steps(reach), key=lambda s: (s[0] ** 2 + s[1] ** 2, abs(s[0]), -s[1], -s[0])),
        np.int64,
    )


def _turning_lattice(reach: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """The same, equal ones counter-clockwise from south; straight ones of several steps clockwise
    from east, as the tenth and the eleventh of a group are pictured."""

    def angle(step: tuple[int, int]) -> float:
        straight = 0 in step and abs(sum(step)) > 1
        turned = np.arctan2(-step[1], step[0]) if straight else np.arctan2(step[0], -step[1])
        return float(turned % (2.0 * np.pi))

    return np.array(
        sorted(_steps(reach), key=lambda s: (s[0] ** 2 + s[1] ** 2, angle(s))), np.int64
    )


LATTICE = _lattice(16)
TURNING_LATTICE = _turning_lattice(24)


@kernel
def find_room(game: Game, kind: int, owner: int, x: float, y: float) -> tuple[float, float]:
    """The place nearest to a point where a unit touches no other."""
    x, y = standing_point(game, kind, x, y)
    if game.rules.assumptions[0].places_turn:
        return find_nearest_room(game, kind, x, y)
    row = game.rules.types[kind]
    gap = 2.0 * row.room + ROOM
    # The pattern of even owners is that of odd ones turned by half a circle: no player has the
    # better formation.
    sign = 1.0 if owner & 1 else -1.0
    home = home_of(game, row, x, y)
    for k in range(LATTICE.shape[0]):
        px, py = x + sign * LATTICE[k, 0] * gap, y + sign * LATTICE[k, 1] * gap
        if fits(game, row, home, px, py):
            return px, py
    return x, y


@kernel
def find_nearest_room(game: Game, kind: int, x: float, y: float) -> tuple[float, float]:
    """The nearest free point of two lattices, of the unit's own width and of half cells: units of
    one type stand side by side, and others fill the gaps (reference: SMAC in the real game, 2.3).
    """
    row = game.rules.types[kind]
    width = 2.0 * row.room + SLACK
    home = home_of(game, row, x, y)
    counts = game.scratch.counts
    own, half = counts[N_OWN_TRIED], counts[N_HALF_TRIED]
    while True:
        own_distance, half_distance = step_size(own, width), step_size(half, HALF_CELL)
        if own_distance == NEVER and half_distance == NEVER:
            return x, y
        is_own = own_distance <= half_distance
        k, size = (own, width) if is_own else (half, HALF_CELL)
        px, py = x + TURNING_LATTICE[k, 0] * size, y + TURNING_LATTICE[k, 1] * size
        if fits(game, row, home, px, py):
            if counts[REMEMBERS_TRIED]:
                counts[N_OWN_TRIED], counts[N_HALF_TRIED] = own, half
            return px, py
        own, half = own + int(is_own), half + int(not is_own)


@kernel
def remember_tried(game: Game, remembers: bool) -> None:
    """From here on, begin searches for the nearest room where the last one ended: right while the
    same type looks around the same point and nobody moves."""
    counts = game.scratch.counts
    counts[REMEMBERS_TRIED] = int(remembers)
    counts[N_OWN_TRIED] = counts[N_HALF_TRIED] = 0


@kernel
def step_size(k: int, size: float) -> float:
    """The squared distance of the k-th point of a lattice from its middle."""
    if k >= TURNING_LATTICE.shape[0] or size <= 0.0:
        return NEVER
    dx, dy = TURNING_LATTICE[k, 0] * size, TURNING_LATTICE[k, 1] * size
    return dx * dx + dy * dy


@kernel
def layer_of(row: Records) -> int:
    """The ground that a type can be put on."""
    return codes.CLIFF_WALKER if row.walker == codes.CLIFF_WALKER else codes.SMALL_WALKER


@kernel
def home_of(game: Game, row: Records, x: float, y: float) -> int:
    """The island of a point, which a unit that is put near it must not leave."""
    return int(game.land.island[layer_of(row), cell_of(game, x, y)])


@kernel
def fits(game: Game, row: Records, home: int, x: float, y: float) -> bool:
    """Is there room for a unit of a type at a point?"""
    if not can_stand(game, row, x, y):
        return False
    if not row.flying and game.land.island[layer_of(row), cell_of(game, x, y)] != home:
        return False
    return is_free(game, row.classes, row.room, x, y)


@kernel
def can_stand(game: Game, row: Records, x: float, y: float) -> bool:
    """Do ground, walls and structures leave room for the body of a type at a point?"""
    playable, layer = game.ground.playable, layer_of(row)
    if not (playable[0] <= x < playable[2] and playable[1] <= y < playable[3]):
        return False
    if row.flying:
        return True
    cell = cell_of(game, x, y)
    if not game.land.walkable[layer, cell]:
        return False
    if has_structures(game) and touches_structure(game, row.inner, x, y):
        return False
    fit_x, fit_y = off_walls(game, layer, cell, row.inner, x, y)
    return fit_x == x and fit_y == y


@kernel
def is_free(game: Game, classes: int, room: float, x: float, y: float) -> bool:
    """Does nothing of these collision classes stand where a body would touch it?"""
    for j in range(game.clock[0].n_living - 1, -1, -1):  # those that came last stand nearest
        v = game.living[j]
        other = game.units[v]
        row = game.rules.types[other.kind]
        reach = room + row.room
        dx, dy = other.x - x, other.y - y
        # Most are far away, so the other questions come after this one.
        if dx * dx + dy * dy >= reach * reach or not other.alive or not row.classes & classes:
            continue
        if not is_placed(game, v):  # then its footprint is part of the ground
            return False
    return True
