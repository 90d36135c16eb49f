"""The regions around sites, on tiles of two by two cells, as the game's cliffs are drawn."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from terrarium.data.maps.generator.draws import Draws, value_noise
from terrarium.data.maps.generator.plan import MapPlan
from terrarium.data.maps.generator.symmetry import Flip

TILE = 2
"""cells"""
Pair = tuple[int, int]
"""two images of sites, by their places in `MapPlan.images`, the lower one first"""


@dataclass(frozen=True)
class Regions:
    """Which image of a site each tile belongs to. Lengths are in half cells."""

    plan: MapPlan
    first: NDArray[np.int64]
    """[rows, columns] the nearest image"""
    second: NDArray[np.int64]
    """the nearest of the others"""
    gap: NDArray[np.int64]
    """from the tile to the border between the two"""
    third_gap: NDArray[np.int64]
    """the same for the nearest and the third"""
    squared: NDArray[np.int64]
    """distance to the nearest image, squared"""

    @cached_property
    def levels(self) -> NDArray[np.int64]:
        """Of each image."""
        return np.array([self.plan.sites[number].level for number, _, _ in self.plan.images])

    def borders(self) -> Counter[Pair]:
        """How many tiles lie along the border between two images."""
        near = self.gap < 2 * TILE
        low = np.minimum(self.first[near], self.second[near])
        high = np.maximum(self.first[near], self.second[near])
        return Counter(zip(low.tolist(), high.tolist(), strict=True))

    def orbit(self, pair: Pair) -> list[Pair]:
        """The pair and its images, the lowest one first."""
        places = {(x, y): k for k, (_, x, y) in enumerate(self.plan.images)}

        def moved(k: int, flip: Flip) -> int:
            _, x, y = self.plan.images[k]
            return places[self.plan.symmetry.point(flip, x, y)]

        images = set()
        for flip in self.plan.symmetry.flips:
            a, b = (moved(k, flip) for k in pair)
            images.add((min(a, b), max(a, b)))
        return sorted(images)


def make_regions(draws: Draws, plan: MapPlan) -> Regions:
    """The nearest sites of every tile, with borders that noise has moved."""
    symmetry = plan.symmetry
    rows, columns = symmetry.height // TILE, symmetry.width // TILE
    x = np.broadcast_to(4 * np.arange(columns) + 2, (rows, columns)).astype(np.int64)
    y = np.broadcast_to((4 * np.arange(rows) + 2)[:, None], (rows, columns)).astype(np.int64)
    for spacing, share in ((12, 2), (5, 1)):
        amplitude = plan.roughness * share // 2
        x = x + symmetry.odd(value_noise(draws, (rows, columns), spacing, amplitude), 0)
        y = y + symmetry.odd(value_noise(draws, (rows, columns), spacing, amplitude), 1)
    centers = [(round(2 * cx), round(2 * cy)) for _, cx, cy in plan.images]
    weights = [(2 * plan.sites[number].reach) ** 2 for number, _, _ in plan.images]
    near = np.stack([(x - cx) ** 2 + (y - cy) ** 2 for cx, cy in centers])
    power = near - np.array(weights)[:, None, None]
    order = np.argsort(power, axis=0, kind="stable")
    first, second, third = order[:3]
    powers = np.take_along_axis(power, order[:3], axis=0)
    apart = np.array(
        [
            [max(1, isqrt((ax - bx) ** 2 + (ay - by) ** 2)) for bx, by in centers]
            for ax, ay in centers
        ]
    )
    return Regions(
        plan=plan,
        first=first,
        second=second,
        gap=(powers[1] - powers[0]) // (2 * apart[first, second]),
        third_gap=(powers[2] - powers[0]) // (2 * apart[first, third]),
        squared=np.take_along_axis(near, order[:1], axis=0)[0],
    )
