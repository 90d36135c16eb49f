"""From run folders to a comparison, and from there to files."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from terrarium.errors import TerrariumError
from terrarium.report.aggregate import Statistics, all_statistics
from terrarium.report.curves import png_of
from terrarium.report.figures import png_of_figure
from terrarium.report.final_table import curves_csv, improvement_csv, statistics_csv
from terrarium.report.groups import RunGroup, group_runs
from terrarium.report.metrics import NotEvaluatedError
from terrarium.report.notes import notes_on
from terrarium.report.page import draw_all, page
from terrarium.report.runs import TrainedRun, find_runs, load_run
from terrarium.report.settings import printable
from terrarium.report.statistics_figure import statistics_figure
from terrarium.report.summary import Summary, summarize
from terrarium.report.table import csv_text
from terrarium.report.teams import with_teams

MOST_NAMED = 5
"""runs in a note"""
_PERHAPS = {"statistics.png", "statistics.svg"}
"""Files that only a comparison with aggregates has."""


@dataclass(frozen=True)
class Comparison:
    """Groups of runs, a row of the table for each, and what to keep in mind about them."""

    groups: tuple[RunGroup, ...]
    """and those of the teams"""
    rows: tuple[Summary, ...]
    statistics: tuple[Statistics, ...]
    """of all win rates, and of each other task or team"""
    notes: tuple[str, ...]


def compare(places: Iterable[str | Path], by: Sequence[str] = ()) -> Comparison:
    """Compare the runs at or below some folders.

    Runs that differ in their seed alone are one group; with `by`, those of one algorithm and
    scenario that agree in these settings are. Runs that have not been evaluated yet are left out,
    unless they were named themselves.
    """
    named = tuple(map(Path, places))
    runs, missing = _load(find_runs(named), named)
    groups = with_teams(group_runs(runs, by))
    notes = (*notes_on(groups), *_note_on(missing))
    return Comparison(groups, tuple(map(summarize, groups)), all_statistics(groups), notes)


def _load(found: Sequence[Path], named: Sequence[Path]) -> tuple[list[TrainedRun], list[Path]]:
    """Runs, and those that have not been evaluated yet."""
    runs, missing = [], []
    for path in found:
        try:
            runs.append(load_run(path))
        except NotEvaluatedError:
            missing.append(path)
            if path in named or len(missing) == len(found):
                raise
    return runs, missing


def _note_on(missing: Sequence[Path]) -> Iterator[str]:
    if missing:
        more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
        names = ", ".join(printable(str(path)) for path in missing[:MOST_NAMED])
        yield f"Not evaluated yet, so left out: {names}{more}."


def save_comparison(comparison: Comparison, folder: str | Path, title: str = "") -> dict[Path, int]:
    """Write pictures, page and tables into a folder; each file and its size in bytes.

    The title is that of the page; without one it is named after its scenarios.
    """
    folder = Path(folder)
    make_folder(folder)  # before the drawing, which takes seconds
    groups, statistics = comparison.groups, comparison.statistics
    drawings = draw_all(groups, statistics)
    texts = {
        "report.html": page(groups, comparison.rows, statistics, comparison.notes, title, drawings),
        "curves.svg": drawings.curves,
        "table.csv": csv_text(comparison.rows),
        "statistics.csv": statistics_csv(statistics),
        "improvement.csv": improvement_csv(statistics),
        "curves.csv": curves_csv(groups, statistics),
    }
    contents = {name: text.encode("utf-8") for name, text in texts.items()}
    contents["curves.png"] = png_of(groups)
    if drawings.statistics is not None:
        contents["statistics.svg"] = drawings.statistics.encode("utf-8")
        contents["statistics.png"] = png_of_figure(lambda: statistics_figure(groups, statistics))
    for name in _PERHAPS - contents.keys():
        (folder / name).unlink(missing_ok=True)  # from a comparison that had something to show
    return {folder / name: _write(folder / name, contents[name]) for name in sorted(contents)}


def make_folder(folder: Path) -> None:
    """Make a folder for the files, unless it is there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise TerrariumError(f"{folder}: this is a file; name a folder") from None
    except (OSError, ValueError) as error:
        raise TerrariumError(
            f"{folder}: cannot be made: {_reason(error)}; choose another folder"
        ) from error


def _write(path: Path, content: bytes) -> int:
    try:
        path.write_bytes(content)
    except OSError as error:
        raise TerrariumError(
            f"{path}: cannot be written: {_reason(error)}; choose another folder"
        ) from error
    return len(content)


def _reason(error: OSError | ValueError) -> str:
    """The system's words, or Python's for a name with a null character in it."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
