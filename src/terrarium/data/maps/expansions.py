"""Where townhalls belong: the free spot nearest to each group of resources."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terrarium.data.maps.game_map import GameMap, Place
from terrarium.data.maps.grids import TOWNHALL_SIDE, Mask, townhall_ban
from terrarium.data.maps.objects import MapObject

BLOCKER_CONTENTS = 450
"""Fields with so few minerals block a way; they belong to no base"""
REACH = 9
"""A base's resources lie within this many cells of its townhall's center, along x and along y"""
FEWEST = 3
"""Resources of a base, at least"""


@dataclass(frozen=True)
class Expansion:
    """A place for a townhall, and the resources that it is for."""

    x: float
    y: float
    resources: tuple[MapObject, ...]

    @property
    def place(self) -> Place:
        return self.x, self.y

    @property
    def minerals(self) -> tuple[MapObject, ...]:
        return tuple(o for o in self.resources if o.kind.kind == "minerals")

    @property
    def geysers(self) -> tuple[MapObject, ...]:
        return tuple(o for o in self.resources if o.kind.kind == "vespene")

    @property
    def is_rich(self) -> bool:
        return any(o.kind.is_rich for o in self.minerals)


def find_expansions(game_map: GameMap) -> tuple[Expansion, ...]:
    """Every place for a townhall, start locations among them, sorted by x and y.

    A spot that most resources are near to comes first; among equals that with the smallest sum of
    squared distances.
    """
    free = townhall_centers(game_map)
    left = [o for o in game_map.resources if o.amount > BLOCKER_CONTENTS]
    found = []
    while left:
        spot = _best_spot(free, left)
        if spot is None:
            break
        x, y = spot
        mine = [o for o in left if abs(o.x - x) <= REACH and abs(o.y - y) <= REACH]
        left = [o for o in left if o not in mine]
        found.append(Expansion(x, y, tuple(sorted(mine, key=lambda o: (o.x, o.y)))))
    return tuple(sorted(found, key=lambda e: e.place))


def townhall_centers(game_map: GameMap) -> Mask:
    """The cells on which the middle of a townhall may be, starts of players included."""
    shape = game_map.pathing_grid.shape
    free = game_map.buildable() & ~townhall_ban(shape, game_map.objects)
    half = TOWNHALL_SIDE // 2
    padded = np.pad(free, half)
    centers = np.ones(shape, np.bool_)
    for dy in range(TOWNHALL_SIDE):
        for dx in range(TOWNHALL_SIDE):
            centers &= padded[dy : dy + shape[0], dx : dx + shape[1]]
    return centers


def _best_spot(free: Mask, resources: list[MapObject]) -> Place | None:
    n_near = np.zeros(free.shape, np.int64)
    apart = np.zeros(free.shape, np.int64)
    for o in resources:
        x0, x1 = _range(o.x, free.shape[1])
        y0, y1 = _range(o.y, free.shape[0])
        n_near[y0:y1, x0:x1] += 1
        apart[y0:y1, x0:x1] += _squares(o.y, y0, y1)[:, None] + _squares(o.x, x0, x1)
    n_near[~free] = 0
    most = int(n_near.max())
    if most < FEWEST:
        return None
    apart[n_near < most] = np.iinfo(np.int64).max
    y, x = divmod(int(apart.argmin()), free.shape[1])
    return x + 0.5, y + 0.5


def _range(at: float, size: int) -> tuple[int, int]:
    """The cells whose centers are within reach."""
    return max(0, -int(-(at - REACH - 0.5) // 1)), min(size, int((at + REACH - 0.5) // 1) + 1)


def _squares(at: float, first: int, end: int) -> NDArray[np.int64]:
    """Squared distances along one axis, in quarters: whole numbers."""
    apart = 2 * np.arange(first, end) + 1 - round(2 * at)
    return apart * apart
