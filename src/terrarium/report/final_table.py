"""Final win rates with their intervals, and who is better: as texts, as CSV and as JSON."""

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from terrarium.report.aggregate import FinalScores, Statistics
from terrarium.report.groups import Group
from terrarium.report.statistics import Estimate
from terrarium.report.summary import Axis, curve_of

HEADINGS = ("scenario", "group", "runs", "IQM", "median", "mean", "optimality gap")
N_TEXTS = 2
"""So many columns on the left are words, the others numbers."""
_AXES: tuple[Axis, ...] = ("steps", "minutes")


def cells(row: FinalScores, statistics: Statistics) -> list[str]:
    """One row of the table under `HEADINGS`."""
    return [
        row.scenario or statistics.scope,
        row.label,
        str(row.n_runs),
        estimate_text(row.estimates["iqm"]),
        # The median over a single scenario is its mean.
        "-" if row.scenario else estimate_text(row.estimates["median"]),
        estimate_text(row.estimates["mean"]),
        estimate_text(row.estimates["gap"]),
    ]


def estimate_text(estimate: Estimate) -> str:
    """A share with its interval: 87.5% [80.1, 92.0]."""
    value = f"{estimate.value:.1%}"
    if estimate.low is None or estimate.high is None:
        return value
    return f"{value} [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"


def improvement_matrix(statistics: Statistics) -> list[list[str]]:
    """A row for each label: how likely it is to be better than each of the labels."""
    labels = [aggregate.label for aggregate in statistics.aggregates]
    texts = {
        (improvement.label, improvement.over): estimate_text(improvement.probability)
        for improvement in statistics.improvements
    }
    return [[label, *(texts.get((label, over), "-") for over in labels)] for label in labels]


def json_statistics(statistics: Statistics) -> dict[str, Any]:
    return {
        "finals": [asdict(row) | {"scenario": row.scenario or "all"} for row in statistics.finals],
        "improvements": [asdict(improvement) for improvement in statistics.improvements],
    }


def statistics_csv(statistics: Statistics) -> str:
    """A line for each statistic of each row; intervals that do not exist are empty."""
    return _csv(
        ("scenario", "group", "runs", "statistic", "value", "low", "high"),
        [
            (row.scenario or "all", row.label, row.n_runs, name, *_numbers(estimate))
            for row in statistics.finals
            for name, estimate in row.estimates.items()
        ],
    )


def improvement_csv(statistics: Statistics) -> str:
    """A line for each pair of groups."""
    return _csv(
        ("group", "over", "probability", "low", "high"),
        [(one.label, one.over, *_numbers(one.probability)) for one in statistics.improvements],
    )


def curves_csv(groups: Sequence[Group], statistics: Statistics) -> str:
    """Every point of every curve: means of groups, then IQMs over all scenarios."""
    curves = [
        (group.scenario, group.label, "mean", axis, curve_of(group.runs, axis))
        for group in groups
        for axis in _AXES
    ]
    curves += [
        ("all", aggregate.label, "iqm", axis, aggregate.curves[axis])
        for aggregate in statistics.aggregates
        for axis in _AXES
    ]
    lines: list[tuple[object, ...]] = []
    for scenario, label, what, axis, curve in curves:
        for i, (x, y) in enumerate(zip(curve.x.tolist(), curve.mean.tolist(), strict=True)):
            band = (None, None) if curve.band is None else [float(side[i]) for side in curve.band]
            lines.append((scenario, label, what, axis, x, y, *band))
    return _csv(("scenario", "group", "statistic", "axis", "x", "value", "low", "high"), lines)


def _numbers(estimate: Estimate) -> tuple[float | None, ...]:
    return estimate.value, estimate.low, estimate.high


def _csv(headings: Sequence[str], lines: Sequence[Sequence[object]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(headings)
    writer.writerows(lines)
    return file.getvalue()
