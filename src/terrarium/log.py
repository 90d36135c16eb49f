"""What a run writes down while it learns: numbers, as lines of JSON and for loggers."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from terrarium.errors import TerrariumError
from terrarium.loggers import LogConfig, LoggedRun, open_loggers, read_lines

METRICS = {
    "train/win_rate": "win rate of the episodes that ended since the last line, with exploration",
    "train/return": "mean return of those episodes",
    "train/episode_steps": "mean length of those episodes",
    "train/episodes": "number of those episodes",
    "train/steps_per_s": "environment steps per second, collecting and learning included",
    "train/collect_s": "seconds of collecting: environments and policy",
    "train/threads": "threads of PyTorch",
    "train/learn_s": "seconds of learning: replay buffer, losses and gradient steps",
    "test/win_rate": "win rate of greedy episodes on evaluation seeds",
    "test/sampled_win_rate": "the same with actions drawn from the policy, or by exploration",
    "test/sampled_return": "mean return with actions drawn from the policy, or by exploration",
    "test/measure": "mean measure of the scenario, 0 to 1; the win rate where it has none",
    "test/return": "mean return; of PettingZoo environments the mean of all agents",
    "test/episode_steps": "mean length of an episode",
    "learn/policy_loss": "policy loss",
    "learn/value_loss": "value loss",
    "learn/entropy": "entropy of the policy, in nats",
    "learn/approx_kl": "approximate KL divergence between the old and the new policy",
    "learn/clip_fraction": "fraction of probability ratios outside of the clipping range",
    "learn/teacher_loss": "imitation loss: negative log-likelihood of the teacher's actions",
    "learn/grad_norm": "norm of the actor's gradient before clipping",
    "learn/lr": "learning rate",
    "learn/n_updates": "gradient steps",
    "learn/td_error": "mean absolute TD error",
    "learn/q_taken": "mean Q-value of the actions taken",
    "learn/buffer_rows": "sequences in the replay buffer",
    "learn/selected": "DIFFER: fraction of the individual experience that is selected",
    "learn/sent": "sharing: fraction of the individual experience that was sent",
    "learn/received_fraction": "sharing: fraction of the loss that is of received experience",
}
"""What the numbers of ours mean; algorithms may write others, and add a team's name to one."""


class MetricsLog:
    """`metrics.jsonl`, and the same numbers for the loggers that are switched on.

    A line is written at once. A run that goes on from a checkpoint forgets the lines after it.
    """

    def __init__(
        self,
        folder: Path,
        cfg: LogConfig | None = None,
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        n_bytes: int = 0,
        step: int = 0,
    ) -> None:
        path, cfg = folder / "metrics.jsonl", cfg or LogConfig()
        path.touch()
        if path.stat().st_size < n_bytes:
            raise TerrariumError(f"{path}: is shorter than when the checkpoint was written")
        os.truncate(path, n_bytes)
        flat = {f"{name}.{key}": x for name, t in (settings or {}).items() for key, x in t.items()}
        run = LoggedRun(folder, cfg.project, flat, read_lines(path), step)
        self._loggers = open_loggers(cfg, run)
        self._file = path.open("ab", buffering=0)

    @property
    def n_bytes(self) -> int:
        """How long `metrics.jsonl` is."""
        return self._file.tell()

    def write(self, step: int, seconds: float, scenario: str, metrics: Mapping[str, float]) -> None:
        """One line."""
        line = {"step": step, "seconds": round(seconds, 3), "scenario": scenario, **metrics}
        self._file.write(json.dumps(line, allow_nan=False).encode() + b"\n")
        for logger in self._loggers:
            logger.write(line, metrics)

    def close(self) -> None:
        self._file.close()
        for logger in self._loggers:
            logger.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
