"""What a comparison is given and gives: estimates with intervals, real beside ours."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from terrarium.bench.fidelity.recordings import RecordedEpisodes
from terrarium.data.battles.scenario import Scenario
from terrarium.data.battles.scenarios import load_scenario, with_rules
from terrarium.envs.compare import half_width
from terrarium.envs.evaluate import wilson_interval

PERCENT = "%"


@dataclass(frozen=True)
class Measured:
    """A number, and where it would be over endless battles, with a confidence of 95 %."""

    mean: float
    low: float | None = None
    high: float | None = None


def share_of(hits: ArrayLike) -> Measured:
    """How often something is true, with Wilson's interval."""
    given = np.asarray(hits, np.bool_)
    return share(int(given.sum()), given.size)


def share(hits: int, n: int) -> Measured:
    return Measured(hits / n, *wilson_interval(hits, n))


def mean_of(values: ArrayLike) -> Measured:
    """The mean of independent numbers, one for each battle."""
    given = np.asarray(values, np.float64)
    mean, half = float(given.mean()), half_width(given)
    return Measured(mean, mean - half, mean + half)


@dataclass(frozen=True)
class Row:
    """One number of the real game beside ours."""

    what: str
    ours: Measured | None
    """`None`: it could not be measured; the note says why"""
    real: Measured | None = None
    """`None`: no measurement is known"""
    unit: str = ""
    note: str = ""
    """where the real number comes from, if not from a recording"""

    @property
    def difference(self) -> float | None:
        if self.ours is None or self.real is None:
            return None
        return self.ours.mean - self.real.mean


@dataclass(frozen=True)
class FidelitySetting:
    """How all comparisons of a run are made."""

    episodes: int
    seed: int = 10000
    threads: int = 1
    rules: str | None = None
    recordings: RecordedEpisodes | None = None

    def scenario(self, name: str) -> Scenario:
        """A SMAC battle by the rules of this run."""
        return with_rules(load_scenario(name), self.rules)

    @property
    def recorded(self) -> RecordedEpisodes:
        """For comparisons that need recordings: these are made only where there are some."""
        assert self.recordings is not None
        return self.recordings


@dataclass(frozen=True)
class FidelityComparison:
    """An entry of the registry."""

    measure: Callable[[FidelitySetting], list[Row]]
    tests: tuple[str, ...]
    """rules of docs/fidelity.md on which the result depends most: first columns of its tables"""
    needs_recordings: bool = False
