"""How far it is to walk: a table on small maps; on larger ones nearby cells, and blocks beyond."""

import heapq
import math
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

# The eight neighbors of a cell, counterclockwise from east: bit d of a cell's exits.
NEIGHBORS = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))
MAX_CELLS = 2048
"""The distances between all cells of a larger map would need too much memory"""
NEAR = 12
"""How far around a cell its ways are known to the cell: what a fight needs"""
BLOCK = 4
"""Side of the blocks over which longer ways are measured"""
MAX_KEPT = 4096
"""cells around which ways are kept, 2.5 kB each"""

Cells = NDArray[np.int64]
Lengths = NDArray[np.float32]


class Distances(Protocol):
    """Ways between cells, which are numbered row by row."""

    def between(self, here: Cells, there: Cells) -> Lengths:
        """[...] how far a walker goes from some cells to others.

        Where there is no way, as to a cell in a wall, the straight line counts: bodies overlap
        walls, and nobody must feel safe because of that.
        """
        ...


def walking_distances(exits: NDArray[np.uint8]) -> Distances:
    """Ways through the exits [height, width] of all cells, which are a bit for each neighbor."""
    if exits.size > MAX_CELLS:
        return NearAndFarWays(exits)
    return _all_ways(exits.tobytes(), exits.shape[1])


@lru_cache(maxsize=16)  # a few megabytes each
def _all_ways(exits: bytes, width: int) -> "AllWays":
    """One table for all who play on a map: to find it takes some tenths of a second."""
    return AllWays(np.frombuffer(exits, np.uint8).reshape(-1, width))


class AllWays:
    """Every way, found in advance."""

    def __init__(self, exits: NDArray[np.uint8]) -> None:
        found = _sweep(exits)
        y, x = np.divmod(np.arange(exits.size), exits.shape[1])
        straight = np.hypot(x[:, None] - x, y[:, None] - y).astype(np.float32)
        self._table = np.where(np.isfinite(found), found, straight)

    def between(self, here: Cells, there: Cells) -> Lengths:
        return np.asarray(self._table[here, there])


class NearAndFarWays:
    """Ways found when they are first asked for: exact ones around a cell, and those to the rest of
    the map from block to block. A block is divided where walls divide it."""

    def __init__(self, exits: NDArray[np.uint8]) -> None:
        self._width = exits.shape[1]
        # With a rim that cannot be left, windows need not end at the border of the map.
        self._exits = np.pad(exits, NEAR)
        self._near: dict[int, Lengths] = {}
        self._far: dict[int, Lengths] = {}
        self._part = _parts_of_blocks(exits)
        self._roads = _roads(exits, self._part)

    def between(self, here: Cells, there: Cells) -> Lengths:
        here, there = np.broadcast_arrays(here, there)
        shape, here, there = here.shape, here.ravel(), there.ravel()
        goals, which = np.unique(there, return_inverse=True)
        self._find_near(goals)
        windows = np.stack([self._near[goal] for goal in goals.tolist()])
        (y0, x0), (y1, x1) = (np.divmod(cells, self._width) for cells in (here, there))
        straight = np.hypot(x0 - x1, y0 - y1)
        is_near = np.maximum(np.abs(y0 - y1), np.abs(x0 - x1)) <= NEAR
        dy, dx = (np.clip(way, -NEAR, NEAR) + NEAR for way in (y0 - y1, x0 - x1))
        way = np.where(is_near, windows[which, dy, dx], np.inf)
        far = ~np.isfinite(way)
        if far.any():
            # The ends of a way are anywhere in their blocks, on its side or behind them.
            way[far] = np.maximum(
                self._between_blocks(here[far], there[far]) - BLOCK, straight[far]
            )
        return np.where(np.isfinite(way), way, straight).reshape(shape).astype(np.float32)

    def _between_blocks(self, here: Cells, there: Cells) -> Lengths:
        """[P] from middle to middle; endless where there is no way."""
        start, goal = self._part[here], self._part[there]
        goals, which = np.unique(goal, return_inverse=True)
        for part in goals.tolist():
            if part >= 0 and part not in self._far:
                self._far[part] = _shortest(self._roads, part)
        nowhere = np.full(len(self._roads), np.inf, np.float32)
        table = np.stack([self._far.get(part, nowhere) for part in goals.tolist()])
        return np.where(start >= 0, table[which, start], np.float32(np.inf))

    def _find_near(self, goals: Cells) -> None:
        missing = np.array([goal for goal in goals.tolist() if goal not in self._near], np.int64)
        if len(self._near) + len(missing) > MAX_KEPT:
            self._near.clear()
            missing = goals
        if not len(missing):
            return
        side = 2 * NEAR + 1
        every = np.lib.stride_tricks.sliding_window_view(self._exits, (side, side))
        y, x = np.divmod(missing, self._width)
        middle = np.full(len(missing), NEAR * side + NEAR)
        found = _spread(every[y, x], middle).reshape(-1, side, side)
        self._near.update(zip(missing.tolist(), found, strict=True))


def _sweep(exits: NDArray[np.uint8]) -> Lengths:
    """[cells, cells] the shortest ways between all cells of a map.

    Cells learn from their neighbors in the order of their numbers and back: what one has learned
    its neighbors learn in the same sweep, so that few sweeps suffice.
    """
    far = np.full((exits.size, exits.size), np.inf, np.float32)
    np.fill_diagonal(far, 0.0)
    width = exits.shape[1]
    steps = [
        [
            (cell + dy * width + dx, np.float32(np.hypot(dx, dy)))
            for d, (dx, dy) in enumerate(NEIGHBORS)
            if bits >> d & 1
        ]
        for cell, bits in enumerate(exits.ravel().tolist())
    ]
    way, forth = np.empty(exits.size, np.float32), range(exits.size)
    changed = True
    while changed:
        before = far.copy()
        for cell in (*forth, *reversed(forth)):
            for neighbor, cost in steps[cell]:
                np.add(far[neighbor], cost, out=way)
                np.minimum(far[cell], way, out=far[cell])
        changed = not np.array_equal(before, far)
    return far.T


def _spread(exits: NDArray[np.uint8], goals: Cells) -> Lengths:
    """[G, cells] the shortest ways to a goal in each of many windows [G, height, width]."""
    n_goals, height, width = exits.shape
    # The border spares the neighbors of the outermost cells a special case.
    far = np.full((n_goals, height + 2, width + 2), np.inf, np.float32)
    inner = far[:, 1:-1, 1:-1]
    y, x = np.divmod(goals, width)
    inner[np.arange(n_goals), y, x] = 0.0
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
    return np.asarray(inner.reshape(n_goals, height * width))


def _neighbors(exits: NDArray[np.uint8]) -> tuple[Cells, Cells]:
    """Every open step of a map: from which cell, and to which one."""
    width = exits.shape[1]
    froms = [np.flatnonzero(exits.ravel() >> d & 1) for d in range(len(NEIGHBORS))]
    tos = [cells + dy * width + dx for cells, (dx, dy) in zip(froms, NEIGHBORS, strict=True)]
    return np.concatenate(froms), np.concatenate(tos)


def _parts_of_blocks(exits: NDArray[np.uint8]) -> Cells:
    """[cells] the part of its block that a cell belongs to: cells connected inside the block; -1
    where no walker can be."""
    height, width = exits.shape
    y, x = np.divmod(np.arange(height * width), width)
    block = y // BLOCK * -(-width // BLOCK) + x // BLOCK
    here, there = _neighbors(exits)
    inside = block[here] == block[there]
    here, there = here[inside], there[inside]
    name = np.arange(height * width)
    for _ in range(BLOCK * BLOCK):  # no way inside a block is longer
        np.minimum.at(name, here, name[there])
    part = np.full(height * width, -1, np.int64)
    open_cells = np.flatnonzero(exits.ravel())
    part[open_cells] = np.unique(name[open_cells], return_inverse=True)[1]
    return part


def _roads(exits: NDArray[np.uint8], part: Cells) -> list[list[tuple[int, float]]]:
    """For each part the parts beside it and how far they are, middle to middle."""
    here, there = _neighbors(exits)
    pairs = np.unique(np.stack([part[here], part[there]]), axis=1)
    open_cells = np.flatnonzero(part >= 0)
    counts = np.bincount(part[open_cells])
    axes = np.divmod(open_cells, exits.shape[1])
    middle = np.stack([np.bincount(part[open_cells], axis) / counts for axis in axes], axis=1)
    roads: list[list[tuple[int, float]]] = [[] for _ in counts]
    for one, other in pairs.T.tolist():
        if one != other:
            roads[one].append((other, math.dist(middle[one], middle[other])))
    return roads


def _shortest(roads: list[list[tuple[int, float]]], goal: int) -> Lengths:
    """How far it is from every part to one of them (Dijkstra 1959)."""
    far = np.full(len(roads), np.inf, np.float32)
    far[goal] = 0.0
    heap = [(0.0, goal)]
    while heap:
        way, part = heapq.heappop(heap)
        if way > far[part]:
            continue
        for other, length in roads[part]:
            if way + length < far[other]:
                far[other] = way + length
                heapq.heappush(heap, (float(far[other]), other))
    return far
