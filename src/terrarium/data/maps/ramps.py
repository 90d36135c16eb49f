"""Ramps, and the wall that closes the standard one.

Nearly all ramps of ladder maps run diagonally: their cells lie on nine diagonals across the way up
of `n` and `n - 1` cells in turn, with one cell more on each side of the last but one. The standard
ramp of a main has n = 2, 16 cells; wider ones have 34, 52, 70 and 88. Measured in the recorded
maps of `tests/data/maps/test_captures.py`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terrarium.data.maps.game_map import GameMap, Place
from terrarium.data.maps.grids import regions
from terrarium.data.maps.objects import Cell

FEWEST_CELLS = 8
STANDARD_CELLS, STANDARD_WIDTH = 16, 2
_STRAIGHT = 0.4
"""A ramp runs along an axis if its slope across is less than this share of that along"""


@dataclass(frozen=True)
class Wall:
    """Where structures close a standard ramp: centers, for the upper side."""

    depots: tuple[Place, Place, Place]
    """the two at the sides first, the one in the middle last"""
    barracks: Place
    """in place of the depot in the middle"""
    barracks_with_addon: Place
    """the same, moved aside where an add-on would meet a depot"""


@dataclass(frozen=True)
class Ramp:
    """Connected cells to walk but not to build on, of several heights."""

    cells: tuple[Cell, ...]
    uphill: tuple[int, int]
    """-1, 0 or 1 along x and along y"""
    upper: tuple[Cell, ...]
    """the cells furthest up"""
    lower: tuple[Cell, ...]

    @property
    def top(self) -> Place:
        return _center(self.upper)

    @property
    def bottom(self) -> Place:
        return _center(self.lower)

    @property
    def is_standard(self) -> bool:
        """Does the wall of three depots close it?"""
        ends = (len(self.upper), len(self.lower))
        return len(self.cells) == STANDARD_CELLS and ends == (STANDARD_WIDTH, STANDARD_WIDTH)

    def wall(self) -> Wall:
        """Of a standard ramp."""
        assert self.is_standard, "only a standard ramp has this wall"
        (x, y), (ux, uy) = self.top, self.uphill
        sides = ((x + 2 * ux, y - uy), (x - ux, y + 2 * uy))
        barracks = (x + 1.5 * ux, y + 1.5 * uy)
        # The add-on stands at the right: uphill to the left, it would meet the depot of that side.
        aside = (barracks[0] - (2 if ux < 0 else 0), barracks[1])
        return Wall((*sides, (x + ux, y + uy)), barracks, aside)


def find_ramps(game_map: GameMap) -> tuple[Ramp, ...]:
    """Every ramp, by its first cell."""
    open_only = game_map.pathing_grid & ~game_map.placement_grid & ~game_map.sight_blocker
    group = regions(open_only, corners=True)
    numbers, sizes = np.unique(group[open_only], return_counts=True)
    ramps = []
    for number in numbers[sizes >= FEWEST_CELLS].tolist():
        ys, xs = np.nonzero(group == number)
        heights = game_map.terrain_height[ys, xs].astype(np.int64)
        if heights.min() < heights.max():
            ramps.append(_ramp(xs, ys, heights))
    return tuple(ramps)


def main_ramp(game_map: GameMap, start: Place) -> Ramp | None:
    """The standard ramp nearest to a start, of those that lead down from its level."""
    home = int(game_map.terrain_height[int(start[1]), int(start[0])])
    near = [
        (_squared(ramp.top, start), ramp.cells[0], ramp)
        for ramp in find_ramps(game_map)
        if ramp.is_standard and abs(_top_height(game_map, ramp) - home) <= 2
    ]
    return min(near, key=lambda entry: entry[:2])[2] if near else None


def _ramp(xs: NDArray[np.int64], ys: NDArray[np.int64], heights: NDArray[np.int64]) -> Ramp:
    uphill = _uphill(xs, ys, heights)
    along = uphill[0] * xs + uphill[1] * ys

    def cells(chosen: NDArray[np.bool_]) -> tuple[Cell, ...]:
        return tuple(zip(xs[chosen].tolist(), ys[chosen].tolist(), strict=True))

    everything = np.ones(len(xs), np.bool_)
    lower, upper = along == along.min(), along == along.max()
    return Ramp(cells(everything), uphill, cells(upper), cells(lower))


def _uphill(
    xs: NDArray[np.int64], ys: NDArray[np.int64], heights: NDArray[np.int64]
) -> tuple[int, int]:
    """The direction in which heights rise; in whole numbers, so that machines agree."""
    n = len(xs)
    slopes = [n * int((at * heights).sum()) - int(at.sum()) * int(heights.sum()) for at in (xs, ys)]
    steepest = max(map(abs, slopes))
    x, y = (0 if abs(s) < _STRAIGHT * steepest else (s > 0) - (s < 0) for s in slopes)
    return x, y


def _top_height(game_map: GameMap, ramp: Ramp) -> int:
    return max(int(game_map.terrain_height[y, x]) for x, y in ramp.upper)


def _center(cells: tuple[Cell, ...]) -> Place:
    return (
        sum(x for x, _ in cells) / len(cells) + 0.5,
        sum(y for _, y in cells) / len(cells) + 0.5,
    )


def _squared(a: Place, b: Place) -> float:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2
