"""From run folders to a comparison, and from there to files."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from terrarium.errors import TerrariumError
from terrarium.report.curves import png_of
from terrarium.report.groups import Group, group_runs
from terrarium.report.notes import notes_on
from terrarium.report.page import page
from terrarium.report.runs import find_runs, load_run
from terrarium.report.summary import Summary, summarize
from terrarium.report.table import csv_text


@dataclass(frozen=True)
class Comparison:
    """Groups of runs, a row of the table for each, and what to keep in mind about them."""

    groups: tuple[Group, ...]
    rows: tuple[Summary, ...]
    notes: tuple[str, ...]


def compare(places: Iterable[str | Path], by: Sequence[str] = ()) -> Comparison:
    """Compare the runs at or below some folders.

    Runs that differ in their seed alone are one group; with `by`, those of one algorithm and
    scenario that agree in these settings are.
    """
    groups = group_runs([load_run(path) for path in find_runs(places)], by)
    return Comparison(groups, tuple(map(summarize, groups)), notes_on(groups))


def save_comparison(comparison: Comparison, folder: str | Path) -> dict[Path, int]:
    """Write picture, page and table into a folder; each file and its size in bytes."""
    folder = Path(folder)
    contents = {
        "curves.png": png_of(comparison.groups),
        "report.html": page(comparison.groups, comparison.rows, comparison.notes).encode("utf-8"),
        "table.csv": csv_text(comparison.rows).encode("utf-8"),
    }
    make_folder(folder)
    return {folder / name: _write(folder / name, content) for name, content in contents.items()}


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
