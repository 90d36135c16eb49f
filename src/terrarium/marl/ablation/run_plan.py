"""A plan of an ablation: variants, scenarios and seeds, whose product are the cells."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Any

from terrarium.config import Layer, value_text
from terrarium.errors import TerrariumError

Values = Mapping[str, Any]
"""Settings by their dotted names, as on the command line: `net.core`."""

_LONGEST_NAME = 100


@dataclass(frozen=True)
class Variant:
    """One line of a comparison: an algorithm with some settings."""

    name: str
    algo: str
    settings: Values

    @property
    def folder(self) -> str:
        """The name, made safe for folders."""
        return re.sub(r"[^A-Za-z0-9.=+-]+", "_", self.name).strip("._")[:_LONGEST_NAME]


@dataclass(frozen=True)
class AblationPlan:
    """What is trained: every variant on every scenario with every seed."""

    source: str
    """the file, for errors"""
    title: str
    scenarios: tuple[str, ...]
    seeds: tuple[int, ...]
    minutes: float | None
    """budget of each cell"""
    variants: tuple[Variant, ...]

    def cells(self) -> "Iterator[Cell]":
        """Seed by seed, so that every variant has a first curve before any has its second."""
        for seed in self.seeds:
            for scenario in self.scenarios:
                for place, variant in enumerate(self.variants):
                    home = f"{variant.folder}/{self._folder_of(scenario)}"
                    yield Cell(self, variant, place, scenario, seed, f"{home}/seed{seed}")

    def _folder_of(self, scenario: str) -> str:
        """The last part of a scenario's name, if that is enough to tell it from the others."""
        short = _last_part(scenario)
        alike = [other for other in self.scenarios if _last_part(other) == short]
        if len(alike) == 1:
            return short
        return re.sub(r"[^A-Za-z0-9.=+-]+", "_", scenario.removesuffix(".toml")).strip("._")

    def check_folders(self) -> None:
        """Two cells must not share a folder, also where names differ in their case only."""
        seen: dict[str, Cell] = {}
        for cell in self.cells():
            other = seen.setdefault(cell.folder.lower(), cell)
            if other is not cell:
                pair = f'"{other.variant.name}" and "{cell.variant.name}"'
                if other.variant is cell.variant:
                    pair = f'"{other.scenario}" and "{cell.scenario}"'
                raise TerrariumError(
                    f"{self.source}: {pair} would share the folder {cell.folder}; rename one"
                )

    def to_toml(self) -> str:
        """As a plan that says the same without grid and quick part."""
        lines = [f"title = {value_text(self.title)}"]
        lines.append(f"scenarios = {value_text(self.scenarios)}")
        lines.append(f"seeds = {value_text(self.seeds)}")
        if self.minutes is not None:
            lines.append(f"minutes = {value_text(self.minutes)}")
        for variant in self.variants:
            lines += ["", "[[variant]]", f"name = {value_text(variant.name)}"]
            lines += [f"algo = {value_text(variant.algo)}", "[variant.settings]"]
            lines += [f'"{name}" = {value_text(v)}' for name, v in variant.settings.items()]
        return "\n".join(lines) + "\n"

    def difference(self, other: "AblationPlan") -> str:
        """In what another plan differs, in a few words; nothing if it does not."""
        for name in ("scenarios", "seeds", "minutes"):
            ours, theirs = getattr(self, name), getattr(other, name)
            if ours != theirs:
                return f"{name} {_shown(ours)} instead of {_shown(theirs)}"
        ours_by_name = {variant.name: variant for variant in self.variants}
        theirs_by_name = {variant.name: variant for variant in other.variants}
        if more := [name for name in ours_by_name if name not in theirs_by_name]:
            return f'a variant "{more[0]}"'
        if less := [name for name in theirs_by_name if name not in ours_by_name]:
            return f'no variant "{less[0]}"'
        for name, variant in ours_by_name.items():
            if text := _variant_difference(variant, theirs_by_name[name]):
                return f'variant "{name}" with {text}'
        if [*ours_by_name] != [*theirs_by_name]:
            return "its variants in another order"
        return ""


@dataclass(frozen=True)
class Cell:
    """One run of a plan."""

    plan: AblationPlan
    variant: Variant
    place: int
    """of its variant in the plan"""
    scenario: str
    seed: int
    folder: str
    """below that of the experiment: ALGORITHM/SCENARIO/seedN"""

    @property
    def name(self) -> str:
        return f"{self.variant.name} on {PurePosixPath(self.scenario).name}, seed {self.seed}"

    def layer(self, experiment: Path | None, threads: int | None = None) -> Layer:
        """Its settings, as a layer above the preset of its scenario."""
        values = dict(self.variant.settings)
        if self.plan.minutes is not None:
            values["run.max_minutes"] = self.plan.minutes
        values["run.seed"] = self.seed
        if experiment is not None:
            values["run.folder"] = str(experiment / self.folder)
        if threads is not None:
            values["run.threads"] = threads
        tables: dict[str, dict[str, Any]] = {}
        for name, value in values.items():
            section, _, key = name.partition(".")
            tables.setdefault(section, {})[key] = value
        return Layer(f'{self.plan.source}, variant "{self.variant.name}"', tables)


def with_names(
    plan: AblationPlan, algos: Mapping[str, str], scenarios: Mapping[str, str]
) -> AblationPlan:
    """The same plan, with algorithms and scenarios by the names that they are kept under."""
    return replace(
        plan,
        scenarios=tuple(scenarios[name] for name in plan.scenarios),
        variants=tuple(replace(one, algo=algos[one.algo]) for one in plan.variants),
    )


def _last_part(scenario: str) -> str:
    return re.sub(r"[^A-Za-z0-9.=+-]+", "_", Path(scenario.removesuffix(".toml")).name).strip("._")


def _variant_difference(ours: Variant, theirs: Variant) -> str:
    if ours.algo != theirs.algo:
        return f"{ours.algo} instead of {theirs.algo}"
    for name in [*ours.settings, *theirs.settings]:
        if name not in theirs.settings:
            return f"{name}={_shown(ours.settings[name])}"
        if name not in ours.settings:
            return f"no {name}={_shown(theirs.settings[name])}"
        if ours.settings[name] != theirs.settings[name]:
            return (
                f"{name}={_shown(ours.settings[name])} instead of {_shown(theirs.settings[name])}"
            )
    return ""


def _shown(value: Any) -> str:
    return "none" if value is None else value_text(value)
