"""The statistics of a group: its curve, and one row of the table."""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from terrarium.report.groups import RunGroup, panel_name
from terrarium.report.measures import Score
from terrarium.report.runs import TrainedRun

Axis = Literal["steps", "minutes"]
Floats = NDArray[np.float64]

LEVELS = (0.5, 0.8, 0.95)
"""Win rates for which the table says when they were reached."""
BOOTSTRAP_FROM = 5
"""With fewer runs resampling says little: the band is from the lowest to the highest run."""
N_RESAMPLES = 2000
_MAX_POINTS = 1000  # more than a picture has columns


@dataclass(frozen=True)
class Curve:
    """The win rate or the return of a group over steps or minutes.

    `mean` is that of its runs; where scenarios are put together, their interquartile mean.
    """

    x: Floats  # [P]
    mean: Floats  # [P]
    band: tuple[Floats, Floats] | None
    """lowest and highest, or the 95 % interval of the mean; nothing for a single run"""


@dataclass(frozen=True)
class Reached:
    """When a group first won that often."""

    level: float
    n_runs: int
    """how many of its runs did"""
    steps: float | None
    """median over all runs, of which the others count as later than any"""
    minutes: float | None


@dataclass(frozen=True)
class Summary:
    """One row of the table; win rates are shares of 1."""

    scenario: str
    team: str
    """empty: all agents"""
    measure: Score
    group: str
    algo: str
    settings: Mapping[str, str]
    n_runs: int
    seeds: tuple[int, ...]
    final_mean: float
    final_worst: float
    final_best: float
    best_evaluation: float
    """the highest of all evaluations of all runs"""
    reached: tuple[Reached, ...]
    """nothing where nothing is won: returns have no levels that all tasks share"""
    steps_per_s: float | None

    @property
    def panel(self) -> str:
        return panel_name(self.scenario, self.team)


def curve_of(runs: Sequence[TrainedRun], axis: Axis) -> Curve:
    """Mean and band of some runs, where each of them has a value."""
    points = [points_of(run, axis) for run in runs]
    if len(runs) == 1:
        return Curve(*points[0], band=None)
    grid = common_grid(points, [run.reached_target for run in runs])
    values = np.stack([interpolate(grid, x, y) for x, y in points])  # [R, P]
    return Curve(grid, values.mean(axis=0), _band(values))


def interpolate(grid: Floats, x: Floats, y: Floats) -> Floats:
    """Straight lines between the points, and the last value after them."""
    # Rounding may carry a straight line beyond its own ends.
    return np.clip(np.interp(grid, x, y), y.min(), y.max())


def summarize(group: RunGroup) -> Summary:
    """One row of the table."""
    finals = [run.scores[-1] for run in group.runs]
    speeds = [run.steps_per_s for run in group.runs if run.steps_per_s is not None]
    return Summary(
        scenario=group.scenario,
        team=group.team,
        measure=group.measure,
        group=group.label,
        algo=group.algo,
        settings=dict(group.settings),
        n_runs=len(group.runs),
        seeds=tuple(run.seed for run in group.runs),
        final_mean=statistics.fmean(finals),
        final_worst=min(finals),
        final_best=max(finals),
        best_evaluation=max(max(run.scores) for run in group.runs),
        reached=tuple(_reached(group.runs, level) for level in LEVELS)
        if group.measure.is_share
        else (),
        steps_per_s=statistics.fmean(speeds) if speeds else None,
    )


def points_of(run: TrainedRun, axis: Axis) -> tuple[Floats, Floats]:
    """When a run was evaluated, and how good it was."""
    x = run.steps if axis == "steps" else run.minutes
    return np.array(x, np.float64), np.array(run.scores, np.float64)


def common_grid(
    points: Sequence[tuple[Floats, Floats]],
    reached_target: Sequence[bool],
    max_points: int = _MAX_POINTS,
) -> Floats:
    """All moments of evaluation from where every run has begun to where the first one was cut off.

    A run that reached its target is held at its last value. One that ended otherwise (at its last
    step, or killed) is not: a mean over fewer runs from there on would jump.
    """
    begin = max(x[0] for x, _ in points)
    cut = [x[-1] for (x, _), held in zip(points, reached_target, strict=True) if not held]
    end = min(cut) if cut else max(x[-1] for x, _ in points)
    grid: Floats = np.unique(np.concatenate([x for x, _ in points]))
    grid = grid[(grid >= begin) & (grid <= end)]  # empty if one ended before another began
    if len(grid) > max_points:
        grid = grid[np.linspace(0, len(grid) - 1, max_points).round().astype(np.int64)]
    return grid


def _band(values: Floats) -> tuple[Floats, Floats]:
    """The spread of runs at each point, values [R, P]."""
    n_runs = len(values)
    if n_runs < BOOTSTRAP_FROM:
        return values.min(axis=0), values.max(axis=0)
    # A generator of its own with a fixed seed: the same runs give the same picture.
    rng = np.random.default_rng(0)
    drawn = rng.multinomial(n_runs, np.full(n_runs, 1.0 / n_runs), size=N_RESAMPLES)  # [N, R]
    low, high = np.quantile(drawn @ values / n_runs, (0.025, 0.975), axis=0)  # [P], [P]
    return low, high


def _reached(runs: Sequence[TrainedRun], level: float) -> Reached:
    firsts = [_first(run, level) for run in runs]
    n_reached = sum(math.isfinite(steps) for steps, _ in firsts)
    if 2 * n_reached < len(runs):
        return Reached(level, n_reached, None, None)
    steps, minutes = (_median([first[i] for first in firsts]) for i in (0, 1))
    return Reached(level, n_reached, steps, minutes)


def _first(run: TrainedRun, level: float) -> tuple[float, float]:
    """Steps and minutes of the first evaluation that won so often; never is infinitely late."""
    for steps, minutes, win_rate in zip(run.steps, run.minutes, run.scores, strict=True):
        if win_rate >= level:
            return float(steps), minutes
    return math.inf, math.inf


def _median(values: Sequence[float]) -> float:
    """The median; where just half of the runs arrived, the last of these."""
    middle = float(statistics.median(values))
    return middle if math.isfinite(middle) else statistics.median_low(values)
