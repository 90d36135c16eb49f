"""Recorded episodes of 3m from the real game, and the same arrays of our own battles."""

import zipfile
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.errors import TerrariumError

N_UNITS = 3
"""on either side"""
N_ACTIONS = 6 + N_UNITS

Floats = NDArray[np.float64]

_SHAPES = {
    "ally_xy": (N_UNITS, 2),
    "enemy_xy": (N_UNITS, 2),
    "ally_life": (N_UNITS,),
    "enemy_life": (N_UNITS,),
    "actions": (N_UNITS,),
}
_WHOLE = ("actions", "length")


@dataclass(frozen=True)
class RecordedEpisodes:
    """`n` episodes of up to `T` states; those of an episode are its first `length` ones.

    Step `t` leads from state `t` to state `t + 1`. A dead unit has no life, and no place.
    """

    ally_xy: Floats
    """[n, T, 3, 2]"""
    enemy_xy: Floats
    """[n, T, 3, 2] enemies in an order of each episode's own"""
    ally_life: Floats
    """[n, T, 3]"""
    enemy_life: Floats
    """[n, T, 3]"""
    actions: NDArray[np.int64]
    """[n, T, 3] SMAC's numbers; 6 + k attacks enemy k"""
    length: NDArray[np.int64]
    """[n]"""

    def __len__(self) -> int:
        return len(self.length)

    @property
    def n_states(self) -> int:
        return int(self.ally_life.shape[1])

    def first(self, n: int) -> "RecordedEpisodes":
        """The first episodes."""
        return RecordedEpisodes(*(array[:n] for array in vars(self).values()))

    def copy(self) -> "RecordedEpisodes":
        return RecordedEpisodes(*(array.copy() for array in vars(self).values()))

    def tails(self, begin: NDArray[np.int64]) -> "RecordedEpisodes":
        """Of each episode what follows its state `begin`; its last state stands for what is not
        there. A negative `begin` leaves an episode out."""
        chosen = np.flatnonzero(begin >= 0)
        first = begin[chosen]
        states = np.minimum(first[:, None] + np.arange(self.n_states), self.n_states - 1)
        cut = {name: getattr(self, name)[chosen[:, None], states] for name in _SHAPES}
        return RecordedEpisodes(**cut, length=self.length[chosen] - first)


def load_recordings(file: Path) -> RecordedEpisodes:
    """Recordings from an .npz file, checked."""
    try:
        with np.load(file, allow_pickle=False) as arrays:
            found: dict[str, Any] = {name: arrays[name] for name in (*_SHAPES, "length")}
    except KeyError as error:
        raise TerrariumError(f"{file}: these are no recordings of 3m: {error.args[0]}") from error
    except (OSError, ValueError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise TerrariumError(f"{file}: recordings cannot be read: {error}") from error
    _check(file, found)
    whole = {name: found.pop(name).astype(np.int64) for name in _WHOLE}
    numbers = {name: array.astype(np.float64) for name, array in found.items()}
    return RecordedEpisodes(**numbers, **whole)


def _check(file: Path, found: dict[str, NDArray[Any]]) -> None:
    """Refuse arrays that do not fit together."""
    length, shape = found["length"], found["ally_life"].shape
    if length.ndim != 1 or len(length) == 0 or len(shape) != 3:
        raise TerrariumError(f"{file}: recordings without episodes")
    for name, inner in _SHAPES.items():
        wanted = (len(length), shape[1], *inner)
        if found[name].shape != wanted:
            raise TerrariumError(
                f"{file}: {name} has shape {found[name].shape} instead of {wanted}"
            )
    for name, array in found.items():
        if array.dtype.kind not in ("iu" if name in _WHOLE else "f"):
            raise TerrariumError(f"{file}: {name} holds {array.dtype}")
        if not np.isfinite(array.astype(np.float64)).all():
            raise TerrariumError(f"{file}: {name} has values that are no finite numbers")
    for name, low, high in (("length", 2, shape[1]), ("actions", 0, N_ACTIONS - 1)):
        values = found[name].astype(np.int64)
        if values.min() < low or values.max() > high:
            raise TerrariumError(f"{file}: {name} must be {low} to {high}")


def match_by_place(ours: Floats, theirs: Floats) -> NDArray[np.int64]:
    """[n, 3] which of our units stands where each of theirs does: the smallest sum of squares."""
    orders = np.array(list(permutations(range(ours.shape[1]))))
    apart = ((ours[:, orders] - theirs[:, None]) ** 2).sum(axis=(2, 3))  # [n, orders]
    best: NDArray[np.int64] = orders[apart.argmin(axis=1)]
    return best
