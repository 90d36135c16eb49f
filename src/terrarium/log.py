"""What a run writes down while it learns: numbers, as lines of JSON and for TensorBoard."""

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from terrarium.errors import TerrariumError

METRICS = {
    "train/win_rate": "of the battles that ended since the last line, exploring",
    "train/return": "sum of rewards of a battle, mean",
    "train/episode_steps": "length of a battle, mean",
    "train/episodes": "battles that ended since the last line",
    "train/steps_per_s": "steps of all environments a second, everything included",
    "test/win_rate": "of battles on held-apart seeds, greedy",
    "test/measure": "what the scenario measures, from 0 to 1, mean; the win where it says nothing",
    "test/return": "sum of rewards of a battle, mean; in worlds also the mean of all agents",
    "test/episode_steps": "length of a battle, mean",
    "learn/policy": "loss of the policy",
    "learn/value": "loss of the values",
    "learn/entropy": "how open the policy is, in nats",
    "learn/kl": "how far an update moves the policy",
    "learn/clipped": "share of ratios beyond the clip",
    "learn/teacher": "how unlikely the policy finds what the teacher would do, in nats",
    "learn/grad": "length of the policy's gradient",
    "learn/lr": "learning rate",
    "learn/updates": "gradient steps of an update",
    "learn/td": "size of the errors of values, mean",
    "learn/q": "value of what was done, mean",
    "learn/kept": "rows in the replay buffer",
    "learn/selected": "DIFFER: share of the individual experiences that are learned from",
    "learn/sent": "sharing: share of the individual experiences that somebody received",
}
"""Every number that is written, and what it means; behind a name may stand that of a team."""


class MetricsLog:
    """`metrics.jsonl`, and the same numbers as TensorBoard events in `events/`.

    A line is written at once. A run that goes on from a checkpoint forgets the lines after it.
    """

    def __init__(self, folder: Path, n_bytes: int = 0, step: int = 0) -> None:
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        path = folder / "metrics.jsonl"
        path.touch()
        if path.stat().st_size < n_bytes:
            raise TerrariumError(f"{path}: is shorter than when the checkpoint was written")
        os.truncate(path, n_bytes)
        self._file = path.open("ab", buffering=0)
        self._events = EventFileWriter(str(folder / "events"))
        if step:  # later events of the interrupted run do not count
            session = SessionLog(status=SessionLog.START)
            self._events.add_event(Event(wall_time=time.time(), step=step, session_log=session))

    @property
    def n_bytes(self) -> int:
        """How long `metrics.jsonl` is."""
        return self._file.tell()

    def write(self, step: int, seconds: float, scenario: str, metrics: Mapping[str, float]) -> None:
        """One line."""
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        assert all(_has_meaning(name) for name in metrics), "a metric without a meaning"
        line = {"step": step, "seconds": round(seconds, 3), "scenario": scenario, **metrics}
        self._file.write(json.dumps(line, allow_nan=False).encode() + b"\n")
        values = [Summary.Value(tag=name, simple_value=x) for name, x in metrics.items()]
        summary = Summary(value=values)
        self._events.add_event(Event(wall_time=time.time(), step=step, summary=summary))

    def close(self) -> None:
        self._file.close()
        self._events.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _has_meaning(name: str) -> bool:
    return name in METRICS or name.rpartition("/")[0] in METRICS
