"""Knots from samples, one sample after the other: nothing of a long game is kept twice."""

import numpy as np
from numpy.typing import NDArray

from terrarium.replay.games.game_frames import LINES, STEPS, CellLayer, Knots

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

HIGHEST = 65_535
"""Numbers of records have 16 bits."""
_COLUMNS = [(name, line) for name, line in LINES.items() for _ in line.names]


class _Found:
    """Knots of one property in the order in which they were found."""

    def __init__(self, width: int) -> None:
        self._units: list[Ints] = []
        self._samples: list[Ints] = []
        self._values: list[Ints] = []
        self._width = width

    def add(self, units: Ints, samples: Ints, values: Ints) -> None:
        if len(units):
            self._units.append(units)
            self._samples.append(samples)
            self._values.append(values)

    def knots(self, n_lives: int) -> Knots:
        empty = np.zeros(0, np.int64)
        units = np.concatenate([empty, *self._units])
        samples = np.concatenate([empty, *self._samples])
        values = np.concatenate([np.zeros((0, self._width), np.int64), *self._values])
        order = np.argsort(units, kind="stable")
        first = np.searchsorted(units[order], np.arange(n_lives + 1))
        return Knots(first, samples[order], values[order])


class LineKnots:
    """The properties of `LINES` of all slots at once, as the fewest lines that are near enough.

    From the last knot of a slot all lines are kept in mind that pass every sample since within the
    tolerance. Where none is left, the line ends at the sample before.
    """

    def __init__(self, n_slots: int) -> None:
        shape = (n_slots, len(_COLUMNS))
        self._tolerance = np.array([float(line.tolerance) for _, line in _COLUMNS])
        self._steps = np.array([float(line.steps) for _, line in _COLUMNS])
        self._anchor, self._last = np.zeros(shape), np.zeros(shape)
        self._low, self._high = np.full(shape, -np.inf), np.full(shape, np.inf)
        self._since = np.zeros((n_slots, len(_COLUMNS)))  # tick of the anchor
        self._sample = np.zeros((n_slots, len(_COLUMNS)), np.int64)  # and its sample
        self._tick, self._n = 0.0, -1  # of the sample before
        names = [name for name, _ in _COLUMNS]
        self._parts = {name: slice(names.index(name), names.index(name) + len(LINES[name].names))
                       for name in LINES}  # fmt: skip
        self._found = {name: _Found(len(line.names)) for name, line in LINES.items()}

    def push(
        self, n: int, tick: int, values: Floats, lives: Ints, begin: Mask, there: Mask
    ) -> None:
        """Sample `n`: values in the game's units [slots, columns]; `lives` has the unit in each
        slot, `there` whether it was there at the sample before, `begin` whether it is new."""
        scaled = np.clip(values * self._steps, 0.0, float(HIGHEST))
        # No line may end outside of what can be stored.
        lowest = np.maximum(scaled - self._tolerance, 0.0)
        highest = np.minimum(scaled + self._tolerance, float(HIGHEST))
        apart = np.maximum(tick - self._since, 1.0)
        low = np.maximum(self._low, (lowest - self._anchor) / apart)
        high = np.minimum(self._high, (highest - self._anchor) / apart)
        broken = (low > high) & there[:, None]
        for name, part in self._parts.items():
            ends = np.flatnonzero(broken[:, part].any(axis=1))
            if len(ends):
                self._end(name, part, ends, lives)
                apart_now = tick - self._tick
                anchor = self._anchor[ends, part]
                low[ends, part] = (lowest[ends, part] - anchor) / apart_now
                high[ends, part] = (highest[ends, part] - anchor) / apart_now
            new = np.flatnonzero(begin)
            if len(new):
                at = np.full(len(new), n)
                self._found[name].add(lives[new], at, np.rint(scaled[new, part]).astype(np.int64))
        self._low, self._high = low, high
        self._anchor[begin] = np.rint(scaled[begin])
        self._low[begin], self._high[begin] = -np.inf, np.inf
        self._since[begin], self._sample[begin] = tick, n
        self._last = scaled
        self._tick, self._n = float(tick), n

    def finish(self, slots: Ints, lives: Ints) -> None:
        """These units are gone: their last lines end at the sample before."""
        for name, part in self._parts.items():
            open_ = slots[self._sample[slots, part][:, 0] < self._n]
            if len(open_):
                self._end(name, part, open_, lives)

    def knots(self, n_lives: int) -> dict[str, Knots]:
        return {name: found.knots(n_lives) for name, found in self._found.items()}

    def _end(self, name: str, part: slice, slots: Ints, lives: Ints) -> None:
        """End the lines of some slots at the sample before, and begin new ones there."""
        anchor = self._anchor[slots, part]
        apart = np.maximum(self._tick - self._since[slots, part], 1.0)
        slope = (self._last[slots, part] - anchor) / apart
        slope = np.clip(slope, self._low[slots, part], self._high[slots, part])
        value = np.clip(np.rint(anchor + slope * apart), 0.0, float(HIGHEST))
        self._anchor[slots, part] = value
        self._since[slots, part], self._sample[slots, part] = self._tick, self._n
        at = np.full(len(slots), self._n)
        self._found[name].add(lives[slots], at, value.astype(np.int64))


class StepKnots:
    """The properties of `STEPS` of all slots: a knot where one changes."""

    def __init__(self, n_slots: int) -> None:
        self._before = {name: np.zeros((n_slots, len(f)), np.int64) for name, f in STEPS.items()}
        self._found = {name: _Found(len(fields)) for name, fields in STEPS.items()}

    def push(self, n: int, name: str, values: Ints, lives: Ints, begin: Mask, there: Mask) -> None:
        values = np.clip(values, 0, HIGHEST)
        changed = ((values != self._before[name]).any(axis=1) & there) | begin
        slots = np.flatnonzero(changed)
        self._found[name].add(lives[slots], np.full(len(slots), n), values[slots])
        self._before[name] = values

    def knots(self, n_lives: int) -> dict[str, Knots]:
        return {name: found.knots(n_lives) for name, found in self._found.items()}


class LayerRuns:
    """One layer of the ground, as what changes from time to time."""

    def __init__(self, n_cells: int) -> None:
        self._before = np.zeros(n_cells, np.bool_)
        self._samples: list[int] = []
        self._runs: list[Ints] = []

    def push(self, n: int, cells: Mask) -> None:
        changed = cells ^ self._before
        if not changed.any():
            return
        borders = np.flatnonzero(np.diff(changed)) + 1
        borders = borders if not changed[0] else np.concatenate([[0], borders])
        last = np.flatnonzero(changed)[-1] + 1
        borders = borders[borders < last]
        self._runs.append(np.diff(np.concatenate([[0], borders, [last]])))
        self._samples.append(n)
        self._before = cells.copy()

    def layer(self) -> CellLayer:
        n_runs = np.array([len(runs) for runs in self._runs], np.int64)
        runs = np.concatenate([np.zeros(0, np.int64), *self._runs])
        return CellLayer(np.array(self._samples, np.int64), n_runs, runs)
