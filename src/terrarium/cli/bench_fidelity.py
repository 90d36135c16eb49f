"""`terrarium bench fidelity`: our battles beside recordings of the real game."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from terrarium.bench.fidelity.config import FidelityBenchConfig
from terrarium.cli.tables import new_table, open_console, print_json

if TYPE_CHECKING:
    from terrarium.bench.fidelity.bench import FidelityBench
    from terrarium.bench.fidelity.comparison import Measured, Row

PERCENT = "%"
UNKNOWN = "-"
COLUMNS = ("real game", "ours", "95 % interval", "difference")


@dataclass(frozen=True)
class BenchFidelity(FidelityBenchConfig):
    """Compare our battles with recordings of the real game.

    Each row says which rules of docs/fidelity.md it depends on.

    Example:  terrarium bench fidelity --only script switches --rules lotv-4.10
    """

    json: bool = False
    """print JSON"""

    def run(self) -> None:
        from terrarium.bench.fidelity.bench import bench_fidelity  # loads the engine

        with Console(stderr=True).status("") as status:
            result = bench_fidelity(self, lambda text: status.update(f"comparing {text}"))
        if self.json:
            print_json(_as_json(result))
            return
        console = open_console(piped_width=220)
        console.print(_table(result))
        console.print(
            f"\nterrarium {result.machine.terrarium}, rules version "
            f"{result.machine.rules_version}, rule set {self.rules or 'of each scenario'}; "
            f"{self.episodes:,} battles from seed {self.seed}, {result.n_recordings:,} recordings"
        )


def _as_json(result: "FidelityBench") -> dict[str, Any]:
    """Everything that the table shows."""
    answer = asdict(result)
    for part, given in zip(answer["results"], result.results, strict=True):
        for table, row in zip(part["rows"], given.rows, strict=True):
            table["difference"] = row.difference
    return answer


def _table(result: "FidelityBench") -> Table:
    table = new_table()
    table.add_column("comparison", style="cyan", no_wrap=True)
    table.add_column("what")
    for name in COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("tests assumption")
    for part in result.results:
        for number, row in enumerate(part.rows):
            first = (part.comparison, ", ".join(part.tests)) if number == 0 else ("", "")
            table.add_row(first[0], row.what, *_cells(row), first[1])
    return table


def _cells(row: "Row") -> tuple[str, str, str, str]:
    note = f" ({row.note})" if row.note and row.real else ""
    real = _number(row.real.mean, row.unit) + _around(row.real, row.unit) if row.real else UNKNOWN
    if row.ours is None:
        return real + note, row.note or UNKNOWN, UNKNOWN, UNKNOWN
    off = row.difference
    return (
        real + note,
        _number(row.ours.mean, row.unit),
        _interval(row.ours, row.unit) or UNKNOWN,
        UNKNOWN if off is None else _difference(off, row.unit),
    )


def _number(value: float, unit: str) -> str:
    # Nothing is "-0.00".
    return f"{value:.1%}" if unit == PERCENT else f"{round(value, 2) + 0.0:.2f}"


def _interval(estimate: "Measured", unit: str) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{_number(estimate.low, unit)} - {_number(estimate.high, unit)}"


def _around(estimate: "Measured", unit: str) -> str:
    interval = _interval(estimate, unit)
    return f" ({interval})" if interval else ""


def _difference(value: float, unit: str) -> str:
    return f"{100.0 * value:+.1f} points" if unit == PERCENT else f"{value:+.2f}"
