"""Terrain as tables: which neighbor cells a walker may step into, and the sectors of large maps."""

from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrarium.data.battles.scenario import Terrain
from terrarium.engine.tables.sight_lines import SIGHT_CELLS, compile_sight

# The eight neighbors, counterclockwise from east; odd ones are diagonal.
STEP_X = (1, 1, 0, -1, -1, -1, 0, 1)
STEP_Y = (0, 1, 1, 1, 0, -1, -1, -1)
ALL_OPEN = 255
"""A walker may step from the cell to any of its neighbors: no wall touches it."""
MOST_ROOM = 12
"""Room is not counted further: what changes the ground changes it no further around."""
BUCKET = 2.0
"""Side of a bucket of the neighbor grid."""
WHOLE_MAP_CELLS = 4096
"""Up to this size a map is one sector: a flow field covers all of it."""
SECTOR_CELLS = 32
"""Longest side of a sector of a larger map."""
NEAR_CELLS = SECTOR_CELLS - 1
"""How far a flow field of a larger map extends to each side of its goal: over all of its sector."""
# What a step costs. The finer ratio is the square root of two to four digits; costs across a larger
# map are kept in 16 bits, where the coarser one leaves room for ways of 5,000 cells.
FINE_STEPS, COARSE_STEPS = (70, 99), (12, 17)


class Ground(NamedTuple):
    """What kernels need to know of a map. Cell (x, y) has the number y * width + x."""

    size: Annotated[NDArray[np.int64], "i8", "4"]  # width, height, the same in buckets
    playable: Annotated[NDArray[np.float64], "f8", "4"]  # x0, y0, x1, y1
    open: Annotated[NDArray[np.uint8], "u1", "layers C"]  # bit d: that neighbor can be entered
    room: Annotated[NDArray[np.uint8], "u1", "layers C"]  # cells to the nearest at a wall
    walkable: Annotated[NDArray[np.bool_], "?", "layers C"]
    island: Annotated[NDArray[np.int32], "i4", "layers C"]  # connected cells; -1 = none
    convex: Annotated[NDArray[np.bool_], "?", "layers"]  # one rectangle: every way is straight
    level: Annotated[NDArray[np.int64], "i8", "C"]
    terrace: Annotated[NDArray[np.int64], "i8", "C"]  # structures stand on one; -1 = on none
    sight: Annotated[NDArray[np.int32], "i4", "C 31"]  # lines of sight; of whole games
    unseen: Annotated[NDArray[np.int16], "i2", "C"]  # squared distance to what is out of sight
    opaque: Annotated[NDArray[np.bool_], "?", "C"]  # what no ground unit sees through; the same
    step_cost: Annotated[NDArray[np.int64], "i8", "2"]  # straight, diagonal
    # Sectors are numbered like cells: row by row.
    sector_column: Annotated[NDArray[np.int64], "i8", "width"]  # of each x
    sector_row: Annotated[NDArray[np.int64], "i8", "height"]  # of each y
    column_edge: Annotated[NDArray[np.int64], "i8", "columns+1"]  # the x at which columns begin
    row_edge: Annotated[NDArray[np.int64], "i8", "rows+1"]


def is_one_sector(ground: Ground) -> bool:
    """Is the map small enough for flow fields that cover all of it?"""
    return len(ground.column_edge) == len(ground.row_edge) == 2


def compile_ground(terrain: Terrain, with_sight: bool = False) -> Ground:
    """Derive the connectivity of each layer: small walkers, large walkers, cliff-walkers."""
    height, width = terrain.walkable.shape
    step = 4 * terrain.level.astype(np.int64) + terrain.ramp.astype(np.int64)
    wide = _wide(terrain.walkable)
    layers = (
        (terrain.walkable, step),
        (wide, step),
        (terrain.walkable, np.zeros_like(step)),
    )
    opens = [_open(walkable, heights) for walkable, heights in layers]
    whole = width * height <= WHOLE_MAP_CELLS
    column_edge = np.array([0, width]) if whole else sector_edges(width)
    row_edge = np.array([0, height]) if whole else sector_edges(height)
    sight, unseen = np.zeros((0, 2 * SIGHT_CELLS + 1), np.int32), np.zeros(0, np.int16)
    if with_sight:
        sight, unseen = compile_sight(terrain.level.astype(np.int64), _opaque(terrain))
    return Ground(
        size=np.array([width, height, _buckets(width), _buckets(height)], np.int64),
        playable=np.array(terrain.playable, np.float64),
        open=np.stack([bits.ravel() for bits in opens]),
        room=np.stack([measure_room(bits).ravel() for bits in opens]),
        walkable=np.stack([walkable.ravel() for walkable, _ in layers]),
        island=np.stack(
            [_islands(walkable, bits) for (walkable, _), bits in zip(layers, opens, strict=True)]
        ),
        convex=np.array(
            [_is_convex(walkable, bits) for (walkable, _), bits in zip(layers, opens, strict=True)]
        ),
        level=terrain.level.astype(np.int64).ravel(),
        terrace=_terraces(terrain).ravel(),
        sight=sight,
        unseen=unseen,
        opaque=_opaque(terrain).ravel() if with_sight else np.zeros(0, np.bool_),
        step_cost=np.array(FINE_STEPS if whole else COARSE_STEPS, np.int64),
        sector_column=np.repeat(np.arange(len(column_edge) - 1), np.diff(column_edge)),
        sector_row=np.repeat(np.arange(len(row_edge) - 1), np.diff(row_edge)),
        column_edge=column_edge.astype(np.int64),
        row_edge=row_edge.astype(np.int64),
    )


def _opaque(terrain: Terrain) -> NDArray[np.bool_]:
    blocker = terrain.sight_blocker
    return np.zeros_like(terrain.walkable) if blocker is None else blocker


def sector_edges(length: int) -> NDArray[np.int64]:
    """Where the sectors along a side of the map begin, and where the last one ends.

    Seen from either end they are the same, so that a fair map stays fair.
    """
    n_sectors = -(-length // SECTOR_CELLS)
    n_sectors += length % 2 * (1 - n_sectors % 2)  # an odd side has a sector in its middle
    low = [-(-k * length // n_sectors) for k in range(n_sectors // 2 + 1)]
    high = [length - edge for edge in reversed(low)]
    return np.array(low + (high if n_sectors % 2 else high[1:]), np.int64)


def _terraces(terrain: Terrain) -> NDArray[np.int64]:
    """Where structures may stand: what a map says, which has no such cell at a cliff, or flat
    ground of one level."""
    if terrain.buildable is not None:
        return terrain.buildable.astype(np.int64) - 1
    flat = terrain.walkable & (terrain.ramp == 0)
    return np.where(flat, terrain.level.astype(np.int64), -1)


def _buckets(length: int) -> int:
    return -(-length // int(BUCKET))


def _wide(walkable: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Cells that lie in an open square of two by two: where a large walker fits."""
    square = walkable[:-1, :-1] & walkable[1:, :-1] & walkable[:-1, 1:] & walkable[1:, 1:]
    wide = np.zeros_like(walkable)
    for dy in (0, 1):
        for dx in (0, 1):
            wide[dy : dy + square.shape[0], dx : dx + square.shape[1]] |= square
    return wide


def _open(walkable: NDArray[np.bool_], step: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Bit d of a cell: its neighbor in direction d is walkable and no cliff lies between."""
    height, width = walkable.shape

    def passable(dx: int, dy: int) -> NDArray[np.bool_]:
        result = np.zeros_like(walkable)
        ys = slice(max(0, -dy), height - max(0, dy))
        xs = slice(max(0, -dx), width - max(0, dx))
        to_ys = slice(max(0, dy), height - max(0, -dy))
        to_xs = slice(max(0, dx), width - max(0, -dx))
        flat = np.abs(step[ys, xs] - step[to_ys, to_xs]) <= 1
        result[ys, xs] = walkable[ys, xs] & walkable[to_ys, to_xs] & flat
        return result

    straight = {(dx, dy): passable(dx, dy) for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1))}
    bits = np.zeros(walkable.shape, np.uint8)
    for d in range(8):
        dx, dy = STEP_X[d], STEP_Y[d]
        if dx and dy:
            # Both ways round the corner must be open, or a walker would cut through the wall.
            first, second = straight[(dx, 0)], straight[(0, dy)]
            around = passable(dx, dy) & first & second
            around[:, :] &= _shifted(second, dx, 0) & _shifted(first, 0, dy)
            bits |= around.astype(np.uint8) << d
        else:
            bits |= straight[(dx, dy)].astype(np.uint8) << d
    return bits


def _shifted(grid: NDArray[np.bool_], dx: int, dy: int) -> NDArray[np.bool_]:
    """The grid as seen from the neighbor at (dx, dy); False beyond the edge."""
    height, width = grid.shape
    result = np.zeros_like(grid)
    result[max(0, -dy) : height - max(0, dy), max(0, -dx) : width - max(0, dx)] = grid[
        max(0, dy) : height - max(0, -dy), max(0, dx) : width - max(0, -dx)
    ]
    return result


def measure_room(bits: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """How many cells it is from each to the nearest that a wall touches, up to MOST_ROOM."""
    clear = bits == ALL_OPEN
    room = clear.astype(np.uint8)
    for _ in range(MOST_ROOM - 1):
        for axis in (0, 1):
            clear = clear & np.roll(clear, 1, axis) & np.roll(clear, -1, axis)  # never at the edge
        room += clear
    return room


def _islands(walkable: NDArray[np.bool_], bits: NDArray[np.uint8]) -> NDArray[np.int32]:
    """Number the islands of connected cells in the order of their first cells."""
    width = walkable.shape[1]
    # Where a diagonal step is open, so are the straight ones around it: these connect the same.
    near = [(np.flatnonzero(bits >> d & 1), STEP_Y[d] * width + STEP_X[d]) for d in (0, 2)]
    here = np.concatenate([cells for cells, _ in near])
    there = np.concatenate([cells + step for cells, step in near])
    # Each cell points to a cell of its island with a lower number, in the end to the first one.
    first = np.arange(walkable.size)
    while True:
        before = first.copy()
        lower = np.minimum(first[here], first[there])
        np.minimum.at(first, before[here], lower)
        np.minimum.at(first, before[there], lower)
        first = first[first]
        if np.array_equal(first, before):
            break
    label = np.full(walkable.size, -1, np.int32)
    land = walkable.ravel()
    label[land] = np.unique(first[land], return_inverse=True)[1]
    return label


def _is_convex(walkable: NDArray[np.bool_], bits: NDArray[np.uint8]) -> bool:
    """Is the walkable ground one rectangle without a cliff in it?"""
    ys, xs = np.nonzero(walkable)
    if not len(ys):
        return True
    box = (slice(ys.min(), ys.max() + 1), slice(xs.min(), xs.max() + 1))
    inner = bits[box][1:-1, 1:-1]
    return bool(walkable[box].all() and (inner == 255).all())
