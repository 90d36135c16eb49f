"""The rows of the table as texts for people, as CSV and as JSON."""

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from terrarium.report.measures import Score
from terrarium.report.summary import LEVELS, Reached, Summary

N_TEXTS = 2
"""So many columns on the left are words, the others numbers."""


def headings(measure: Score) -> tuple[str, ...]:
    """Above the rows of a measure; only shares of 1 have levels to be reached."""
    final = "final" if measure.is_share else f"final {measure.name}"
    return (
        *("scenario", "group", "runs", final, "worst - best", "best test"),
        *(f"to {level:.0%}" for level in LEVELS if measure.is_share),
        "steps/s",
    )


def cells(row: Summary) -> list[str]:
    """One row of the table under `headings`."""
    text = row.measure.text
    # A minus and a dash between numbers look alike.
    between = "-" if row.measure.is_share else "to"
    worst_and_best = f"{text(row.final_worst)} {between} {text(row.final_best)}"
    return [
        row.panel,
        row.group,
        str(row.n_runs),
        text(row.final_mean),
        worst_and_best if row.n_runs > 1 else "-",
        text(row.best_evaluation),
        *(_reached_text(reached, row.n_runs) for reached in row.reached),
        "-" if row.steps_per_s is None else f"{row.steps_per_s:,.0f}",
    ]


def json_row(row: Summary) -> dict[str, Any]:
    return asdict(row) | {"measure": row.measure.key}


def csv_text(rows: Sequence[Summary]) -> str:
    """The table with its numbers in full, for other programs; what was not reached is empty."""
    file = io.StringIO()
    records = [_record(row) for row in rows]
    # Rows of returns lack the columns of levels.
    names = max((list(record) for record in records), key=len)
    writer = csv.DictWriter(file, fieldnames=names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return file.getvalue()


def steps_text(steps: float) -> str:
    """A number of steps in three digits: 950, 12.5k, 1.25M."""
    for size, sign in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")):
        # What would be rounded to 1000k is 1M.
        if steps >= 0.9995 * size:
            return f"{steps / size:,.3g}{sign}" if steps < 1e15 else f"{steps:.2e}"
    return f"{steps:.3g}"


def minutes_text(minutes: float) -> str:
    return f"{minutes:,.0f} min" if minutes >= 9.95 else f"{minutes:.1f} min"


def _reached_text(reached: Reached, n_runs: int) -> str:
    if reached.steps is None or reached.minutes is None:
        return "-"
    some = "" if reached.n_runs == n_runs else f" ({reached.n_runs}/{n_runs})"
    return f"{steps_text(reached.steps)}, {minutes_text(reached.minutes)}{some}"


def _record(row: Summary) -> dict[str, object]:
    record: dict[str, object] = {
        "scenario": row.scenario,
        "team": row.team,
        "measure": row.measure.key,
        "group": row.group,
        "algo": row.algo,
        "runs": row.n_runs,
        "seeds": " ".join(map(str, row.seeds)),
        "final_mean": row.final_mean,
        "final_worst": row.final_worst,
        "final_best": row.final_best,
        "best_evaluation": row.best_evaluation,
    }
    for reached in row.reached:
        level = f"{100 * reached.level:.0f}"
        record[f"runs_to_{level}"] = reached.n_runs
        record[f"steps_to_{level}"] = reached.steps
        record[f"minutes_to_{level}"] = reached.minutes
    return record | {"steps_per_s": row.steps_per_s}
