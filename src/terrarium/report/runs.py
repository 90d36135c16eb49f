"""Run folders: finding them, and reading one into a `TrainedRun`."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

from terrarium.config import read_toml
from terrarium.errors import TerrariumError, nearest
from terrarium.report.measures import Score
from terrarium.report.metrics import ScenarioMetrics, read_metrics
from terrarium.report.settings import flatten, printable, shown

SETTINGS_FILE = "run.toml"
METRICS_FILE = "metrics.jsonl"
LABEL_FILE = "label.toml"
"""What a run is called in a report, if its settings shall not say it."""
TARGET = "target_win_rate"
"""The key of [run] at whose win rate a run ends before its last step."""

_NEARLY_ALL = 0.99  # of the steps: whole rollouts seldom fit exactly


@dataclass(frozen=True)
class Label:
    """What `label.toml` says: the name of a run's group, and its place among the others."""

    name: str
    place: int = field(compare=False)


@dataclass(frozen=True)
class TrainedRun:
    """One training: what it was told, and how good it was."""

    path: Path
    algo: str
    scenario: str
    """the one that counts: of a curriculum the last"""
    seed: int
    settings: Mapping[str, str]
    """everything in run.toml by dotted name, as text"""
    max_steps: int | None
    target: float | None
    """win rate at which it may end early; 0 in the file means never"""
    progress: ScenarioMetrics
    label: Label | None = None
    """a name of its own, instead of its algorithm and its settings"""

    @property
    def steps(self) -> tuple[int, ...]:
        return self.progress.steps

    @property
    def minutes(self) -> tuple[float, ...]:
        return tuple(seconds / 60.0 for seconds in self.progress.seconds)

    @property
    def measure(self) -> Score:
        return self.progress.measure

    @property
    def scores(self) -> tuple[float, ...]:
        """of each evaluation: win rates or returns"""
        return self.progress.scores

    @property
    def ended_early(self) -> bool:
        return self.max_steps is None or self.progress.last_step < _NEARLY_ALL * self.max_steps

    @property
    def reached_target(self) -> bool:
        """It ended early because it was good enough: training on was not needed."""
        has_target = self.target is not None and self.measure.is_share  # no return is a target
        return self.ended_early and has_target and self.scores[-1] >= (self.target or 0.0)

    @property
    def steps_per_s(self) -> float | None:
        progress = self.progress
        return progress.last_step / progress.last_seconds if progress.last_seconds > 0 else None


def find_runs(places: Iterable[str | Path]) -> tuple[Path, ...]:
    """The run folders at or below some places, each once, sorted."""
    found: dict[Path, Path] = {}
    for place in map(Path, places):
        if not place.is_dir():
            _refuse(place)
        runs = _below(place)
        if not runs:
            raise TerrariumError(
                f"{place}: there is no run in this folder; a run folder holds {SETTINGS_FILE} "
                f"and {METRICS_FILE}"
            )
        for run in runs:
            found.setdefault(run.resolve(), run)
    return tuple(sorted(found.values()))


def load_run(path: Path) -> TrainedRun:
    """Read one run folder; whatever is wrong with it is said with file and line."""
    file = path / SETTINGS_FILE
    tables = read_toml(file)
    settings = flatten(tables, file)  # first: it refuses numbers that no message could show
    about, run = _table(tables, "about", file), _table(tables, "run", file)
    scenario = _text(about, "about.scenario", file)
    return TrainedRun(
        path=path,
        algo=printable(_text(about, "about.algo", file)),
        scenario=printable(scenario),
        seed=_whole(run, "run.seed", file),
        settings=MappingProxyType(settings),
        max_steps=_whole(run, "run.max_steps", file) if "max_steps" in run else None,
        target=_share(run, f"run.{TARGET}", file) or None if TARGET in run else None,
        progress=read_metrics(path / METRICS_FILE, scenario),
        label=_read_label(path / LABEL_FILE),
    )


def _read_label(file: Path) -> Label | None:
    """`label = "mappo, gru"` and `place = 0`, where there is such a file."""
    if not file.exists():
        return None
    table = read_toml(file)
    place = _whole(table, "label.place", file) if "place" in table else 0
    return Label(printable(_text(table, "label.label", file)), place)


def _below(place: Path) -> list[Path]:
    """The run folders of a tree. What is inside of a run is its own business."""

    def give_up(error: OSError) -> NoReturn:
        raise TerrariumError(f"{error.filename}: cannot be read: {error.strerror}") from error

    runs = []
    for folder, inside, files in os.walk(place, onerror=give_up):
        if SETTINGS_FILE in files or METRICS_FILE in files:
            runs.append(Path(folder))
            inside.clear()
    return runs


def _refuse(place: Path) -> NoReturn:
    if place.exists():
        raise TerrariumError(f"{place}: this is a file; give the folder of a run, or one above it")
    try:
        neighbors = [entry.name for entry in place.parent.iterdir() if entry.is_dir()]
    except OSError:
        neighbors = []
    raise TerrariumError(f"{place}: there is no such folder.{nearest(place.name, neighbors)}")


def _table(tables: Mapping[str, Any], name: str, file: Path) -> dict[str, Any]:
    table = tables.get(name)
    if not isinstance(table, dict):
        raise TerrariumError(f"{file}: the table [{name}] is missing")
    return table


def _value(table: Mapping[str, Any], name: str, file: Path) -> Any:
    key = name.split(".")[1]
    if key not in table:
        raise TerrariumError(f"{file}: {name} is missing")
    return table[key]


def _text(table: Mapping[str, Any], name: str, file: Path) -> str:
    value = _value(table, name, file)
    if not isinstance(value, str) or not value:
        raise TerrariumError(f"{file}: {name} is {shown(value)}; a text is needed")
    return value


def _whole(table: Mapping[str, Any], name: str, file: Path) -> int:
    value = _value(table, name, file)
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TerrariumError(f"{file}: {name} is {shown(value)}; a whole number is needed")
    return value


def _share(table: Mapping[str, Any], name: str, file: Path) -> float:
    value = _value(table, name, file)
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise TerrariumError(f"{file}: {name} is {shown(value)}; a number is needed")
    return float(value)
