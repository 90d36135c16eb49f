"""`terrarium bench`: measurements on this machine."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.table import Table

from terrarium.bench.engine import EngineBenchConfig, Throughput, bench_engine
from terrarium.cli.tables import new_table, open_console, print_json


@dataclass(frozen=True)
class BenchEngine(EngineBenchConfig):
    """Measure how many ticks and steps a second the engine plays on this machine.

    Example:  terrarium bench engine --scenarios 3m MMM2 --batch 1024 --threads 1 2
    """

    json: bool = False
    """print JSON"""

    def run(self) -> None:
        with Console(stderr=True).status("") as status:
            result = bench_engine(self, lambda text: status.update(f"measuring {text}"))
        if self.json:
            print_json(asdict(result))
            return
        console = open_console()
        m = result.machine
        load = "" if m.load is None else f", load {m.load:.1f}"
        console.print(
            f"{m.cpu}, {m.cores} cores{load}, {m.system}\n"
            f"Python {m.python}, numpy {m.numpy}, numba {m.numba}, "
            f"terrarium {m.terrarium}, rules version {m.rules_version}"
        )
        if result.rows:
            console.print()
            console.print(_throughput_table(result.rows))
        if result.scale:
            console.print()
            console.print(_throughput_table(result.scale))
            console.print(f"Twice the units cost {result.cost_of_doubling:.1f} times the time.")
        console.print("\nMedians of three; spread: (fastest - slowest) / median.")


def _throughput_table(rows: Sequence[Throughput]) -> Table:
    table = new_table()
    table.add_column("scenario", style="cyan", no_wrap=True)
    for name in ("units", "batch", "threads", "ticks/s", "steps/s", "spread"):
        table.add_column(name, justify="right")
    for row in rows:
        counts = (
            row.n_units,
            row.batch,
            row.threads,
            round(row.ticks_per_s),
            round(row.steps_per_s),
        )
        table.add_row(row.scenario, *(f"{count:,}" for count in counts), f"{row.spread:.0%}")
    return table
