"""How an agent's observations become columns."""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from terrarium.envs.pettingzoo.errors import PettingZooError

MASK = "action_mask"
UNBOUNDED = 1e6
"""Bounds beyond this are no bounds: such values are left as they are"""

OBSERVATIONS = "Box, Discrete, MultiDiscrete, MultiBinary, and Dict and Tuple of these"


class ObsCode:
    """Translates the observations of one agent; a mask in them is kept apart."""

    def __init__(self, env_name: str, agent: str, space: Any) -> None:
        self.env_name, self.agent = env_name, agent
        self.holds_mask = isinstance(space, spaces.Dict) and MASK in space.spaces
        self._keys: tuple[str, ...] = ()
        if self.holds_mask:
            self._keys = tuple(key for key in space.spaces if key != MASK)
            space = _without_mask(space, self._keys)
        self.space = space
        middles, halves = _scales(env_name, agent, space)
        self.size = len(middles)
        self._middle, self._half = middles, halves
        self._is_plain = isinstance(space, spaces.Box)
        self._as_is = bool((middles == 0.0).all() and (halves == 1.0).all())

    def write(self, row: NDArray[np.float32], seen: Any) -> None:
        """One observation into `row` [size]."""
        if self.holds_mask:
            seen = self._unmasked(seen)
        wrong = _complaint(self.space, seen)
        if wrong:
            raise PettingZooError(
                f"{self.env_name}, {self.agent}: an observation {wrong}; its space is {self.space}"
            )
        if self._is_plain:
            flat = np.asarray(seen).reshape(-1)
        else:
            flat = np.asarray(spaces.flatten(self.space, seen))
        if self._as_is and flat.dtype == np.float32:
            row[...] = flat
            return
        with np.errstate(over="ignore"):  # what is too large becomes inf, and is then refused
            row[...] = flat if self._as_is else (flat - self._middle) / self._half

    def mask_in(self, seen: Any, info: Any) -> Any:
        """The mask of an observation, or of the info beside it; None if there is none."""
        if self.holds_mask:
            return seen.get(MASK)
        return info.get(MASK) if info else None

    def _unmasked(self, seen: Any) -> Any:
        missing = [key for key in (*self._keys, MASK) if key not in seen]
        if missing:
            raise PettingZooError(
                f"{self.env_name}, {self.agent}: an observation lacks {', '.join(missing)}; "
                f"expected: {', '.join((*self._keys, MASK))}"
            )
        if len(self._keys) == 1:
            return seen[self._keys[0]]
        return {key: seen[key] for key in self._keys}


def _without_mask(space: Any, keys: tuple[str, ...]) -> Any:
    if len(keys) == 1:
        return space.spaces[keys[0]]
    return spaces.Dict({key: space.spaces[key] for key in keys})


def _scales(
    env_name: str, agent: str, space: Any
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """[size] what is subtracted from each flat column, and what it is then divided by."""
    if isinstance(space, spaces.Dict | spaces.Tuple):
        leaves = space.spaces.values() if isinstance(space, spaces.Dict) else space.spaces
        pairs = [_scales(env_name, agent, leaf) for leaf in leaves]
        none = np.zeros(0)
        return (
            np.concatenate([none, *(middle for middle, _ in pairs)]),
            np.concatenate([none, *(half for _, half in pairs)]),
        )
    if isinstance(space, spaces.Box):
        low = space.low.reshape(-1).astype(np.float64)
        high = space.high.reshape(-1).astype(np.float64)
        bounded = (np.abs(low) < UNBOUNDED) & (np.abs(high) < UNBOUNDED)
        low, high = np.where(bounded, low, -1.0), np.where(bounded, high, 1.0)
        return 0.5 * (low + high), np.where(high > low, 0.5 * (high - low), 1.0)
    if isinstance(space, spaces.Discrete | spaces.MultiDiscrete | spaces.MultiBinary):
        size = int(spaces.flatdim(space))
        return np.zeros(size), np.ones(size)
    raise PettingZooError(
        f"{env_name}, {agent}: observations in {space} are not supported. Supported: {OBSERVATIONS}"
    )


def _complaint(space: Any, seen: Any) -> str:
    """What is wrong with an observation, or nothing. Bounds are the environment's own affair."""
    if isinstance(space, spaces.Box):
        return _box_complaint(space, seen)
    if isinstance(space, spaces.Dict):
        if not isinstance(seen, dict) or set(seen) != set(space.spaces):
            return f"is {_short(seen)} instead of a dict of {', '.join(space.spaces)}"
        found = (_complaint(leaf, seen[key]) for key, leaf in space.spaces.items())
        return next(filter(None, found), "")
    if isinstance(space, spaces.Tuple):
        if not isinstance(seen, tuple | list) or len(seen) != len(space.spaces):
            return f"is {_short(seen)} instead of a tuple of {len(space.spaces)}"
        found = (_complaint(leaf, value) for leaf, value in zip(space.spaces, seen, strict=True))
        return next(filter(None, found), "")
    # Of the others flatten makes bits, and a value outside would silently set a wrong one.
    value = np.asarray(seen)
    if value.dtype.kind in "iub" and value.shape == space.shape:
        typed: Any = value.astype(space.dtype) if space.shape else int(value)
        return "" if space.contains(typed) else f"is {_short(seen)}, which is outside"
    return f"is {_short(seen)} instead of whole numbers of shape {space.shape}"


def _box_complaint(space: Any, seen: Any) -> str:
    try:
        value = np.asarray(seen)
    except ValueError:  # rows of different lengths
        return f"is {_short(seen)} instead of an array"
    if value.dtype.kind not in "iufb":
        return f"is {_short(seen)} instead of numbers"
    return "" if value.shape == space.shape else f"has shape {value.shape} instead of {space.shape}"


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
