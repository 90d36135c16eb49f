"""Where units can stand, and how far it is to walk."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terrarium.tactics.distances import Distances


@dataclass(frozen=True)
class TerrainGrid:
    """A map. Cell (x, y) covers [x, x+1) x [y, y+1); layers are ways to get about."""

    walkable: NDArray[np.bool_]
    """[layers, height, width]"""
    detours: Distances | None
    """how far a walker goes from one cell to another; None = as far as it looks"""

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
        lengths = self.detours.between(self._cells(one), self._cells(other))
        return np.asarray(lengths - 1.0, np.float64)

    def is_around(self, one: NDArray[np.float64], other: NDArray[np.float64]) -> NDArray[np.bool_]:
        """[...] does a walker between places [..., 2] have to go around something?"""
        if self.detours is None:
            return np.zeros(one.shape[:-1], np.bool_)
        here, there = self._cells(one), self._cells(other)
        width = self.walkable.shape[2]
        across, along = np.abs(here % width - there % width), np.abs(here // width - there // width)
        # The way of a king in chess, who walks where nothing is in the way.
        free = np.maximum(across, along) + (math.sqrt(2.0) - 1.0) * np.minimum(across, along)
        return np.asarray(self.detours.between(here, there) > free + 0.5)

    def _cells(self, at: NDArray[np.float64]) -> NDArray[np.int64]:
        height, width = self.walkable.shape[1:]
        x = np.clip(at[..., 0].astype(np.int64), 0, width - 1)
        y = np.clip(at[..., 1].astype(np.int64), 0, height - 1)
        return np.asarray(y * width + x)
