"""Where the numbers of a run go beside `metrics.jsonl`: TensorBoard, a CSV file, W&B, MLflow.

W&B and MLflow write into the run's folder unless their own variables name a server: WANDB_MODE and
MLFLOW_TRACKING_URI.
"""

import csv
import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

from terrarium.errors import TerrariumError, nearest
from terrarium.import_paths import Contract, find_class, is_import_path


@dataclass(frozen=True)
class LoggedRun:
    """What loggers know of a run."""

    folder: Path
    project: str
    settings: Mapping[str, Any]
    """flat: {"algo.lr": ...}"""
    lines: Sequence[Mapping[str, Any]]
    """of its metrics so far, in a run that goes on"""
    step: int
    """of the checkpoint that it goes on from; 0: it begins"""


class Logger(Protocol):
    """Takes one line after another, with its step, seconds and scenario. One of your own inherits
    nothing; `log.to=package.module:Class` makes it."""

    def __init__(self, run: LoggedRun) -> None: ...

    def write(self, line: Mapping[str, Any], metrics: Mapping[str, float]) -> None: ...

    def close(self) -> None: ...


class TensorBoardLogger:
    """Events in `events/`."""

    def __init__(self, run: LoggedRun) -> None:
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog
        from tensorboard.summary.writer.event_file_writer import EventFileWriter

        self._events = EventFileWriter(str(run.folder / "events"))
        if run.step:  # later events of the interrupted run do not count
            session = SessionLog(status=SessionLog.START)
            event = Event(wall_time=time.time(), step=run.step, session_log=session)
            self._events.add_event(event)

    def write(self, line: Mapping[str, Any], metrics: Mapping[str, float]) -> None:
        from tensorboard.compat.proto.event_pb2 import Event
        from tensorboard.compat.proto.summary_pb2 import Summary

        values = [Summary.Value(tag=name, simple_value=x) for name, x in metrics.items()]
        summary = Summary(value=values)
        self._events.add_event(Event(wall_time=time.time(), step=line["step"], summary=summary))

    def close(self) -> None:
        self._events.close()


class CsvLogger:
    """`metrics.csv`: a row for each line, a column for each number; what was not logged is empty.

    It is always the table of `metrics.jsonl`: written anew when a run goes on, and when a number
    comes that has no column yet.
    """

    def __init__(self, run: LoggedRun) -> None:
        self._path = run.folder / "metrics.csv"
        self._rows = [dict(line) for line in run.lines]
        self._columns = list(dict.fromkeys(name for row in self._rows for name in row))
        self._write_all()

    def write(self, line: Mapping[str, Any], metrics: Mapping[str, float]) -> None:
        self._rows.append(dict(line))
        new = [name for name in line if name not in self._columns]
        if new:
            self._columns += new
            self._write_all()
            return
        with self._path.open("a", encoding="utf-8", newline="") as file:
            csv.DictWriter(file, self._columns).writerow(line)

    def _write_all(self) -> None:
        with self._path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, self._columns)
            writer.writeheader()
            writer.writerows(self._rows)

    def close(self) -> None:
        """Every row was written at once."""


class WandbLogger:
    """Weights & Biases, offline in `wandb/` unless WANDB_MODE says otherwise."""

    def __init__(self, run: LoggedRun) -> None:
        import wandb

        self._run = wandb.init(
            project=run.project,
            name=str(run.folder),
            id=_kept_id(run.folder / "wandb_id", lambda: uuid4().hex),
            resume="allow",
            dir=str(run.folder),
            config=dict(run.settings),
            mode=None if "WANDB_MODE" in os.environ else "offline",
            settings=wandb.Settings(silent=True, console="off", x_disable_stats=True),
        )
        # W&B counts calls and refuses smaller steps: a run that goes on may begin before them.
        self._run.define_metric("*", step_metric="step")

    def write(self, line: Mapping[str, Any], metrics: Mapping[str, float]) -> None:
        self._run.log(dict(line))

    def close(self) -> None:
        self._run.finish()


class MlflowLogger:
    """MLflow, in files in `mlruns/` unless MLFLOW_TRACKING_URI names a server or database."""

    def __init__(self, run: LoggedRun) -> None:
        # MLflow wants to be told that plain files are meant; a database would need more packages.
        os.environ.setdefault("MLFLOW_ALLOW_FILE_STORE", "true")
        from mlflow.entities import Metric, Param
        from mlflow.tracking import MlflowClient

        home = os.environ.get("MLFLOW_TRACKING_URI") or (run.folder / "mlruns").absolute().as_uri()
        self._metric, self._client = Metric, MlflowClient(tracking_uri=home)
        self._id = _kept_id(run.folder / "mlflow_id", lambda: self._begin(run))
        if not run.step:
            params = [Param(name, str(value)[:500]) for name, value in run.settings.items()]
            self._client.log_batch(self._id, params=params)
        self._client.update_run(self._id, status="RUNNING")

    def _begin(self, run: LoggedRun) -> str:
        known = self._client.get_experiment_by_name(run.project)
        home = known.experiment_id if known else self._client.create_experiment(run.project)
        return str(self._client.create_run(home, run_name=str(run.folder)).info.run_id)

    def write(self, line: Mapping[str, Any], metrics: Mapping[str, float]) -> None:
        now_ms, step = int(1000 * time.time()), line["step"]
        batch = [self._metric(name, value, now_ms, step) for name, value in metrics.items()]
        self._client.log_batch(self._id, metrics=batch)

    def close(self) -> None:
        self._client.set_terminated(self._id)


LOGGERS: dict[str, type[Any]] = {
    "tensorboard": TensorBoardLogger,
    "csv": CsvLogger,
    "wandb": WandbLogger,
    "mlflow": MlflowLogger,
}
NEEDS = {"tensorboard": ("tensorboard", "marl"), "wandb": ("wandb",) * 2, "mlflow": ("mlflow",) * 2}
"""The package that a logger needs, and the extra that installs it"""

LOGGER_CONTRACT = Contract("a logger", ("write", "close"), ("run",), Logger)


def find_logger(name: str) -> type[Any]:
    """The class that a word of `log.to` names."""
    return find_class("log.to", name, LOGGERS, LOGGER_CONTRACT)


@dataclass(frozen=True)
class LogConfig:
    """Where the numbers of a run go beside `metrics.jsonl`, which is always written."""

    to: str = "tensorboard"
    """loggers, separated by commas: tensorboard, csv, wandb, mlflow, or package.module:Class of
    your own; empty: none"""
    project: str = "terrarium"
    """project of W&B, experiment of MLflow"""

    def __post_init__(self) -> None:
        for name in self.names:
            # One's own is imported where it is needed: who evaluates a run need not have it.
            if name not in LOGGERS and not is_import_path(name):
                raise TerrariumError(
                    f'log.to names the unknown logger "{name}".{nearest(name, LOGGERS)} '
                    f"Allowed: {', '.join(LOGGERS)}, or package.module:Class of your own"
                )

    @property
    def names(self) -> list[str]:
        return [name.strip() for name in self.to.split(",") if name.strip()]


def check_installed(cfg: LogConfig) -> None:
    """Refuse a logger whose package is missing, or that is none, before anything begins."""
    for name in cfg.names:
        find_logger(name)
        package, extra = NEEDS.get(name, ("", ""))
        try:
            if package:
                import_module(package)
        except ModuleNotFoundError as error:
            raise TerrariumError(
                f"log.to={name} needs {error.name}, which is not installed: "
                f"pip install 'terrarium-sc2[{extra}]'"
            ) from None


def open_loggers(cfg: LogConfig, run: LoggedRun) -> list[Logger]:
    """Those that are switched on; if one cannot begin, the others are closed."""
    check_installed(cfg)
    opened: list[Logger] = []
    try:
        for name in cfg.names:
            opened.append(find_logger(name)(run))
    except BaseException:
        for logger in opened:
            logger.close()
        raise
    return opened


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a `metrics.jsonl`."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _kept_id(path: Path, make: Callable[[], str]) -> str:
    """What a run is called by a service, so that it goes on under the same name."""
    if not path.exists():
        path.write_text(make(), encoding="utf-8")
    return path.read_text(encoding="utf-8")
