"""`terrarium compare`: learning curves and statistics of training runs."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro
from rich.table import Table

from terrarium.cli.tables import new_table, open_console, print_json, size_text
from terrarium.errors import TerrariumError

if TYPE_CHECKING:
    from terrarium.report.comparison import Comparison
    from terrarium.report.measures import Score


@dataclass(frozen=True)
class Compare:
    """Compare training runs: learning curves, statistics and a page.

    Runs that differ in nothing but their seed become one curve with a band.

    Final win rates, or returns where nothing is won, come with means and intervals.

    Example:  terrarium compare runs/3m_gru runs/3m_lstm --out gru_or_lstm
    """

    runs: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="RUN...")]
    """run folders, or folders with run folders anywhere below"""
    out: str = "comparison"
    """folder for report.html, pictures (PNG, SVG) and tables (CSV)"""
    by: tuple[str, ...] = ()
    """settings that make a group, whatever else differs; default: all but run.seed"""
    json: bool = False
    """print JSON instead of the table"""

    def __post_init__(self) -> None:
        if not self.runs:
            raise TerrariumError("compare needs a run folder. See: terrarium compare --help")
        if Path(self.out).is_file():
            raise TerrariumError(f"{self.out}: this is a file; name a folder")

    def run(self) -> None:
        from terrarium.report.comparison import compare, save_comparison
        from terrarium.report.final_table import json_statistics
        from terrarium.report.table import json_row

        comparison = compare(self.runs, self.by)
        files = save_comparison(comparison, self.out)
        if self.json:
            print_json(
                {
                    "rows": [json_row(row) for row in comparison.rows],
                    "statistics": json_statistics(comparison.statistics),
                    "notes": comparison.notes,
                    "files": {str(path): size for path, size in files.items()},
                }
            )
            return
        print_comparison(comparison, files)


def print_comparison(comparison: "Comparison", files: Mapping[Path, int]) -> None:
    """Both tables, of win rates and of returns where both are there; the notes and the files."""
    from terrarium.report.measures import MEASURES

    console = open_console(piped_width=140)
    measures = [one for one in MEASURES if one in {row.measure for row in comparison.rows}]
    for draw in (_table, _finals):
        for measure in measures:
            console.print(draw(comparison, measure))
            console.print()
    for note in comparison.notes:
        console.print(f"note: {note}")
    for path, size in files.items():
        print(f"{path} ({size_text(size)})")


def _table(comparison: "Comparison", measure: "Score") -> Table:
    from terrarium.report.table import N_TEXTS, cells, headings

    rows = (cells(row) for row in comparison.rows if row.measure == measure)
    return _filled(headings(measure), N_TEXTS, rows)


def _finals(comparison: "Comparison", measure: "Score") -> Table:
    from terrarium.report.final_table import N_TEXTS, cells, headings

    scales = [scale for scale in comparison.statistics if scale.measure == measure]
    rows = (cells(row, scale) for scale in scales for row in scale.finals)
    title = f"final {measure.name}s, with 95 % intervals"
    return _filled(headings(measure), N_TEXTS, rows, title)


def _filled(
    headings: Sequence[str], n_texts: int, rows: Iterable[Sequence[str]], title: str | None = None
) -> Table:
    table = new_table(title)
    for i, heading in enumerate(headings):
        table.add_column(heading, justify="left" if i < n_texts else "right")
    table.columns[0].style, table.columns[0].no_wrap = "cyan", True
    for row in rows:
        table.add_row(*row)
    return table
