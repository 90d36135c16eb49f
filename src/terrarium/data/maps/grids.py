"""Grids of cells: what objects cover, what is connected. Grids are indexed [y, x]."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.data.maps.objects import Cell, MapObject, cells_of

Mask = NDArray[np.bool_]
TOWNHALL_SIDE = 5
RESOURCE_RING = 3
"""No cell of a townhall may be within this many cells of a resource, corners of the ring apart"""


def mask_of(shape: tuple[int, ...], cells: Iterable[Cell]) -> Mask:
    """The cells that lie on the grid."""
    mask = np.zeros(shape, np.bool_)
    for x, y in cells:
        if 0 <= x < shape[1] and 0 <= y < shape[0]:
            mask[y, x] = True
    return mask


def taken_by(shape: tuple[int, ...], objects: Iterable[MapObject]) -> Mask:
    """Where objects let nothing be built."""
    return mask_of(shape, (c for o in objects for c in cells_of(o.kind.shape, o.x, o.y)[0]))


def blocked_by(shape: tuple[int, ...], objects: Iterable[MapObject]) -> Mask:
    """Where objects let nobody walk."""
    return mask_of(shape, (c for o in objects for c in cells_of(o.kind.shape, o.x, o.y)[1]))


def townhall_cells(x: float, y: float) -> list[Cell]:
    """The square under a townhall, in which nothing else can be built."""
    left, low = round(x - TOWNHALL_SIDE / 2), round(y - TOWNHALL_SIDE / 2)
    side = range(TOWNHALL_SIDE)
    return [(left + dx, low + dy) for dy in side for dx in side]


def townhall_blocks(x: float, y: float) -> list[Cell]:
    """The cells that a townhall closes to walkers: all but its corners."""
    corners = {(dx, dy) for dx in (-2, 2) for dy in (-2, 2)}
    middle_x, middle_y = round(x - 0.5), round(y - 0.5)
    return [
        (cx, cy) for cx, cy in townhall_cells(x, y) if (cx - middle_x, cy - middle_y) not in corners
    ]


def townhall_ban(shape: tuple[int, ...], objects: Iterable[MapObject]) -> Mask:
    """The cells near resources on which no part of a townhall may stand."""
    banned = np.zeros(shape, np.bool_)
    ring = RESOURCE_RING
    for o in objects:
        if not o.kind.is_resource:
            continue
        width, height = o.kind.shape.width, o.kind.shape.height
        x0, y0 = round(o.x - width / 2) - ring, round(o.y - height / 2) - ring
        x1, y1 = x0 + width + 2 * ring, y0 + height + 2 * ring
        banned[max(0, y0 + 1) : max(0, y1 - 1), max(0, x0) : max(0, x1)] = True
        banned[max(0, y0) : max(0, y1), max(0, x0 + 1) : max(0, x1 - 1)] = True
    return banned


def regions(mask: Mask, corners: bool = False) -> NDArray[np.int64]:
    """Number the connected pieces by their first cells; -1 elsewhere.

    Cells are connected by sides, or by corners too. To walk a corner both of its sides must be
    open, so for walkers sides are enough.
    """
    height, width = mask.shape
    index = np.arange(height * width).reshape(height, width)
    steps = [((0, 1), (0, 0)), ((1, 0), (0, 0))]
    steps += [((1, 1), (0, 0)), ((1, 0), (0, 1))] if corners else []
    near = [(_part(index, mask, a, b), _part(index, mask, b, a)) for a, b in steps]
    here = np.concatenate([one for one, _ in near])
    there = np.concatenate([other for _, other in near])
    first = index.ravel().copy()
    while True:
        before = first.copy()
        lower = np.minimum(first[here], first[there])
        np.minimum.at(first, before[here], lower)
        np.minimum.at(first, before[there], lower)
        first = first[first]
        if np.array_equal(first, before):
            return np.where(mask, first.reshape(height, width), -1)


def _part(
    index: NDArray[np.int64], mask: Mask, here: tuple[int, int], there: tuple[int, int]
) -> NDArray[np.int64]:
    """The cells at the offset `here` of those pairs of which both are in the mask."""

    def view(grid: NDArray[Any], at: tuple[int, int]) -> NDArray[Any]:
        rows = max(here[0], there[0])
        columns = max(here[1], there[1])
        height, width = grid.shape
        return grid[at[0] : height - rows + at[0], at[1] : width - columns + at[1]]

    both = view(mask, here) & view(mask, there)
    part: NDArray[np.int64] = view(index, here)[both]
    return part


def grown(mask: Mask, diagonal: bool = True) -> Mask:
    """The mask and the cells next to it."""
    padded = np.pad(mask, 1)
    if diagonal:
        rows = padded[:-2] | padded[1:-1] | padded[2:]
        return rows[:, :-2] | rows[:, 1:-1] | rows[:, 2:]
    inner = padded[1:-1, 1:-1] | padded[:-2, 1:-1] | padded[2:, 1:-1]
    return inner | padded[1:-1, :-2] | padded[1:-1, 2:]
