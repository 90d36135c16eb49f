"""Lines of sight as tables: which cells around each one a unit on the ground there can see.

A line runs from cell to cell: the one before last is where the line enters the last one, and so on
back to the middle. So a cell is seen if the one before it is, lets the sight through, and nothing
stands higher than the unit (game_rules.md, 6).
"""

import numpy as np
from numpy.typing import NDArray

SIGHT_CELLS = 15
"""how far the tables go; no unit on the ground sees further"""
FAR = 2 * SIGHT_CELLS**2 + 1
"""further than the tables go, squared"""


def before(dx: int, dy: int) -> tuple[int, int]:
    """The cell before last of the line to the cell at (dx, dy); halves are rounded inwards, so
    that lines are the same in all eight directions."""
    n_steps = max(abs(dx), abs(dy))
    return _inwards(dx, n_steps), _inwards(dy, n_steps)


def _inwards(d: int, n_steps: int) -> int:
    size = (2 * abs(d) * (n_steps - 1) + n_steps - 1) // (2 * n_steps)
    return size if d > 0 else -size


def compile_sight(
    level: NDArray[np.int64], opaque: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int16]]:
    """For each cell a row of bits for each line of cells around it, from the lowest: bit k of row j
    is the cell at (k, j) - SIGHT_CELLS from it. `opaque` cells are seen, but not what is behind.

    And for each cell the square of the distance to the nearest cell that it does not see.
    """
    height, width = level.shape
    side = 2 * SIGHT_CELLS + 1
    # Games begin with this: a thousand passes over the map, so levels are bytes, and each line of
    # cells has a plane of its own until the end.
    heights, clear = level.astype(np.int8), ~opaque
    planes = np.zeros((side, height, width), np.int32)
    planes[SIGHT_CELLS] = 1 << SIGHT_CELLS
    unseen = np.full((height, width), FAR, np.int16)
    through = {(0, 0): np.ones((height, width), np.bool_)}
    for ring in range(1, SIGHT_CELLS + 1):
        outer: dict[tuple[int, int], NDArray[np.bool_]] = {}
        for dx, dy in _ring(ring):
            if abs(dx) >= width or abs(dy) >= height:
                continue
            here, there = _overlap(height, width, dx, dy)
            seen = through[before(dx, dy)][here] & (heights[there] <= heights[here])
            # Where it is seen this is more than FAR, which changes nothing.
            square = seen.view(np.int8) * np.int16(FAR) + np.int16(dx * dx + dy * dy)
            np.minimum(unseen[here], square, out=unseen[here])
            planes[dy + SIGHT_CELLS][here] |= seen.astype(np.int32) << np.int32(dx + SIGHT_CELLS)
            outer[dx, dy] = np.zeros((height, width), np.bool_)
            outer[dx, dy][here] = seen & clear[there]
        through = outer
    bits = np.ascontiguousarray(np.moveaxis(planes, 0, 2))
    return bits.reshape(height * width, side), unseen.ravel()


def _ring(ring: int) -> list[tuple[int, int]]:
    around = range(-ring, ring + 1)
    return [(dx, dy) for dy in around for dx in around if max(abs(dx), abs(dy)) == ring]


def _overlap(
    height: int, width: int, dx: int, dy: int
) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """The cells from which (dx, dy) leads to a cell of the map, and those cells."""
    ys, xs = slice(max(0, -dy), height - max(0, dy)), slice(max(0, -dx), width - max(0, dx))
    to_ys, to_xs = slice(max(0, dy), height - max(0, -dy)), slice(max(0, dx), width - max(0, -dx))
    return (ys, xs), (to_ys, to_xs)
