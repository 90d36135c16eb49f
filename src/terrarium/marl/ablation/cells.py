"""The cells of a plan: their settings, checked before anything starts, and how far each one is."""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from terrarium.config import ConfigError, to_toml, value_text
from terrarium.errors import TerrariumError
from terrarium.marl.ablation.run_plan import AblationPlan, Cell, with_names
from terrarium.marl.run_folder import is_run
from terrarium.marl.settings import Settings, algo_of, resolve

State = Literal["new", "begun", "done", "failed"]

DONE_FILE = "done.toml"
"""Written last of all: with it a cell needs no more."""
ERROR_FILE = "error.txt"
"""Why a cell failed, with the traceback."""
LABEL_FILE = "label.toml"
"""What reports call the run."""


@dataclass(frozen=True)
class Done:
    """How a cell ended."""

    reason: str
    """target, steps or minutes"""
    steps: int
    seconds: float
    win_rate: float
    """of the last test; -1 where nothing is won"""
    test_return: float | None = None
    """of the last test; cells of earlier versions did not write it"""


def checked_plan(plan: AblationPlan) -> AblationPlan:
    """The plan with full names, if every cell of it could be trained."""
    known: dict[tuple[int, str], Settings] = {}
    for cell in plan.cells():
        settings = settings_of_cell(cell)
        known[cell.place, cell.scenario] = settings
    algos = {variant.algo: algo_of(variant.algo) for variant in plan.variants}
    scenarios = {scenario: settings.scenario for (_, scenario), settings in known.items()}
    full = with_names(plan, algos, scenarios)
    for name in full.scenarios:
        if full.scenarios.count(name) > 1:
            raise ConfigError(f"{plan.source}: scenarios: {name} stands there twice; leave one out")
    full.check_folders()
    return full


def settings_of_cell(
    cell: Cell, experiment: Path | None = None, threads: int | None = None
) -> Settings:
    """What a cell is trained with."""
    layer = cell.layer(experiment, threads)
    try:
        return resolve(cell.variant.algo, cell.scenario, layer)
    except TerrariumError as error:
        message = str(error)
        prefix = "" if message.startswith(layer.source) else f"{layer.source}: "
        raise ConfigError(prefix + message) from None


def state_of(folder: Path) -> State:
    """How far the cell in a folder is."""
    if (folder / DONE_FILE).exists():
        return "done"
    if (folder / ERROR_FILE).exists():
        return "failed"
    return "begun" if is_run(folder) else "new"


def read_done(folder: Path) -> Done:
    """How the cell in a folder ended."""
    file = folder / DONE_FILE
    try:
        return Done(**tomllib.loads(file.read_text(encoding="utf-8"))["done"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TerrariumError(
            f"{file}: cannot be read: {error}. Delete it, and the cell is looked at again"
        ) from None


def write_done(folder: Path, done: Done) -> None:
    """Whole or not at all: the file alone says that a cell needs no more."""
    temporary = folder / f".{DONE_FILE}.part"
    values = {name: value for name, value in vars(done).items() if value is not None}
    temporary.write_text(to_toml({"done": values}), encoding="utf-8")
    temporary.replace(folder / DONE_FILE)


def write_label(folder: Path, cell: Cell) -> None:
    text = f"label = {value_text(cell.variant.name)}\nplace = {cell.place}\n"
    (folder / LABEL_FILE).write_text(text, encoding="utf-8")


def last_line(error: str) -> str:
    """What an error says in the end, without the name of a class of ours."""
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    text = lines[-1] if lines else "it ended without a word"
    return re.sub(r"^terrarium\.[\w.]+: ", "", text)


def report_on(cells: Iterable[Cell], experiment: Path) -> list[dict[str, Any]]:
    """Every cell and how far it is, for programs."""
    rows = []
    for cell in cells:
        folder = experiment / cell.folder
        state = state_of(folder)
        row: dict[str, Any] = {
            "variant": cell.variant.name,
            "algo": cell.variant.algo,
            "scenario": cell.scenario,
            "seed": cell.seed,
            "folder": str(folder),
            "state": state,
        }
        rows.append(row | (vars(read_done(folder)) if state == "done" else {}))
    return rows
