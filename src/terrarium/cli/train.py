"""`terrarium train`: an algorithm learns a scenario."""

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tyro
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from terrarium.cli.stopping import stop_on_signal
from terrarium.cli.tables import print_json, size_text
from terrarium.errors import TerrariumError

if TYPE_CHECKING:
    from terrarium.marl.settings import Settings
    from terrarium.marl.trainer import Progress as RunProgress
    from terrarium.marl.trainer import Trainer

WORTH_TELLING = 50_000_000
"""Bytes; whoever takes less need not be told"""


@dataclass(frozen=True)
class Train:
    """Train an algorithm on a scenario.

    Settings are words such as algo.lr=5e-4; see: terrarium list settings mappo

    The run is a folder: settings, metrics, events, checkpoints and replays.

    Example:  terrarium train mappo smac/3m run.seed=7 run.target_win_rate=0.95
    """

    words: Annotated[
        tuple[str, ...],
        tyro.conf.Positional,
        tyro.conf.arg(metavar="[ALGO SCENARIO] [SECTION.KEY=VALUE...]"),
    ] = ()
    """an algorithm; a scenario or a file; settings that differ from the preset"""
    preset: str | None = None
    """settings to begin with instead of the scenario's own; a name or a TOML file"""
    resume: str | None = None
    """go on with the run in this folder; only settings run.max_... and run.target_... may change"""
    device: str = "cpu"
    """where the networks are: cpu, cuda, ..."""
    json: bool = False
    """print the outcome as JSON"""

    def run(self) -> None:
        console = Console(stderr=True, highlight=False, markup=False, soft_wrap=True)
        trainer = self._resumed() if self.resume is not None else self._new(console)
        console.print(
            f"{trainer.settings.algo_name} on {' -> '.join(trainer.settings.scenarios)}, "
            f"seed {trainer.settings.run.seed}, in {trainer.folder.path}"
        )
        try:
            with (
                stop_on_signal("stopping after this update") as is_stopped,
                _display(trainer, console) as tell,
            ):
                reason = trainer.train(tell, is_stopped)
        finally:
            trainer.close()
        self._report(trainer, reason)

    def _new(self, console: Console) -> "Trainer":
        if len(self.words) < 2:
            raise TerrariumError(
                "train needs an algorithm and a scenario: terrarium train mappo smac/3m"
            )
        from terrarium.config import layer_from_words
        from terrarium.marl.run_folder import create_run
        from terrarium.marl.settings import resolve
        from terrarium.marl.trainer import Trainer, check_start

        algo, scenario, *rest = self.words
        settings = resolve(algo, scenario, layer_from_words(rest), self.preset)
        kept = check_start(settings, self.device)
        if kept >= WORTH_TELLING:
            console.print(f"it will keep up to {size_text(kept)} of what it plays, to learn from")
        return Trainer(settings, create_run(settings), self.device)

    def _resumed(self) -> "Trainer":
        from terrarium.marl.run_folder import open_run
        from terrarium.marl.trainer import Trainer

        assert self.resume is not None
        if self.preset is not None:
            raise TerrariumError("a resumed run has its own settings; leave out --preset")
        folder, settings, content = open_run(Path(self.resume))
        return Trainer(_extended(settings, self.words), folder, self.device, content)

    def _report(self, trainer: "Trainer", reason: str) -> None:
        progress, path = trainer.progress, trainer.folder.path
        answer: dict[str, Any] = {
            "folder": str(path),
            "reason": reason,
            "steps": progress.steps,
            "seconds": round(progress.seconds, 1),
            "test_win_rate": progress.test_win_rate if progress.test_win_rate >= 0.0 else None,
            "best_win_rate": progress.best_win_rate if progress.best_win_rate >= 0.0 else None,
            "test_return": progress.test_return if progress.last_test else None,
        }
        if self.json:
            print_json(answer)
        else:
            _print_outcome(trainer, reason)
        if reason == "stopped":
            sys.exit(130)


def _extended(settings: "Settings", words: tuple[str, ...]) -> "Settings":
    """The settings of a resumed run: only when to stop may be set anew."""
    from terrarium.config import given, layer_from_words
    from terrarium.marl.settings import sections

    free = ("max_steps", "max_minutes", "target_win_rate")
    kinds = {"run": sections(settings.algo_name)["run"]}
    values = given(kinds, [layer_from_words(words)])["run"]
    for name in values:
        if name not in free:
            allowed = ", ".join(f"run.{key}" for key in free)
            raise TerrariumError(f"run.{name} cannot change in a resumed run. Allowed: {allowed}")
    return replace(settings, run=replace(settings.run, **values))


class _Left(ProgressColumn):
    """Time left until the first stop rule that can be foreseen."""

    def render(self, task: Any) -> Text:
        left_s = task.fields["left_s"]
        if left_s is None:
            return Text("")
        return Text(f"{int(left_s) // 60}:{int(left_s) % 60:02d} left", style="cyan")


@contextlib.contextmanager
def _display(trainer: "Trainer", console: Console) -> Iterator[Callable[["RunProgress"], None]]:
    """A bar where somebody looks; elsewhere one line for each evaluation."""
    run = trainer.settings.run
    shown, is_won = -1.0, trainer.task.is_won
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        TextColumn("{task.fields[numbers]}"),
        TimeElapsedColumn(),
        _Left(),
        console=console,
        disable=not console.is_terminal,
    )
    begun, steps_before = time.monotonic(), trainer.progress.steps
    task = bar.add_task(trainer.scenario, total=1.0, numbers="", left_s=None)

    def tell(progress: "RunProgress") -> None:
        nonlocal shown
        passed_s = max(1e-9, time.monotonic() - begun)
        speed = (progress.steps - steps_before) / passed_s
        shares = [progress.steps / run.max_steps]
        lefts = [(run.max_steps - progress.steps) / max(1e-9, speed)]
        if run.max_minutes:
            shares.append(progress.seconds / 60.0 / run.max_minutes)
            lefts.append(60.0 * run.max_minutes - progress.seconds)
        numbers = _numbers(progress, speed, is_won)
        bar.update(
            task,
            description=trainer.scenario,
            completed=min(1.0, max(shares)),
            numbers=numbers,
            left_s=max(0.0, min(lefts)),
        )
        if not console.is_terminal and progress.last_test and shown != progress.next_test:
            shown = progress.next_test
            console.print(f"{progress.seconds:7.1f} s  {numbers}")

    with bar:
        yield tell


def _numbers(progress: "RunProgress", speed: float, is_won: bool) -> str:
    head = f"{progress.steps:,} steps  {speed:,.0f}/s"
    if not is_won:
        test = f"{progress.test_return:.2f}" if progress.last_test else "-"
        return f"{head}  return {progress.train_return:.2f}  test {test}"
    test = f"{progress.test_win_rate:.0%}" if progress.test_win_rate >= 0.0 else "-"
    return (
        f"{head}  wins {progress.train_win_rate:.0%}  "
        f"return {progress.train_return:.1f}  test {test}"
    )


def _print_outcome(trainer: "Trainer", reason: str) -> None:
    progress, path = trainer.progress, trainer.folder.path
    why = {
        "target": "reached the target",
        "steps": "all steps are done",
        "minutes": "the time is up",
        "stopped": "stopped",
    }[reason]
    if not trainer.task.is_won:
        what, tested = "test return", f"{progress.test_return:.2f}" if progress.last_test else "-"
    else:
        rate = progress.test_win_rate
        what, tested = "test win rate", f"{rate:.1%}" if rate >= 0.0 else "not tested yet"
    print(f"{why}: {what} {tested} after {progress.steps:,} steps, {progress.seconds:.0f} s")
    if reason == "stopped":
        print(f"go on:    terrarium train --resume {path}")
    else:
        print(f"test it:  terrarium eval {path}")
        print(f"look:     terrarium watch {path}")
