"""Running the cells of a plan: each in a process of its own, some at once; any may fail."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

import terrarium
from terrarium.errors import TerrariumError
from terrarium.marl.ablation.cell import STOPPED
from terrarium.marl.ablation.cells import (
    ERROR_FILE,
    checked_plan,
    settings_of_cell,
    state_of,
)
from terrarium.marl.ablation.experiment import keep_plan, locked
from terrarium.marl.ablation.run_plan import AblationPlan, Cell
from terrarium.marl.ablation.run_status import RunStatus, Watcher
from terrarium.marl.run_folder import load_weights_of
from terrarium.marl.settings import RunConfig

MAX_JOBS = 256
_LOOK_EVERY_S = 0.2
_LONGEST_ERROR = 20_000  # bytes


@dataclass(frozen=True)
class PoolConfig:
    """How cells are run."""

    jobs: int = 1
    """so many at once; if more than one, each has one thread"""
    retry: bool = False
    """also those that failed before"""
    device: str = "cpu"
    """where the networks are"""

    def __post_init__(self) -> None:
        if not 1 <= self.jobs <= MAX_JOBS:
            raise TerrariumError(f"jobs is {self.jobs}; allowed: 1 to {MAX_JOBS}")


@dataclass(frozen=True)
class Failure:
    """A cell that ended before it was done, and what it said."""

    cell: Cell
    error: str


@dataclass(frozen=True)
class Snapshot:
    """How far an ablation is."""

    n_cells: int
    done: tuple[Cell, ...]
    failed: tuple[Failure, ...]
    running: tuple[tuple[Cell, RunStatus, float], ...]
    """cell, its numbers, and the share of it that is behind"""
    share: float
    """of everything"""
    left_s: float | None
    """until the end, if it goes on like this"""


@dataclass(frozen=True)
class Outcome:
    """How an ablation ended."""

    plan: AblationPlan
    done: tuple[Cell, ...]
    failed: tuple[Failure, ...]
    unfinished: tuple[Cell, ...]
    """stopped, or not begun"""


@dataclass
class _Process:
    cell: Cell
    run: RunConfig
    popen: subprocess.Popen[bytes]
    said: IO[bytes]
    watcher: Watcher


@dataclass
class _Board:
    """What is left, what runs, and what has ended."""

    waiting: list[Cell]
    running: list[_Process] = field(default_factory=list)
    done: list[Cell] = field(default_factory=list)
    failed: list[Failure] = field(default_factory=list)
    stopped: list[Cell] = field(default_factory=list)


def run_plan(
    plan: AblationPlan,
    experiment: Path,
    how: PoolConfig | None = None,
    tell: Callable[[Snapshot], None] = lambda snapshot: None,
    is_stopped: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Train every cell that is not done. Call it again, and it goes on where it was."""
    how = how or PoolConfig()
    plan = keep_plan(checked_plan(plan), experiment)
    with locked(experiment) as lock:
        board = _sort_cells(plan, experiment, how.retry)
        _check_starts(board.waiting, experiment)
        threads = 1 if how.jobs > 1 else -1
        starter = _Starter(experiment, threads, how.device, lock)
        try:
            _run(board, starter, how.jobs, tell, is_stopped)
        finally:
            for process in board.running:  # only if something broke, or nobody wants to wait
                process.popen.kill()
                process.popen.wait()
    unfinished = (*board.stopped, *board.waiting)
    return Outcome(plan, tuple(board.done), tuple(board.failed), unfinished)


def _sort_cells(plan: AblationPlan, experiment: Path, retry: bool) -> _Board:
    """What was done before, what failed, and what is to do."""
    board = _Board([])
    for cell in plan.cells():
        folder = experiment / cell.folder
        state = state_of(folder)
        if state == "done":
            board.done.append(cell)
        elif state == "failed" and not retry:
            text = (folder / ERROR_FILE).read_text(encoding="utf-8", errors="replace")
            board.failed.append(Failure(cell, text))
        else:
            if state == "failed":
                (folder / ERROR_FILE).unlink()
            board.waiting.append(cell)
    return board


def _check_starts(cells: list[Cell], experiment: Path) -> None:
    """Weights to begin with must be there before anything starts."""
    new = [cell for cell in cells if state_of(experiment / cell.folder) == "new"]
    starts = {settings_of_cell(cell).run.start_from for cell in new}
    for path in starts - {""}:
        load_weights_of(Path(path))


@dataclass(frozen=True)
class _Starter:
    """How a cell gets its process."""

    experiment: Path
    threads: int
    """-1: as the plan says"""
    device: str
    lock: int

    def start(self, cell: Cell) -> _Process:
        """The process has a pipe to this one: when that breaks, it saves and ends."""
        words = [str(self.experiment), cell.folder, str(self.threads), self.device]
        said = tempfile.TemporaryFile()  # noqa: SIM115  # closed when the process is collected
        # The same program as this one, also where it is not installed.
        home = str(Path(terrarium.__file__).parent.parent.absolute())
        paths = os.pathsep.join(filter(None, (home, os.environ.get("PYTHONPATH"))))
        popen = subprocess.Popen(
            [sys.executable, "-m", "terrarium.marl.ablation.cell", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=said,
            env={**os.environ, "PYTHONPATH": paths},
            pass_fds=(self.lock,) if os.name == "posix" else (),
            # Ctrl-C is for this process, which then lets its cells save.
            start_new_session=os.name == "posix",
        )
        watcher = Watcher(self.experiment / cell.folder)
        return _Process(cell, settings_of_cell(cell).run, popen, said, watcher)


def _run(
    board: _Board,
    starter: _Starter,
    jobs: int,
    tell: Callable[[Snapshot], None],
    is_stopped: Callable[[], bool],
) -> None:
    clock = _Clock()
    asked = False
    while board.running or (board.waiting and not asked):
        if is_stopped() and not asked:
            asked = True
            for process in board.running:
                _ask_to_stop(process)
        while board.waiting and len(board.running) < jobs and not asked:
            board.running.append(starter.start(board.waiting.pop(0)))
        tell(clock.snapshot(board))
        time.sleep(_LOOK_EVERY_S)
        for process in [one for one in board.running if one.popen.poll() is not None]:
            board.running.remove(process)
            _collect(board, process, starter.experiment)
    tell(clock.snapshot(board))


def _ask_to_stop(process: _Process) -> None:
    assert process.popen.stdin is not None
    process.popen.stdin.close()


def _collect(board: _Board, process: _Process, experiment: Path) -> None:
    """A process has ended: its cell is done, stopped or failed."""
    cell, code = process.cell, process.popen.returncode
    folder = experiment / cell.folder
    process.said.seek(0)
    said = process.said.read()[-_LONGEST_ERROR:].decode("utf-8", errors="replace")
    process.said.close()
    if process.popen.stdin is not None:
        process.popen.stdin.close()
    if state_of(folder) == "done":
        board.done.append(cell)
    elif code == STOPPED:
        board.stopped.append(cell)
    else:
        error = said + _ending(code)
        board.failed.append(Failure(cell, error))
        with contextlib.suppress(OSError):  # it may be the folder that is wrong
            folder.mkdir(parents=True, exist_ok=True)
            (folder / ERROR_FILE).write_text(error, encoding="utf-8")


def _ending(code: int) -> str:
    """What a process could not say itself."""
    if code >= 0:
        return ""
    name = signal.Signals(-code).name
    hint = ", as the system does when memory runs out" if name == "SIGKILL" else ""
    return f"\nthe process was ended by {name}{hint}\n"


class _Clock:
    """Foresees the end from what was done since the program started."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._share_before: float | None = None

    def snapshot(self, board: _Board) -> Snapshot:
        running = []
        for process in board.running:
            status = process.watcher.poll()
            running.append((process.cell, status, status.share(process.run)))
        ended = len(board.done) + len(board.failed) + len(board.stopped)
        n_cells = ended + len(board.running) + len(board.waiting)
        share = (ended + sum(part for *_, part in running)) / n_cells
        if self._share_before is None:
            self._share_before = share
        gained = share - self._share_before
        passed_s = time.monotonic() - self._begun
        left_s = passed_s * (1.0 - share) / gained if gained > 0.0 else None
        return Snapshot(
            n_cells, tuple(board.done), tuple(board.failed), tuple(running), share, left_s
        )
