"""How an agent's actions become columns, and columns become what its environment wants."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from terrarium.envs.pettingzoo.errors import PettingZooError

NOTHING = 0
"""The column of an agent that is not there, or has nothing to choose"""

CHOICE, REAL, FLAG = "choice", "real", "flag"

ACTIONS = "Discrete, MultiDiscrete, MultiBinary, and Box with finite bounds"


@dataclass(frozen=True)
class Part:
    """Columns that belong together: "choice" is one of n, "real" n numbers, "flag" n bits."""

    kind: str
    n: int


class ActionCode:
    """Translates the actions of one agent. Its columns come after `NOTHING`, part by part."""

    def __init__(self, env_name: str, agent: str, space: Any) -> None:
        self.env_name, self.agent, self.space = env_name, agent, space
        self.parts = _parts_of(env_name, agent, space)
        self.width = sum(part.n for part in self.parts)
        self.is_masked = all(part.kind == CHOICE for part in self.parts)
        """whether a mask makes sense: only choices have one"""
        ends = np.cumsum([part.n for part in self.parts], dtype=np.int64)
        self.spans = tuple(
            (int(end) - part.n, int(end)) for part, end in zip(self.parts, ends, strict=True)
        )
        """from which column to which each part goes, `NOTHING` not counted"""
        first_of_each = np.zeros(1 + self.width)
        for part, (first, _) in zip(self.parts, self.spans, strict=True):
            if part.kind == CHOICE:
                first_of_each[1 + first] = 1.0
        self.idle = first_of_each
        """[1 + K] some action, for environments that want one from an agent that has no choice"""

    def from_index(self, index: int) -> Any:
        """What the environment wants for choice `index`, counted from 1; 0 gives the first one."""
        k = max(0, index - 1)
        if isinstance(self.space, spaces.Discrete):
            return self.space.dtype.type(k + self.space.start)
        return self._joined([k])

    def from_vector(self, vector: NDArray[Any]) -> Any:
        """The environment's action for `vector` [1 + K or more]; any one with `NOTHING` chosen."""
        if vector[NOTHING]:
            vector = self.idle
        own = vector[1 : 1 + self.width].astype(np.float64)
        if isinstance(self.space, spaces.Box):
            return self._scaled(own)
        if isinstance(self.space, spaces.MultiBinary):
            return own.astype(self.space.dtype).reshape(self.space.shape)
        picks = [int(own[first:last].argmax()) for first, last in self.spans]
        if isinstance(self.space, spaces.Discrete):
            return self.from_index(1 + picks[0])
        return self._joined(picks)

    def to_vector(self, action: Any) -> NDArray[np.float64]:
        """[1 + K] the columns of an action of the environment."""
        vector = np.zeros(1 + self.width)
        given = np.asarray(action, np.float64).reshape(-1)
        if isinstance(self.space, spaces.Box):
            low, high = self._bounds()
            span = np.where(high > low, high - low, 1.0)
            vector[1:] = np.clip(2.0 * (given - low) / span - 1.0, -1.0, 1.0)
        elif isinstance(self.space, spaces.MultiBinary):
            vector[1:] = given
        else:
            starts = np.asarray(self.space.start).reshape(-1)
            for (first, _), value, start in zip(self.spans, given, starts, strict=True):
                vector[1 + first + int(value) - int(start)] = 1.0
        return vector

    def write_avail(self, row: NDArray[np.bool_], mask: Any) -> None:
        """What the agent may choose, into `row` [K + 1 or more]; no mask: everything."""
        row[...] = False
        if mask is None:
            row[1 : 1 + self.width] = True
        else:
            row[1 : 1 + self.width] = self._checked(mask)
        if not row.any():
            row[NOTHING] = True

    def _checked(self, mask: Any) -> NDArray[np.bool_]:
        """A mask, given at once or as one for each part: [K]."""
        who = f"{self.env_name}, {self.agent}"
        if not self.is_masked:
            raise PettingZooError(
                f"{who}: it has an action_mask, but acts in {self.space}; masks are possible for "
                "Discrete and MultiDiscrete"
            )
        pieces = mask if isinstance(mask, tuple | list) else [mask]
        flat = np.concatenate([np.asarray(piece).reshape(-1) for piece in pieces])
        if flat.shape != (self.width,) or not np.isin(flat, (0, 1)).all():
            raise PettingZooError(
                f"{who}: its action_mask has {flat.size} values from {flat.min(initial=0)} to "
                f"{flat.max(initial=0)}; {self.space} needs {self.width} of 0 and 1"
            )
        allowed: NDArray[np.bool_] = flat.astype(np.bool_)
        empty = [not allowed[first:last].any() for first, last in self.spans]
        if any(empty) and not all(empty):
            raise PettingZooError(
                f"{who}: its action_mask leaves nothing for component {empty.index(True)} of "
                f"{self.space}, but something for others; leave something for each, or for none"
            )
        return allowed

    def _joined(self, picks: list[int]) -> NDArray[Any]:
        """An action of MultiDiscrete, by the number of each component's choice."""
        space = self.space
        values = np.asarray(picks).reshape(space.shape) + space.start
        joined: NDArray[Any] = values.astype(space.dtype)
        return joined

    def _scaled(self, own: NDArray[np.float64]) -> NDArray[Any]:
        """An action of Box, by numbers from -1 to 1."""
        low, high = self._bounds()
        values = low + 0.5 * (own + 1.0) * (high - low)
        if self.space.dtype.kind in "iu":
            values = np.rint(values)
        # Rounding must not lead out of the space.
        scaled = np.clip(values, low, high).astype(self.space.dtype).reshape(self.space.shape)
        clipped: NDArray[Any] = np.clip(scaled, self.space.low, self.space.high)
        return clipped

    def _bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        low, high = self.space.low, self.space.high
        return low.reshape(-1).astype(np.float64), high.reshape(-1).astype(np.float64)


def _parts_of(env_name: str, agent: str, space: Any) -> tuple[Part, ...]:
    if isinstance(space, spaces.Discrete):
        return (Part(CHOICE, int(space.n)),)
    if isinstance(space, spaces.MultiDiscrete):
        return tuple(Part(CHOICE, int(n)) for n in np.asarray(space.nvec).reshape(-1))
    if isinstance(space, spaces.MultiBinary):
        return (Part(FLAG, int(np.prod(space.shape))),)
    if isinstance(space, spaces.Box) and np.isfinite([space.low, space.high]).all():
        return (Part(REAL, int(np.prod(space.shape))),)
    raise PettingZooError(
        f"{env_name}, {agent}: actions in {space} are not supported. Supported: {ACTIONS}"
    )
