"""What a learner keeps of what it plays: a replay buffer that is made when the first steps come."""

from pathlib import Path
from typing import Any

import torch

from terrarium.envs.tasks.spec import Spec
from terrarium.marl.batch import Obs, parts
from terrarium.marl.buffers.replay_batch import ReplayConfig
from terrarium.marl.buffers.replay_buffer import ReplayBuffer
from terrarium.marl.buffers.replay_files import ReplayFiles
from terrarium.marl.rollout import Rollout


class ReplayStore:
    """A buffer, and its files in a run's folder. Another scenario gets a new one."""

    def __init__(self, cfg: ReplayConfig, spec: Spec, carry_size: int) -> None:
        self._cfg, self._spec, self._carry_size = cfg, spec, carry_size
        self.replay: ReplayBuffer | None = None
        self._files: ReplayFiles | None = None

    def add(self, rollout: Rollout) -> None:
        seen = rollout.obs[0].to(torch.device("cpu"))
        if self.replay is None or not self.replay.fits(seen):  # what another scenario was like
            self._make(seen)
        assert self.replay is not None
        self.replay.add(rollout)

    def _make(self, obs: Obs) -> None:
        spec = self._spec
        length = self._cfg.chunk_length or spec.limit_steps
        self.replay = ReplayBuffer(
            self._cfg, length, obs, self._carry_size, spec.action_columns, spec.n_own
        )
        if self._files is not None:
            self._files.forget()

    def save(self, folder: Path) -> dict[str, Any]:
        """Write what is kept into a folder; what a checkpoint has to know of it."""
        if self.replay is None or not self._cfg.save_to_disk:
            return {}
        if self._files is None:
            self._files = ReplayFiles(folder)
        return {
            "files": self._files.save(self.replay),
            "replay": self.replay.state_dict(),
            "obs": parts(self.replay.blank),
        }

    def load(self, folder: Path, saved: dict[str, Any]) -> None:
        if not saved:
            return
        self._make(Obs(*saved["obs"]))
        assert self.replay is not None
        self._files = ReplayFiles(folder)
        self.replay.load_state_dict(saved["replay"])
        self._files.load(self.replay, saved["files"])
