"""One cell in a process of its own: `python -m terrarium.marl.ablation.cell EXPERIMENT CELL ...`.

It ends with 0 when the cell is done and with 130 when it was stopped; then it has saved. Whatever
else happens is a failure, whose traceback goes to the standard error.
"""

import os
import signal
import sys
import threading
from dataclasses import replace
from pathlib import Path
from types import FrameType

from terrarium.marl.ablation.cells import Done, settings_of_cell, write_done, write_label
from terrarium.marl.ablation.experiment import PLAN_FILE
from terrarium.marl.ablation.plan_file import read_plan
from terrarium.marl.ablation.run_plan import Cell
from terrarium.marl.run_folder import SETTINGS_FILE, RunFolder, create_run, open_run
from terrarium.marl.trainer import Trainer

STOPPED = 130


def train_cell(cell: Cell, experiment: Path, threads: int | None, device: str) -> str:
    """Begin a cell or go on with it, until it is done or stopped; says why it ended."""
    requests = _StopRequests()
    trainer = _open_trainer(cell, experiment, threads, device)
    write_label(trainer.folder.path, cell)
    requests.wait_for_me()
    try:
        reason = trainer.train(is_stopped=requests.are_there)
    finally:
        trainer.close()
    if reason != "stopped":
        progress = trainer.progress
        done = Done(
            reason=reason,
            steps=progress.steps,
            seconds=round(progress.seconds, 3),
            win_rate=progress.test_win_rate,
            test_return=progress.test_return if progress.last_test else None,
        )
        write_done(trainer.folder.path, done)
    return reason


def _open_trainer(cell: Cell, experiment: Path, threads: int | None, device: str) -> Trainer:
    path = experiment / cell.folder
    if RunFolder(path, "").last.exists():
        folder, settings, content = open_run(path)
        if threads is not None:
            settings = replace(settings, run=replace(settings.run, threads=threads))
        return Trainer(settings, folder, device, content)
    # Nothing was learned yet, and what is there may be half a file: begin anew.
    (path / SETTINGS_FILE).unlink(missing_ok=True)
    settings = settings_of_cell(cell, experiment, threads)
    return Trainer(settings, create_run(settings), device)


class _StopRequests:
    """Signals, and the end of the standard input: then whoever started this has gone.

    Before the training there is nothing to save, and compiling the rules may take minutes: until
    somebody wants to be waited for, a request ends the process at once.
    """

    def __init__(self) -> None:
        self._asked = threading.Event()
        self._may_wait = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._on_signal)
        threading.Thread(target=self._watch_input, daemon=True).start()

    def wait_for_me(self) -> None:
        self._may_wait = True

    def are_there(self) -> bool:
        return self._asked.is_set()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self._ask()

    def _watch_input(self) -> None:
        # Not by way of sys.stdin, whose lock would be held when Python ends.
        while os.read(0, 1):
            pass
        self._ask()

    def _ask(self) -> None:
        self._asked.set()
        if not self._may_wait:
            os._exit(STOPPED)


def _main(words: list[str]) -> int:
    experiment, name, threads, device = Path(words[0]), words[1], int(words[2]), words[3]
    plan = read_plan(experiment / PLAN_FILE)
    cell = next(cell for cell in plan.cells() if cell.folder == name)
    reason = train_cell(cell, experiment, threads if threads >= 0 else None, device)
    return STOPPED if reason == "stopped" else 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
