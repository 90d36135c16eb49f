"""A replay buffer on the disk: each time only what is new is written.

A buffer may take gigabytes, and a checkpoint is written every few seconds of learning. So rows are
written once, in files of a folder, and a checkpoint only names the files that still hold rows.
"""

from pathlib import Path
from typing import Any

import torch

from terrarium.marl.buffers.replay_buffer import ReplayBuffer
from terrarium.marl.checkpoint import CheckpointError, load_checkpoint, save_checkpoint


class ReplayFiles:
    """The files of one buffer in one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: list[str] = []
        self._holder = torch.zeros(0, dtype=torch.int64)  # [rows] number of the newest file with it
        self._n_files = 0

    def save(self, replay: ReplayBuffer) -> dict[str, Any]:
        """Write the rows that changed; what a checkpoint has to know to find all of them again."""
        self._folder.mkdir(exist_ok=True)
        # The checkpoint on the disk names the files of the last time: only others may go.
        for path in self._folder.glob("*.pt"):
            if path.name not in self._names:
                path.unlink()
        ids = replay.take_changed()
        self._n_files += 1
        if not len(self._holder):
            self._holder = torch.zeros(replay.n_rows, dtype=torch.int64)
        self._holder[ids] = self._n_files
        save_checkpoint(self._folder / _name(self._n_files), replay.pack(ids))
        needed = sorted(set(self._holder.tolist()) - {0})
        self._names = [_name(number) for number in needed]
        return {"files": list(self._names), "n_files": self._n_files, "holder": self._holder}

    def load(self, replay: ReplayBuffer, saved: dict[str, Any]) -> None:
        """Fill a buffer with everything that was written."""
        self._names, self._n_files = list(saved["files"]), int(saved["n_files"])
        self._holder = saved["holder"]
        for name in self._names:
            if Path(name).name != name:
                raise CheckpointError(f"{name}: is no name of a file with rows")
            path = self._folder / name
            try:
                replay.unpack(load_checkpoint(path))
            except (KeyError, IndexError, RuntimeError, TypeError, ValueError) as error:
                said = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
                raise CheckpointError(f"{path}: holds no rows of this run: {said}") from None
        replay.take_changed()

    def forget(self) -> None:
        """Another buffer comes: nothing of the one before is needed once that is saved."""
        self._holder = self._holder[:0]


def _name(number: int) -> str:
    return f"{number:06d}.pt"
