"""Random numbers and noise in whole numbers: the same on every machine and with every NumPy."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_MASK = (1 << 64) - 1
T = TypeVar("T")


class Draws:
    """A stream of random numbers (splitmix64, Steele et al. 2014)."""

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def bits(self) -> int:
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def between(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + self.bits() % (high - low + 1)

    def chance(self, percent: int) -> bool:
        return self.between(1, 100) <= percent

    def choice(self, items: Sequence[T]) -> T:
        return items[self.between(0, len(items) - 1)]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        order = list(items)
        for k in range(len(order) - 1, 0, -1):
            other = self.between(0, k)
            order[k], order[other] = order[other], order[k]
        return order


def value_noise(
    draws: Draws, shape: tuple[int, int], spacing: int, amplitude: int
) -> NDArray[np.int64]:
    """Smooth noise from -amplitude to amplitude: a coarse lattice of numbers, interpolated."""
    height, width = shape
    rows, columns = height // spacing + 2, width // spacing + 2
    lattice = np.array(
        [[draws.between(-amplitude, amplitude) for _ in range(columns)] for _ in range(rows)],
        np.int64,
    )
    y, x = np.arange(height), np.arange(width)
    row, down = np.divmod(y, spacing)
    column, right = np.divmod(x, spacing)
    upper = lattice[row][:, column] * (spacing - right) + lattice[row][:, column + 1] * right
    lower = (
        lattice[row + 1][:, column] * (spacing - right) + lattice[row + 1][:, column + 1] * right
    )
    mixed: NDArray[np.int64] = upper * (spacing - down)[:, None] + lower * down[:, None]
    return mixed // (spacing * spacing)
