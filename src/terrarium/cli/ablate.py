"""`terrarium ablate`: a plan of many runs, and the report on them."""

import contextlib
import shlex
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from terrarium.cli.compare import print_comparison
from terrarium.cli.stopping import stop_on_signal
from terrarium.cli.tables import new_table, open_console, print_json, print_rows
from terrarium.errors import TerrariumError

if TYPE_CHECKING:
    from terrarium.marl.ablation.pool import Outcome, Snapshot
    from terrarium.marl.ablation.run_plan import Cell
    from terrarium.marl.ablation.run_status import RunStatus
    from terrarium.report.comparison import Comparison

Tell = Callable[["Snapshot"], None]


@dataclass(frozen=True)
class Ablate:
    """Train a grid of variants, scenarios and seeds, and compare them.

    The same command again goes on: what is done is skipped, the rest resumed.

    In the end it writes the report, as terrarium compare does.

    Example:  terrarium ablate core --quick
    """

    plan: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="PLAN")]
    """a plan as a TOML file, or the name of one; see: terrarium list plans"""
    quick: bool = False
    """change the plan as its quick part says: fewer seeds and steps"""
    out: str | None = None
    """folder of the experiment; default: runs/PLAN, or runs/PLAN_quick"""
    jobs: int = 1
    """cells at once; if more than one, each has one thread"""
    retry: bool = False
    """run the cells again that have failed"""
    device: str = "cpu"
    """where the networks are: cpu, cuda, ..."""
    json: bool = False
    """print the outcome as JSON"""

    def run(self) -> None:
        from terrarium.marl.ablation.plan_file import find_plan, read_plan
        from terrarium.marl.ablation.pool import PoolConfig, run_plan

        how = PoolConfig(self.jobs, self.retry, self.device)
        path = find_plan(self.plan)
        console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
        if self.plan.endswith(".toml") and path != Path(self.plan):
            console.print(f"{self.plan} is not here: taking the plan that comes with Terrarium")
        plan = read_plan(path, self.quick)
        folder = Path(self.out or f"runs/{path.stem}{'_quick' if self.quick else ''}")
        n_cells = len(list(plan.cells()))
        console.print(f"{plan.title}: {n_cells} cells, in {folder}")
        with (
            stop_on_signal("stopping: the running cells save") as is_stopped,
            _display(console) as tell,
        ):
            outcome = run_plan(plan, folder, how, tell, is_stopped)
        self._report(outcome, folder)

    def _report(self, outcome: "Outcome", folder: Path) -> None:
        """What came out, what failed and how to go on; the exit code says the same."""
        from terrarium.marl.ablation.cells import report_on
        from terrarium.report.final_table import json_statistics
        from terrarium.report.table import json_row

        comparison, files = _compare(outcome, folder)
        if self.json:
            answer: dict[str, Any] = {
                "experiment": str(folder),
                "cells": _cells_with_errors(outcome, report_on(outcome.plan.cells(), folder)),
                "rows": [json_row(row) for row in comparison.rows] if comparison else [],
                "statistics": json_statistics(comparison.statistics) if comparison else None,
                "notes": comparison.notes if comparison else [],
                "files": {str(path): size for path, size in files.items()},
            }
            print_json(answer)
        else:
            if comparison:
                print_comparison(comparison, files)
            self._print_rest(outcome)
        if outcome.unfinished:
            sys.exit(130)
        if outcome.failed:
            sys.exit(1)

    def _print_rest(self, outcome: "Outcome") -> None:
        """Cells that failed, cells that are not finished, and the commands for them."""
        if outcome.failed:
            print(f"\n{len(outcome.failed)} of {_n_cells(outcome)} cells failed:\n")
            _print_failures(outcome)
            print(f"\nrun them again:  {self._command('--retry')}")
        if outcome.unfinished:
            print(f"\n{len(outcome.unfinished)} of {_n_cells(outcome)} cells are not finished.")
            print(f"go on:  {self._command()}")

    def _command(self, *more: str) -> str:
        words = ["terrarium", "ablate", self.plan]
        words += ["--quick"] if self.quick else []
        words += ["--out", self.out] if self.out else []
        words += ["--jobs", str(self.jobs)] if self.jobs != 1 else []
        words += ["--device", self.device] if self.device != "cpu" else []
        return shlex.join([*words, *more])


@dataclass(frozen=True)
class ListPlans:
    """Show the plans that terrarium ablate can run.

    Example:  terrarium list plans
    """

    json: bool = False
    """print JSON"""

    def run(self) -> None:
        from terrarium.marl.ablation.plan_file import find_plan, plan_names, read_plan

        rows = []
        for name in plan_names():
            plan = read_plan(find_plan(name))
            rows.append(
                {
                    "plan": name,
                    "cells": len(list(plan.cells())),
                    "variants": len(plan.variants),
                    "scenarios": len(plan.scenarios),
                    "seeds": len(plan.seeds),
                    "title": plan.title,
                }
            )
        print_rows(rows, self.json)


def _compare(outcome: "Outcome", folder: Path) -> "tuple[Comparison | None, dict[Path, int]]":
    """The report on all cells that have something to show."""
    from terrarium.report.comparison import compare, save_comparison
    from terrarium.report.runs import load_run

    found = []
    for cell in outcome.done:
        try:
            load_run(folder / cell.folder)
        except TerrariumError as error:  # a curriculum that did not come to its last scenario
            print(f"left out of the report: {error}", file=sys.stderr)
        else:
            found.append(folder / cell.folder)
    if not found:
        return None, {}
    comparison = compare(found)
    return comparison, save_comparison(comparison, folder / "report", outcome.plan.title)


def _n_cells(outcome: "Outcome") -> int:
    return len(outcome.done) + len(outcome.failed) + len(outcome.unfinished)


def _print_failures(outcome: "Outcome") -> None:
    from terrarium.marl.ablation.cells import last_line

    table = new_table()
    for heading in ("cell", "error"):
        table.add_column(heading, overflow="fold")
    table.columns[0].style = "cyan"
    for failure in outcome.failed:
        table.add_row(failure.cell.name, last_line(failure.error))
    open_console().print(table)


def _cells_with_errors(outcome: "Outcome", rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """An error that could not be written into its folder is known here only."""
    errors = {failure.cell.folder: failure.error for failure in outcome.failed}
    cells = list(outcome.plan.cells())
    return [
        row | {"state": "failed", "error": errors[cell.folder]} if cell.folder in errors else row
        for row, cell in zip(rows, cells, strict=True)
    ]


@contextlib.contextmanager
def _display(console: Console) -> Iterator[Tell]:
    """Bars where somebody looks; elsewhere a line whenever a cell begins or ends."""
    if not console.is_terminal:
        yield _Lines(console).tell
        return
    bars = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[numbers]}"),
        TimeElapsedColumn(),
        TextColumn("{task.fields[left]}", style="cyan"),
        console=console,
    )
    with bars:
        yield _Bars(bars).tell


class _Bars:
    """One bar for all cells, and one for each that runs."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._all = bars.add_task("all cells", total=1.0, numbers="", left="")
        self._tasks: dict[str, TaskID] = {}

    def tell(self, snapshot: "Snapshot") -> None:
        left = "" if snapshot.left_s is None else f"{_time_text(snapshot.left_s)} left"
        self._bars.update(self._all, completed=snapshot.share, numbers=_counts(snapshot), left=left)
        running = {cell.folder for cell, *_ in snapshot.running}
        for folder in self._tasks.keys() - running:
            self._bars.remove_task(self._tasks.pop(folder))
        for cell, glance, share in snapshot.running:
            if cell.folder not in self._tasks:
                task = self._bars.add_task(cell.name, total=1.0, numbers="", left="")
                self._tasks[cell.folder] = task
            task = self._tasks[cell.folder]
            self._bars.update(task, completed=share, numbers=_numbers(glance))


class _Lines:
    """News only, each with how far everything is."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._known: set[tuple[str, str]] | None = None

    def tell(self, snapshot: "Snapshot") -> None:
        states: list[tuple[str, Cell]] = [("done", cell) for cell in snapshot.done]
        states += [("failed", failure.cell) for failure in snapshot.failed]
        known_before = self._known is not None
        states += [("begins", cell) for cell, *_ in snapshot.running]
        if self._known is None:
            self._known = set()
        for what, cell in states:
            if (what, cell.folder) in self._known:
                continue
            self._known.add((what, cell.folder))
            # What ended before this program started is no news.
            if known_before or what == "begins":
                self._console.print(f"{snapshot.share:4.0%}  {cell.name}: {what}")


def _counts(snapshot: "Snapshot") -> str:
    failed = f", {len(snapshot.failed)} failed" if snapshot.failed else ""
    return f"{len(snapshot.done)} of {snapshot.n_cells} done{failed}"


def _numbers(glance: "RunStatus") -> str:
    if glance.win_rate is not None:
        test = f"{glance.win_rate:.0%}"
    else:  # where nothing is won
        test = "-" if glance.test_return is None else f"{glance.test_return:.2f}"
    return f"{glance.steps:,} steps  test {test}  {_time_text(glance.seconds)}"


def _time_text(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return (
        f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
        if minutes >= 60
        else f"{minutes}:{rest:02d}"
    )
