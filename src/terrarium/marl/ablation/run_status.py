"""A look at a run while it trains: how far it is, read from its metrics as they grow."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

from terrarium.marl.settings import RunConfig

METRICS_FILE = "metrics.jsonl"


@dataclass(frozen=True)
class RunStatus:
    """How far a run is."""

    steps: int = 0
    seconds: float = 0.0
    win_rate: float | None = None
    """of the last test"""
    test_return: float | None = None

    def share(self, run: RunConfig) -> float:
        """Which part of the run is behind it, by the stop rule that comes first."""
        shares = [self.steps / run.max_steps]
        if run.max_minutes:
            shares.append(self.seconds / 60.0 / run.max_minutes)
        return min(1.0, max(shares))


class Watcher:
    """Reads what was added to a file of metrics since the last look."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / METRICS_FILE
        self._n_read = 0
        self._status = RunStatus()

    def poll(self) -> RunStatus:
        """What is known by now; a file that is not there yet says nothing."""
        try:
            with self._path.open("rb") as file:
                if file.seek(0, 2) < self._n_read:  # a resumed run forgets what it does anew
                    self._n_read, self._status = 0, RunStatus()
                file.seek(self._n_read)
                added = file.read()
        except OSError:
            return self._status
        whole, newline, _ = added.rpartition(b"\n")  # the last line may be half a line
        self._n_read += len(whole) + len(newline)
        for line in whole.splitlines():
            self._take(line)
        return self._status

    def _take(self, line: bytes) -> None:
        try:
            values = json.loads(line)
        except ValueError:
            return  # no more than a display: whoever needs the numbers reads them with care
        self._status = replace(self._status, steps=values["step"], seconds=values["seconds"])
        if "test/win_rate" in values:
            self._status = replace(self._status, win_rate=values["test/win_rate"])
        if "test/return" in values:
            self._status = replace(self._status, test_return=values["test/return"])
