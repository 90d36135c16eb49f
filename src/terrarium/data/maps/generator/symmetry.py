"""Symmetries of maps: flips of the axes, so that every cell has an exact image.

A quarter turn is none of them: fields of 2 x 1 cells cannot be turned by 90 degrees.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.data.maps.objects import MapObject

Flip = tuple[bool, bool]
"""of x and of y"""
POINT: tuple[Flip, ...] = ((False, False), (True, True))
MIRROR: tuple[Flip, ...] = ((False, False), (True, False))
UPRIGHT_MIRROR: tuple[Flip, ...] = ((False, False), (False, True))
"""the same along y"""
FOUR: tuple[Flip, ...] = ((False, False), (True, False), (False, True), (True, True))


@dataclass(frozen=True)
class Symmetry:
    """The images that everything on a map of this size has; the first one is itself."""

    flips: tuple[Flip, ...]
    width: int
    height: int

    def point(self, flip: Flip, x: float, y: float) -> tuple[float, float]:
        return (self.width - x if flip[0] else x), (self.height - y if flip[1] else y)

    def points(self, x: float, y: float) -> list[tuple[float, float]]:
        """The distinct images of a point."""
        return list(dict.fromkeys(self.point(flip, x, y) for flip in self.flips))

    def objects(self, o: MapObject) -> list[MapObject]:
        """The distinct images of an object; diagonal ones turn when one axis is flipped."""
        images = []
        for flip in self.flips:
            x, y = self.point(flip, o.x, o.y)
            kind = _turned(o.type) if flip[0] != flip[1] else o.type
            images.append(MapObject(kind, float(x), float(y), o.contents))
        return list(dict.fromkeys(images))

    def everywhere(self, mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The union of a mask's images."""
        union: NDArray[np.bool_] = np.any([flipped(mask, flip) for flip in self.flips], axis=0)
        return union

    def even(self, noise: NDArray[np.int64]) -> NDArray[np.int64]:
        """Noise that is the same in every image."""
        total: NDArray[np.int64] = np.sum([flipped(noise, flip) for flip in self.flips], axis=0)
        return total

    def odd(self, noise: NDArray[np.int64], axis: int) -> NDArray[np.int64]:
        """Noise that points the other way in images that are flipped along x (0) or y (1)."""
        parts = [-flipped(noise, f) if f[axis] else flipped(noise, f) for f in self.flips]
        total: NDArray[np.int64] = np.sum(parts, axis=0)
        return total


def _turned(kind: str) -> str:
    """The type of a diagonal object that lies the other way."""
    for end, other in (("_blur", "_ulbr"), ("_ulbr", "_blur")):
        if kind.endswith(end):
            return kind.removesuffix(end) + other
    return kind


def flipped(grid: NDArray[Any], flip: Flip) -> NDArray[Any]:
    result = grid[:, ::-1] if flip[0] else grid
    return result[::-1] if flip[1] else result
