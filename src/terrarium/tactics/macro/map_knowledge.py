"""What a player knows of a map before the game: bases, the ways between them, room to build."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.data.maps.expansions import Expansion, find_expansions
from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.ramps import find_ramps
from terrarium.tactics.macro.game_view import Point

HALL_ROOM = 4
"""cells around the middle of a townhall that stay free"""
LINE_ROOM = 1.5
"""cells on both sides of the way of workers that stay free"""
RAMP_ROOM = 3
SITE_REACH = 19.0
"""how far from its townhall structures of a base are"""
BLOCK_X, BLOCK_Y = 7, 4
"""the raster of large structures: three cells, two for an add-on, and room to walk"""
POWER_REACH = 6.0
UNREACHED = 1 << 20

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class BaseSite:
    """A place for a base."""

    number: int
    x: float
    y: float
    fields: tuple[Point, ...]
    geysers: tuple[Point, ...]

    @property
    def place(self) -> Point:
        return self.x, self.y


class MapKnowledge:
    """The map as all players know it; made once, shared by them."""

    def __init__(self, game_map: GameMap) -> None:
        self.map = game_map
        self.walkable = game_map.walkable()
        self.sites = tuple(_site(k, e) for k, e in enumerate(find_expansions(game_map)))
        self._ways: dict[Point, NDArray[np.int64]] = {}
        self._rooms: dict[tuple[int, int], tuple[Point, ...]] = {}
        self._paths: dict[tuple[Point, Point], list[Point]] = {}
        self._power: dict[int, tuple[Point, ...]] = {}

    def site_at(self, x: float, y: float) -> BaseSite:
        """The site nearest to a point."""
        return min(self.sites, key=lambda s: ((s.x - x) ** 2 + (s.y - y) ** 2, s.number))

    def ways_from(self, place: Point) -> NDArray[np.int64]:
        """[height, width] steps to walk from a place to each cell; UNREACHED where there is no
        way."""
        if place not in self._ways:
            self._ways[place] = _flood(self.walkable, place)
        return self._ways[place]

    def steps(self, start: Point, goal: Point) -> int:
        return int(self.ways_from(start)[_cell(self.walkable, goal)])

    def path(self, start: Point, goal: Point) -> list[Point]:
        """Points of a shortest way, cell by cell, from the start on."""
        if (start, goal) not in self._paths:
            self._paths[start, goal] = self._find_path(start, goal)
        return self._paths[start, goal]

    def _find_path(self, start: Point, goal: Point) -> list[Point]:
        ways = self.ways_from(start)
        y, x = _cell(self.walkable, goal)
        path = [(x + 0.5, y + 0.5)]
        while 0 < ways[y, x] < UNREACHED:
            around = [(x + dx, y + dy) for dx, dy in ((1, 0), (0, 1), (-1, 0), (0, -1))]
            inside = [(a, b) for a, b in around if _is_inside(ways, a, b)]
            x, y = min(inside, key=lambda c: (ways[c[1], c[0]], c))
            path.append((x + 0.5, y + 0.5))
        return path[::-1]

    def sites_by_way(self, start: Point) -> tuple[BaseSite, ...]:
        """All sites that can be walked to, the nearest first."""
        far = [(self.steps(start, s.place), s.number, s) for s in self.sites]
        return tuple(s for steps, _, s in sorted(far, key=lambda e: e[:2]) if steps < UNREACHED)

    def room(self, site: BaseSite, size: int) -> tuple[Point, ...]:
        """Centers for structures of `size` cells around a base, the nearest first.

        Large ones stand in a raster that leaves room for add-ons and lanes, small ones outside of
        it.
        """
        key = (site.number, size)
        if key not in self._rooms:
            self._rooms[key] = self._find_room(site, size)
        return self._rooms[key]

    def _find_room(self, site: BaseSite, size: int) -> tuple[Point, ...]:
        lows = self._raster(site) if size >= 3 else self._gaps(site, size)
        centers = [(x + size / 2.0, y + size / 2.0) for x, y in lows]
        return tuple(
            sorted(centers, key=lambda c: ((c[0] - site.x) ** 2 + (c[1] - site.y) ** 2, c))
        )

    def _raster(self, site: BaseSite) -> list[tuple[int, int]]:
        """Lower left cells of large structures."""
        fits = _windows(self._open, 5, 3) & self._near(site)
        ys, xs = np.nonzero(fits)
        in_raster = ((xs - int(site.x)) % BLOCK_X == 0) & ((ys - int(site.y)) % BLOCK_Y == 0)
        return list(zip(xs[in_raster].tolist(), ys[in_raster].tolist(), strict=True))

    def _gaps(self, site: BaseSite, size: int) -> list[tuple[int, int]]:
        """Lower left cells of small structures: two and two between the large ones."""
        kept = self._open.copy()
        for x, y in self._raster(site):
            kept[y - 1 : y + 4, x : x + 5] = False
        fits = _windows(kept, size, size) & self._near(site)
        ys, xs = np.nonzero(fits)
        step = size + 1
        in_raster = ((xs - int(site.x)) % step == 0) & ((ys - int(site.y)) % step == 0)
        return list(zip(xs[in_raster].tolist(), ys[in_raster].tolist(), strict=True))

    def power_spots(self, site: BaseSite) -> tuple[Point, ...]:
        """Centers for Pylons, those first that power most large structures."""
        if site.number not in self._power:
            large, left, spots = self.room(site, 3), set(self.room(site, 3)), []
            candidates = list(self.room(site, 2))
            while candidates:
                powered = [
                    sum(1 for p in left if _squared(p, spot) <= POWER_REACH**2)
                    for spot in candidates
                ]
                best = candidates.pop(powered.index(max(powered)))
                left -= {p for p in large if _squared(p, best) <= POWER_REACH**2}
                spots.append(best)
            self._power[site.number] = tuple(spots)
        return self._power[site.number]

    def _near(self, site: BaseSite) -> Mask:
        ys, xs = np.ogrid[: self.map.height, : self.map.width]
        near = (xs - site.x) ** 2 + (ys - site.y) ** 2 <= SITE_REACH**2
        level = self.map.terrain_height[int(site.y), int(site.x)]
        same: Mask = near & (np.abs(self.map.terrain_height.astype(int) - int(level)) <= 2)
        return same

    @cached_property
    def _open(self) -> Mask:
        """Where structures may stand without closing a base."""
        free = self.map.buildable().copy()
        ys, xs = np.mgrid[: self.map.height, : self.map.width] + 0.5
        for site in self.sites:
            half = HALL_ROOM + 0.5
            free &= (np.abs(xs - site.x) > half) | (np.abs(ys - site.y) > half)
            for at in (*site.fields, *site.geysers):
                free &= _apart(xs, ys, site.place, at) > LINE_ROOM
        for ramp in find_ramps(self.map):
            for x, y in (ramp.top, ramp.bottom):
                free &= (np.abs(xs - x) > RAMP_ROOM) | (np.abs(ys - y) > RAMP_ROOM)
        return np.asarray(free)


def _site(number: int, expansion: Expansion) -> BaseSite:
    return BaseSite(
        number,
        expansion.x,
        expansion.y,
        tuple((o.x, o.y) for o in expansion.minerals),
        tuple((o.x, o.y) for o in expansion.geysers),
    )


def _windows(free: Mask, width: int, height: int) -> Mask:
    """Where a rectangle fits, by its lower left cell."""
    padded = np.pad(free, ((0, height), (0, width)))
    fits = np.ones(free.shape, np.bool_)
    for dy in range(height):
        for dx in range(width):
            fits &= padded[dy : dy + free.shape[0], dx : dx + free.shape[1]]
    return fits


def _apart(xs: NDArray[Any], ys: NDArray[Any], a: Point, b: Point) -> NDArray[np.float64]:
    """Distances of cells from the line between two points."""
    (ax, ay), (bx, by) = a, b
    length = (bx - ax) ** 2 + (by - ay) ** 2
    along = ((xs - ax) * (bx - ax) + (ys - ay) * (by - ay)) / max(length, 1e-9)
    along = np.clip(along, 0.0, 1.0)
    return np.asarray(np.hypot(xs - ax - along * (bx - ax), ys - ay - along * (by - ay)))


def _flood(walkable: Mask, place: Point) -> NDArray[np.int64]:
    """Steps along rows and columns, wave by wave."""
    ways = np.full(walkable.shape, UNREACHED, np.int64)
    wave = np.zeros(walkable.shape, np.bool_)
    wave[_cell(walkable, place)] = True
    free, steps = walkable & ~wave, 0
    while wave.any():
        ways[wave] = steps
        grown = np.zeros_like(wave)
        grown[1:] |= wave[:-1]
        grown[:-1] |= wave[1:]
        grown[:, 1:] |= wave[:, :-1]
        grown[:, :-1] |= wave[:, 1:]
        wave = grown & free
        free &= ~wave
        steps += 1
    return ways


def _cell(grid: Mask, at: Point) -> tuple[int, int]:
    y, x = int(at[1]), int(at[0])
    return min(max(y, 0), grid.shape[0] - 1), min(max(x, 0), grid.shape[1] - 1)


def _is_inside(ways: NDArray[np.int64], x: int, y: int) -> bool:
    return 0 <= y < ways.shape[0] and 0 <= x < ways.shape[1] and bool(ways[y, x] < UNREACHED)


def _squared(a: Point, b: Point) -> float:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2
