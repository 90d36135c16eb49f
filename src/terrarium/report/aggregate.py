"""All runs of a label over all scenarios: final win rates, who is better, and IQM curves."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from terrarium.report.groups import Group
from terrarium.report.statistics import (
    Estimate,
    Floats,
    Profile,
    Scores,
    Statistic,
    estimates,
    has_spread,
    interval,
    iqm,
    performance_profile,
    probability_of_improvement,
    resample,
)
from terrarium.report.summary import Axis, Curve, common_grid, interpolate, points_of

_PROFILE_LEVELS = np.linspace(0.0, 1.0, 401)  # a step looks upright
_CURVE_POINTS = 80
_CURVE_RESAMPLES = 2000


@dataclass(frozen=True)
class FinalScores:
    """The last win rates of a label on one scenario or on all: one line of the table."""

    scenario: str
    """empty: all scenarios together"""
    label: str
    n_runs: int
    estimates: dict[Statistic, Estimate]


@dataclass(frozen=True)
class Improvement:
    """How likely a run of one label ends higher than a run of another on the same scenario."""

    label: str
    over: str
    probability: Estimate


@dataclass(frozen=True)
class Aggregate:
    """One label over all scenarios."""

    label: str
    final: FinalScores
    profile: Profile
    curves: dict[Axis, Curve]
    """the IQM over steps and over minutes"""


@dataclass(frozen=True)
class Statistics:
    """What a comparison says beyond its single groups."""

    scenarios: tuple[str, ...]
    finals: tuple[FinalScores, ...]
    """of every label over all scenarios if there are several, then of every group"""
    aggregates: tuple[Aggregate, ...]
    """labels that were trained on all scenarios, in the order of the groups"""
    improvements: tuple[Improvement, ...]
    """of every such label over every other"""

    @property
    def scope(self) -> str:
        """What the aggregates are about."""
        n = len(self.scenarios)
        return self.scenarios[0] if n == 1 else "both scenarios" if n == 2 else f"all {n} scenarios"


def statistics_of(groups: Sequence[Group]) -> Statistics:
    """Aggregate what can be aggregated: only labels with runs on every scenario compare fairly."""
    scenarios = tuple(dict.fromkeys(group.scenario for group in groups))
    by_label: dict[str, list[Group]] = {}
    for group in groups:
        by_label.setdefault(group.label, []).append(group)
    complete = {
        label: members for label, members in by_label.items() if len(members) == len(scenarios)
    }
    finals = [_final(group.scenario, group.label, [group]) for group in groups]
    aggregates = tuple(_aggregate(label, members) for label, members in complete.items())
    if len(scenarios) > 1:
        finals = [*(aggregate.final for aggregate in aggregates), *finals]
    return Statistics(scenarios, tuple(finals), aggregates, _improvements(complete))


def left_out(groups: Sequence[Group]) -> list[str]:
    """Labels that lack a scenario, and so are in no aggregate."""
    n_scenarios = len({group.scenario for group in groups})
    labels = [group.label for group in groups]
    return [label for label in dict.fromkeys(labels) if labels.count(label) < n_scenarios]


def scores_of(groups: Sequence[Group]) -> Scores:
    """The last evaluation of every run, scenario by scenario."""
    return [np.array([run.win_rates[-1] for run in group.runs], np.float64) for group in groups]


def iqm_curve(groups: Sequence[Group], axis: Axis) -> Curve:
    """The IQM over all runs of some groups, where each run has a value, with its interval."""
    runs = [run for group in groups for run in group.runs]
    points = [points_of(run, axis) for run in runs]
    grid = common_grid(points, [run.reached_target for run in runs], _CURVE_POINTS)
    if len(grid) == 0:
        return Curve(grid, grid, None)
    values = np.stack([interpolate(grid, x, y) for x, y in points], axis=1)  # [P, K]
    ends = np.cumsum([len(group.runs) for group in groups])
    parts: Scores = np.split(values, ends[:-1], axis=1)  # each [P, R]
    if not has_spread([part[0] for part in parts]):
        return Curve(grid, iqm(parts), None)
    return Curve(grid, iqm(parts), _band(parts))


def _band(parts: Scores) -> tuple[Floats, Floats]:
    """The interval at each point; every point sees the same draws, so that the band is smooth."""
    # Runs are drawn by their number: an array of numbers for each scenario.
    numbers = [np.arange(part.shape[1], dtype=np.float64) for part in parts]
    drawn = [array.astype(np.int64) for array in resample(numbers, _CURVE_RESAMPLES)]  # [N, R]
    lows, highs = [], []
    for p in range(parts[0].shape[0]):
        spread = iqm([part[p][chosen] for part, chosen in zip(parts, drawn, strict=True)])  # [N]
        low, high = interval(spread)
        lows.append(low)
        highs.append(high)
    return np.array(lows), np.array(highs)


def _final(scenario: str, label: str, members: Sequence[Group]) -> FinalScores:
    n_runs = sum(len(group.runs) for group in members)
    return FinalScores(scenario, label, n_runs, estimates(scores_of(members)))


def _aggregate(label: str, members: Sequence[Group]) -> Aggregate:
    return Aggregate(
        label=label,
        final=_final("", label, members),
        profile=performance_profile(scores_of(members), _PROFILE_LEVELS),
        curves={"steps": iqm_curve(members, "steps"), "minutes": iqm_curve(members, "minutes")},
    )


def _improvements(complete: dict[str, list[Group]]) -> tuple[Improvement, ...]:
    return tuple(
        Improvement(label, over, probability_of_improvement(scores_of(ours), scores_of(theirs)))
        for label, ours in complete.items()
        for over, theirs in complete.items()
        if label != over
    )
