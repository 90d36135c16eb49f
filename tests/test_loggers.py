"""Loggers beside `metrics.jsonl`: what they write, and that a run that goes on forgets the rest."""

import csv
import json
import os
import struct
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from terrarium.errors import TerrariumError
from terrarium.log import MetricsLog
from terrarium.loggers import LogConfig, check_installed
from tests.program import call_program

SETTINGS = {"algo": {"lr": "0.001"}, "run": {"seed": 3}}
FIRST = {"train/episodes": 2.0, "train/return": 1.5}
SECOND = {"test/return": 2.5}


def opened(folder: Path, to: str, **setting: Any) -> MetricsLog:
    return MetricsLog(folder, LogConfig(to=to, project="farm"), SETTINGS, **setting)


def write_two(folder: Path, to: str) -> int:
    """Two lines; how long the first one is."""
    with opened(folder, to) as log:
        log.write(10, 1.0, "smac/3m", FIRST)
        size = log.n_bytes
        log.write(20, 2.0, "smac/3m", SECOND)
    return size


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "metrics.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_a_csv_file_is_the_table_of_all_lines(tmp_path: Path) -> None:
    write_two(tmp_path, "csv")
    assert rows(tmp_path) == [
        {
            **{"step": "10", "seconds": "1.0", "scenario": "smac/3m"},
            **{"train/episodes": "2.0", "train/return": "1.5", "test/return": ""},
        },
        {
            **{"step": "20", "seconds": "2.0", "scenario": "smac/3m"},
            **{"train/episodes": "", "train/return": "", "test/return": "2.5"},
        },
    ]
    assert not (tmp_path / "events").exists()  # only what is named is written


def test_a_csv_file_forgets_what_a_crash_made_worthless(tmp_path: Path) -> None:
    size = write_two(tmp_path, "csv")
    with opened(tmp_path, "csv", n_bytes=size, step=10) as log:
        assert [row["step"] for row in rows(tmp_path)] == ["10"]
        log.write(15, 1.5, "smac/3m", FIRST)
    assert [row["step"] for row in rows(tmp_path)] == ["10", "15"]


def test_a_csv_file_may_begin_later(tmp_path: Path) -> None:
    write_two(tmp_path, "")
    size = (tmp_path / "metrics.jsonl").stat().st_size
    assert not (tmp_path / "metrics.csv").exists()
    with opened(tmp_path, "csv", n_bytes=size, step=20):
        assert [row["step"] for row in rows(tmp_path)] == ["10", "20"]


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """No server is named, and nothing may be sent to one."""
    for name in [name for name in os.environ if name.startswith(("WANDB_", "MLFLOW_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")


def wandb_records(folder: Path) -> list[Any]:
    """All records of a run that W&B keeps until it is sent, a LevelDB log of one block."""
    from wandb.proto.wandb_internal_pb2 import Record

    found = []
    for file in sorted((folder / "wandb").glob("offline-run-*/run-*.wandb")):
        content, at = file.read_bytes(), 7  # behind the magic number
        while at + 7 <= len(content):
            _, size, kind = struct.unpack_from("<IHB", content, at)
            assert kind == 1, "a whole record"
            record = Record()
            record.ParseFromString(content[at + 7 : at + 7 + size])
            found.append(record)
            at += 7 + size
    return found


@pytest.mark.slow
def test_wandb_keeps_a_run_offline_under_one_id(tmp_path: Path, alone: None) -> None:
    size = write_two(tmp_path, "wandb")
    with opened(tmp_path, "wandb", n_bytes=size, step=10) as log:
        log.write(15, 1.5, "smac/3m", FIRST)
    deadline = time.monotonic() + 60.0  # a process of W&B's own writes, and finishes a little later
    records = wandb_records(tmp_path)
    while sum(record.HasField("exit") for record in records) < 2:
        records = wandb_records(tmp_path)
        assert time.monotonic() < deadline, "W&B has not written both parts of the run"
        time.sleep(0.1)
    runs = [record.run for record in records if record.HasField("run")]
    ids = {run.run_id for run in runs}
    assert ids == {(tmp_path / "wandb_id").read_text()}
    assert {run.project for run in runs} == {"farm"}
    config = {item.key: json.loads(item.value_json) for item in runs[0].config.update}
    assert config["algo.lr"] == "0.001"
    assert config["run.seed"] == 3
    history = []
    for record in records:
        if record.HasField("history"):
            items = record.history.item
            line = {(i.key or i.nested_key[0]): json.loads(i.value_json) for i in items}
            history.append({name: x for name, x in line.items() if name[0] != "_"})
    head = {"seconds": 1.0, "scenario": "smac/3m"}
    assert history[0] == {"step": 10, **head, **FIRST}
    assert [line["step"] for line in history] == [10, 20, 15]


@pytest.mark.slow
def test_mlflow_keeps_a_run_in_files_under_one_id(tmp_path: Path, alone: None) -> None:
    from mlflow.tracking import MlflowClient

    size = write_two(tmp_path, "mlflow")
    with opened(tmp_path, "mlflow", n_bytes=size, step=10) as log:
        log.write(15, 1.5, "smac/3m", FIRST)
    client = MlflowClient(tracking_uri=(tmp_path / "mlruns").as_uri())
    experiment = client.get_experiment_by_name("farm")
    assert experiment is not None
    (run,) = client.search_runs([experiment.experiment_id])
    assert run.info.run_id == (tmp_path / "mlflow_id").read_text()
    assert run.info.status == "FINISHED"
    assert run.data.params == {"algo.lr": "0.001", "run.seed": "3"}
    history = client.get_metric_history(run.info.run_id, "train/return")
    assert [(metric.step, metric.value) for metric in history] == [(10, 1.5), (15, 1.5)]
    assert run.data.metrics["test/return"] == 2.5


def test_an_unknown_logger_is_refused() -> None:
    with pytest.raises(TerrariumError) as error:
        LogConfig(to="csv,wnadb")
    assert str(error.value) == (
        'log.to names the unknown logger "wnadb". Did you mean "wandb"? '
        "Allowed: tensorboard, csv, wandb, mlflow, or package.module:Class of your own"
    )


OWN_LOGGERS = """
class Paper:
    def __init__(self, run):
        self.path = run.folder / "paper"

    def write(self, line, metrics):
        with self.path.open("a") as file:
            file.write(f"{line['step']}: {', '.join(metrics)}\\n")

    def close(self):
        with self.path.open("a") as file:
            file.write("the end\\n")


class Mute:
    def __init__(self, run):
        pass

    def write(self, line, metrics):
        pass
"""


@pytest.fixture
def own_loggers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module with loggers of one's own."""
    (tmp_path / "loggers_of_a_lab.py").write_text(OWN_LOGGERS)
    monkeypatch.syspath_prepend(tmp_path)
    return "loggers_of_a_lab"


def test_a_logger_of_ones_own_is_named_by_its_import_path(own_loggers: str, tmp_path: Path) -> None:
    write_two(tmp_path, f"csv,{own_loggers}:Paper")
    assert (tmp_path / "paper").read_text() == (
        "10: train/episodes, train/return\n20: test/return\nthe end\n"
    )
    assert len(rows(tmp_path)) == 2


def test_what_is_no_logger_is_refused_before_a_run_begins(own_loggers: str) -> None:
    LogConfig(to=f"{own_loggers}:Nobody")  # who only evaluates a run needs no logger
    with pytest.raises(TerrariumError, match="has no class Nobody"):
        check_installed(LogConfig(to=f"{own_loggers}:Nobody"))
    with pytest.raises(TerrariumError) as error:
        check_installed(LogConfig(to=f"{own_loggers}:Mute"))
    assert str(error.value) == (
        "loggers_of_a_lab:Mute lacks close: a logger has write, close; "
        "the contract is in terrarium.loggers.Logger"
    )


@pytest.mark.parametrize("name", ["wandb", "mlflow"])
def test_a_logger_that_is_not_installed_is_named_with_its_extra(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    words = ("train", "mappo", "smac/3m", f"log.to=csv,{name}", "run.folder=run")
    assert call_program(*words, home=tmp_path) == (
        2,
        "",
        f"terrarium: log.to={name} needs {name}, which is not installed: "
        f"pip install 'terrarium-sc2[{name}]'\n",
    )
    assert not (tmp_path / "run").exists()
    check_installed(LogConfig(to="csv"))
