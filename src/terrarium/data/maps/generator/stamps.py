"""Ramps of exactly the cells that those of the recorded maps have, in any of four directions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terrarium.data.maps.grids import Mask

DIAGONALS = 8
"""from the lowest diagonal of a ramp to the highest; the ground rises two steps on each"""
STEPS_PER_DIAGONAL = 2
LANDING = 7
"""diagonals of flat ground kept open at each end"""
_SIDE = 4
"""diagonals of cliff at each side of a ramp"""
DIRECTIONS = ((1, 1), (1, -1), (-1, 1), (-1, -1))
Direction = tuple[int, int]


@dataclass(frozen=True)
class Stamp:
    """A ramp and what it needs around it.

    The diagonals across the way up have numbers: 0 the lowest, 8 the highest. Even ones have
    `width` cells, odd ones one less, and the seventh one more on each side.
    """

    x: int
    y: int
    """the corner of cells in the middle of the highest diagonal"""
    uphill: Direction
    width: int

    def place(self, along: int, across: int = 0) -> tuple[int, int]:
        """The corner of cells so many steps uphill of the top, and to one side."""
        ux, uy = self.uphill
        return self.x + along * ux + across * ux, self.y + along * uy - across * uy

    def draw(self, shape: tuple[int, ...]) -> "Drawing":
        height, width = shape
        ux, uy = self.uphill
        # From the corner to the centers of cells, in half cells: odd numbers.
        dx = 2 * (np.arange(width) - self.x) + 1
        dy = (2 * (np.arange(height) - self.y) + 1)[:, None]
        up = DIAGONALS + (ux * dx + uy * dy) // 2
        side = np.abs(ux * dx - uy * dy) // 2
        slope = (up >= 0) & (up <= DIAGONALS)
        n = self.width
        ramp = slope & ((side < n) | ((up == DIAGONALS - 1) & (side == n)))
        reach = n + _SIDE
        wall = (up > 0) & (up < DIAGONALS) & (side <= reach) & ~ramp
        upper = (up >= DIAGONALS) & (up <= DIAGONALS + LANDING) & (side <= n + 2) & ~ramp
        lower = (up <= 0) & (up >= -LANDING) & (side <= n + 2) & ~ramp
        return Drawing(ramp, wall, upper, lower, up)


@dataclass(frozen=True)
class Drawing:
    """The cells of a stamp."""

    ramp: Mask
    wall: Mask
    upper: Mask
    lower: Mask
    diagonal: NDArray[np.int64]

    @property
    def all(self) -> Mask:
        return self.ramp | self.wall | self.upper | self.lower
