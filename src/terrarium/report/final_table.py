"""Final scores with their intervals, and who is better: as texts, as CSV and as JSON."""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from terrarium.report.aggregate import FinalScores, Statistics
from terrarium.report.groups import RunGroup
from terrarium.report.measures import WIN_RATE, Score
from terrarium.report.statistics import Estimate
from terrarium.report.summary import Axis, Curve, curve_of

N_TEXTS = 2
"""So many columns on the left are words, the others numbers."""
_AXES: tuple[Axis, ...] = ("steps", "minutes")


def headings(measure: Score) -> tuple[str, ...]:
    """Above the rows of a measure. Returns have no optimum, and no median over scenarios."""
    if measure.is_share:
        return ("scenario", "group", "runs", "IQM", "median", "mean", "optimality gap")
    return ("scenario", "group", "runs", "IQM", "mean")


def cells(row: FinalScores, statistics: Statistics) -> list[str]:
    """One row of the table under `headings`."""
    measure = statistics.measure
    texts = {name: estimate_text(one, measure) for name, one in row.estimates.items()}
    head = [row.panel if row.scenario else statistics.scope, row.label, str(row.n_runs)]
    if not measure.is_share:
        return [*head, texts["iqm"], texts["mean"]]
    # The median over a single scenario is its mean.
    median = "-" if row.scenario else texts["median"]
    return [*head, texts["iqm"], median, texts["mean"], texts["gap"]]


def estimate_text(estimate: Estimate, measure: Score = WIN_RATE) -> str:
    """A number with its interval: 87.5% [80.1, 92.0], or -15.48 [-16.02, -14.90]."""
    value = measure.text(estimate.value)
    if estimate.low is None or estimate.high is None:
        return value
    return f"{value} [{measure.bare(estimate.low)}, {measure.bare(estimate.high)}]"


def improvement_matrix(statistics: Statistics) -> list[list[str]]:
    """A row for each label: how likely it is to be better than each of the labels."""
    labels = [aggregate.label for aggregate in statistics.aggregates]
    texts = {
        (improvement.label, improvement.over): estimate_text(improvement.probability)
        for improvement in statistics.improvements
    }
    return [[label, *(texts.get((label, over), "-") for over in labels)] for label in labels]


def json_statistics(scales: Sequence[Statistics]) -> dict[str, Any]:
    finals = [
        asdict(row) | {"scenario": row.scenario or "all", "measure": scale.measure.key}
        for scale in scales
        for row in scale.finals
    ]
    improvements = [
        asdict(one) | dict(zip(("scenario", "team"), scale.place, strict=True))
        for scale in scales
        for one in scale.improvements
    ]
    return {"finals": finals, "improvements": improvements}


def statistics_csv(scales: Sequence[Statistics]) -> str:
    """A line for each statistic of each row; intervals that do not exist are empty."""
    return _csv(
        ("scenario", "group", "runs", "statistic", "value", "low", "high", "measure", "team"),
        [
            (
                *(row.scenario or "all", row.label, row.n_runs, name, *_numbers(estimate)),
                *(scale.measure.key, row.team),
            )
            for scale in scales
            for row in scale.finals
            for name, estimate in row.estimates.items()
        ],
    )


def improvement_csv(scales: Sequence[Statistics]) -> str:
    """A line for each pair of groups."""
    return _csv(
        ("group", "over", "probability", "low", "high", "scenario", "team"),
        [
            (one.label, one.over, *_numbers(one.probability), *scale.place)
            for scale in scales
            for one in scale.improvements
        ],
    )


def curves_csv(groups: Sequence[RunGroup], scales: Sequence[Statistics]) -> str:
    """Every point of every curve: means of groups, then IQMs over all scenarios."""
    lines: list[tuple[object, ...]] = []
    for group in groups:
        for axis in _AXES:
            begin = (group.scenario, group.label, "mean", axis)
            end = (group.measure.key, group.team)
            lines += [(*begin, *point, *end) for point in _points(curve_of(group.runs, axis))]
    for scale in scales:
        scenario, team = scale.place
        for aggregate in scale.aggregates:
            for axis in _AXES:
                begin, end = (scenario, aggregate.label, "iqm", axis), (scale.measure.key, team)
                lines += [(*begin, *point, *end) for point in _points(aggregate.curves[axis])]
    names = ("scenario", "group", "statistic", "axis", "x", "value", "low", "high")
    return _csv((*names, "measure", "team"), lines)


def _points(curve: Curve) -> Iterator[tuple[float | None, ...]]:
    """x, value and the ends of the band, if there is one."""
    for i, (x, y) in enumerate(zip(curve.x.tolist(), curve.mean.tolist(), strict=True)):
        band = (None, None) if curve.band is None else [float(side[i]) for side in curve.band]
        yield x, y, *band


def _numbers(estimate: Estimate) -> tuple[float | None, ...]:
    return estimate.value, estimate.low, estimate.high


def _csv(headings: Sequence[str], lines: Sequence[Sequence[object]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(headings)
    writer.writerows(lines)
    return file.getvalue()
