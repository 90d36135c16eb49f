"""Where units can stand, and how far it is to walk."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# The eight neighbors of a cell, counterclockwise from east: bit d of a cell's exits.
NEIGHBORS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
MAX_CELLS = 2048
"""The distances between all cells of a larger map would need too much memory"""


@dataclass(frozen=True)
class Ground:
    """A map. Cell (x, y) covers [x, x+1) x [y, y+1); layers are ways to get about."""

    walkable: NDArray[np.bool_]
    """[layers, height, width]"""
    detours: NDArray[np.float32] | None
    """[cells, cells] how far a walker goes from one cell to another; None = as far as it looks"""

    def is_open(self, layer: NDArray[np.int64], at: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Can units of these layers [...] be at these places [..., 2]?"""
        height, width = self.walkable.shape[1:]
        x, y = (np.floor(at[..., axis]).astype(np.int64) for axis in (0, 1))
        inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
        cell = (layer, np.clip(y, 0, height - 1), np.clip(x, 0, width - 1))
        return np.asarray(inside & self.walkable[cell])

    def ways(self, one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.float64]:
        """[...] at least how far a walker goes between places [..., 2]."""
        if self.detours is None:
            way = one - other
            return np.asarray(np.sqrt((way * way).sum(axis=-1)))
        # Places are anywhere in their cells: the way between the middles may be a cell too long.
        return np.asarray(self.detours[self._cells(one), self._cells(other)] - 1.0, np.float64)

    def is_around(self, one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.bool_]:
        """[...] does a walker between places [..., 2] have to go around something?"""
        if self.detours is None:
            return np.zeros(one.shape[:-1], np.bool_)
        here, there = self._cells(one), self._cells(other)
        width = self.walkable.shape[2]
        across, along = np.abs(here % width - there % width), np.abs(here // width - there // width)
        # The way of a king in chess, who walks where nothing is in the way.
        free = np.maximum(across, along) + (math.sqrt(2.0) - 1.0) * np.minimum(across, along)
        return np.asarray(self.detours[here, there] > free + 0.5)

    def _cells(self, at: NDArray[np.float64]) -> NDArray[np.int64]:
        height, width = self.walkable.shape[1:]
        x = np.clip(at[..., 0].astype(np.int64), 0, width - 1)
        y = np.clip(at[..., 1].astype(np.int64), 0, height - 1)
        return np.asarray(y * width + x)


def walking_distances(exits: NDArray[np.uint8]) -> NDArray[np.float32] | None:
    """[cells, cells] by the shortest ways through the exits [height, width] of all cells, which are
    a bit for each neighbor; None if the map is too large.

    Where there is no way, as to a cell in a wall, the straight line counts: bodies overlap walls,
    and nobody must feel safe because of that.
    """
    height, width = exits.shape
    n_cells = height * width
    if n_cells > MAX_CELLS:
        return None
    # Rows are goals. The border spares the neighbors of the outermost cells a special case.
    far = np.full((n_cells, height + 2, width + 2), np.inf, np.float32)
    inner = far[:, 1:-1, 1:-1]
    y, x = np.divmod(np.arange(n_cells), width)
    inner[np.arange(n_cells), y, x] = 0.0
    costs = [
        np.where(exits >> d & 1, np.float32(np.hypot(*way)), np.float32(np.inf))
        for d, way in enumerate(NEIGHBORS)
    ]
    changed = True
    while changed:
        before = inner.copy()
        for cost, (dx, dy) in zip(costs, NEIGHBORS, strict=True):
            ahead = far[:, 1 + dy : 1 + dy + height, 1 + dx : 1 + dx + width]
            np.minimum(inner, ahead + cost, out=inner)
        changed = not np.array_equal(before, inner)
    found = inner.reshape(n_cells, n_cells)
    straight = np.hypot(x[:, None] - x, y[:, None] - y).astype(np.float32)
    return np.where(np.isfinite(found), found, straight)
