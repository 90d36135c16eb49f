"""All runs of a label over scenarios of one scale: final scores, who is better, IQM curves."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from terrarium.report.groups import RunGroup, panel_name
from terrarium.report.measures import Score
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

_PROFILE_LEVELS = 401  # a step looks upright
_CURVE_POINTS = 80
_CURVE_RESAMPLES = 2000


@dataclass(frozen=True)
class FinalScores:
    """The last scores of a label on one scenario or on all: one line of the table."""

    scenario: str
    """empty: all scenarios together"""
    team: str
    """empty: all agents"""
    label: str
    n_runs: int
    estimates: dict[Statistic, Estimate]

    @property
    def panel(self) -> str:
        return panel_name(self.scenario, self.team)


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
    """What a comparison says beyond its single groups, about scenarios of one scale."""

    measure: Score
    scenarios: tuple[str, ...]
    """or a team in one"""
    finals: tuple[FinalScores, ...]
    """of every label over all scenarios if there are several, then of every group"""
    aggregates: tuple[Aggregate, ...]
    """labels that were trained on all scenarios, in the order of the groups"""
    improvements: tuple[Improvement, ...]
    """of every such label over every other"""

    @property
    def place(self) -> tuple[str, str]:
        """Scenario and team in files: those of a return, which stands for itself."""
        return (
            ("all", "") if self.measure.is_share else (self.finals[0].scenario, self.finals[0].team)
        )

    @property
    def scope(self) -> str:
        """What the aggregates are about."""
        n = len(self.scenarios)
        return self.scenarios[0] if n == 1 else "both scenarios" if n == 2 else f"all {n} scenarios"


def all_statistics(groups: Sequence[RunGroup]) -> tuple[Statistics, ...]:
    """One for all win rates together, and one for each other task or team: a mean over the
    returns of two tasks would say most about the one with the larger rewards."""
    by_scale: dict[str, list[RunGroup]] = {}
    for group in groups:
        by_scale.setdefault("" if group.measure.is_share else group.panel, []).append(group)
    return tuple(statistics_of(members) for members in by_scale.values())


def statistics_of(groups: Sequence[RunGroup]) -> Statistics:
    """Aggregate what can be aggregated: only labels with runs on every scenario compare fairly."""
    scenarios = tuple(dict.fromkeys(group.panel for group in groups))
    by_label: dict[str, list[RunGroup]] = {}
    for group in groups:
        by_label.setdefault(group.label, []).append(group)
    complete = {
        label: members for label, members in by_label.items() if len(members) == len(scenarios)
    }
    finals = [_final(group.scenario, [group]) for group in groups]
    levels = _profile_levels(groups)
    aggregates = tuple(_aggregate(members, levels) for members in complete.values())
    if len(scenarios) > 1:
        finals = [*(aggregate.final for aggregate in aggregates), *finals]
    improvements = _improvements(complete)
    return Statistics(groups[0].measure, scenarios, tuple(finals), aggregates, improvements)


def left_out(groups: Sequence[RunGroup]) -> list[str]:
    """Labels that lack a scenario, and so are in no aggregate over several."""
    groups = [group for group in groups if group.measure.is_share]
    n_scenarios = len({group.scenario for group in groups})
    labels = [group.label for group in groups]
    return [label for label in dict.fromkeys(labels) if labels.count(label) < n_scenarios]


def scores_of(groups: Sequence[RunGroup]) -> Scores:
    """The last evaluation of every run, scenario by scenario."""
    return [np.array([run.scores[-1] for run in group.runs], np.float64) for group in groups]


def iqm_curve(groups: Sequence[RunGroup], axis: Axis) -> Curve:
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


def _profile_levels(groups: Sequence[RunGroup]) -> Floats:
    """From never to always, or from below the lowest return to above the highest."""
    if groups[0].measure.is_share:
        return np.linspace(0.0, 1.0, _PROFILE_LEVELS)
    finals = np.concatenate(scores_of(groups))
    low, high = float(finals.min()), float(finals.max())
    room = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    return np.linspace(low - room, high + room, _PROFILE_LEVELS)


def _final(scenario: str, members: Sequence[RunGroup]) -> FinalScores:
    first, n_runs = members[0], sum(len(group.runs) for group in members)
    found = estimates(scores_of(members), has_optimum=first.measure.is_share)
    return FinalScores(scenario, first.team, first.label, n_runs, found)


def _aggregate(members: Sequence[RunGroup], levels: Floats) -> Aggregate:
    return Aggregate(
        label=members[0].label,
        final=_final("", members),
        profile=performance_profile(scores_of(members), levels),
        curves={"steps": iqm_curve(members, "steps"), "minutes": iqm_curve(members, "minutes")},
    )


def _improvements(complete: dict[str, list[RunGroup]]) -> tuple[Improvement, ...]:
    return tuple(
        Improvement(label, over, probability_of_improvement(scores_of(ours), scores_of(theirs)))
        for label, ours in complete.items()
        for over, theirs in complete.items()
        if label != over
    )
