"""Everything that decides a run: the algorithm, the scenario, and a section for each part."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from terrarium.config import (
    ConfigError,
    Layer,
    given,
    inner_sections,
    load_preset,
    preset_names,
    table_of,
    to_toml,
)
from terrarium.data.scenarios import load_scenario
from terrarium.envs.options import Options, options_for
from terrarium.errors import TerrariumError, nearest
from terrarium.marl.algos import ALGOS, OTHER_NAMES
from terrarium.marl.nets.config import NetConfig

MAX_SEED = 2**63 - 1


@dataclass(frozen=True)
class RunConfig:
    """Where a run goes, from which seed, and when it stops."""

    seed: int = 0
    """decides everything: the same seed gives the same run on the same machine"""
    folder: str = ""
    """where the run is kept; empty: a new one under runs/"""
    max_steps: int = 1_000_000
    """steps of all environments together, after which it stops; schedules end there"""
    max_minutes: float = 0.0
    """minutes after which it stops; 0: no limit"""
    target_win_rate: float = 0.0
    """stop when an evaluation wins this share; 0: never"""
    start_from: str = ""
    """a run or checkpoint whose weights to begin with"""
    threads: int = 0
    """of the environments and of PyTorch; 0: one for each core"""

    def __post_init__(self) -> None:
        _check("run.seed", self.seed, 0 <= self.seed <= MAX_SEED, f"0 to {MAX_SEED}")
        _check("run.max_steps", self.max_steps, 1 <= self.max_steps <= 10**12, "1 to 10^12")
        fine = 0.0 <= self.max_minutes <= 1e6
        _check("run.max_minutes", self.max_minutes, fine, "0 to 1000000")
        fine = 0.0 <= self.target_win_rate <= 1.0
        _check("run.target_win_rate", self.target_win_rate, fine, "0 to 1: 0.95 is 95 %")
        _check("run.threads", self.threads, 0 <= self.threads <= 1024, "0 to 1024")


@dataclass(frozen=True)
class EnvConfig:
    """How many battles are played at once."""

    n_envs: int = 64
    """battles side by side"""

    def __post_init__(self) -> None:
        _check("env.n_envs", self.n_envs, 1 <= self.n_envs <= 100_000, "1 to 100000")


@dataclass(frozen=True)
class EvalConfig:
    """Greedy battles on seeds that are never trained on."""

    every: int = 20_000
    """steps from one evaluation to the next; checkpoints are written then, too"""
    episodes: int = 128
    """battles of each evaluation, at least 64"""
    replays: bool = True
    """record one battle of each evaluation"""

    def __post_init__(self) -> None:
        _check("eval.every", self.every, 1 <= self.every <= 10**12, "1 to 10^12")
        _check("eval.episodes", self.episodes, 64 <= self.episodes <= 10**6, "64 to 1000000")


@dataclass(frozen=True)
class Stage:
    """A scenario that is trained on first."""

    scenario: str
    """its name, or a file"""
    target: float
    """the win rate at which the next one begins"""

    def __post_init__(self) -> None:
        _check("target of a stage", self.target, 0.0 < self.target <= 1.0, "above 0, up to 1")


@dataclass(frozen=True)
class CurriculumConfig:
    """Scenarios that lead up to the one that counts; the policy is carried over."""

    stages: tuple[Stage, ...] = ()
    """in their order: {scenario = "smac/3m", target = 0.9}"""


@dataclass(frozen=True)
class Settings:
    """A run before it begins. `task` holds SMAC's options that differ from the scenario's own."""

    algo_name: str
    scenario: str
    run: RunConfig
    env: EnvConfig
    net: NetConfig
    algo: Any
    """the settings of the algorithm, a dataclass of its own"""
    eval: EvalConfig
    curriculum: CurriculumConfig
    task: Mapping[str, Any] = field(default_factory=dict)

    @property
    def scenarios(self) -> list[str]:
        """Of all stages; the last one counts."""
        return [*(stage.scenario for stage in self.curriculum.stages), self.scenario]

    def section(self, name: str) -> Any:
        """The settings of a section; those inside of the algorithm's have their own names."""
        inside = inner_sections(type(self.algo))
        return getattr(self.algo if name in inside else self, name)

    def options(self, scenario: str) -> Options:
        return options_for(load_scenario(scenario), dict(self.task))

    def to_toml(self, about: Mapping[str, Any]) -> str:
        """As `run.toml`."""
        names = [name for name in sections(self.algo_name) if name != "task"]
        tables = {name: table_of(self.section(name)) for name in names}
        head = {"algo": self.algo_name, "scenario": self.scenario, **about}
        return to_toml({"about": head, **tables, "task": dict(self.task)})


def sections(algo_name: str) -> dict[str, type[Any]]:
    """What can be set, by the name of its section."""
    config = ALGOS[algo_name].Config
    return {
        "run": RunConfig,
        "env": EnvConfig,
        "task": Options,
        "net": NetConfig,
        "algo": config,
        **inner_sections(config),
        "eval": EvalConfig,
        "curriculum": CurriculumConfig,
    }


def algo_of(word: str) -> str:
    """The algorithm that a word means."""
    name = OTHER_NAMES.get(word, word)
    if name not in ALGOS:
        allowed = [*ALGOS, *OTHER_NAMES]
        raise TerrariumError(
            f'unknown algorithm "{word}".{nearest(word, allowed)} Allowed: {", ".join(allowed)}'
        )
    return name


def resolve(
    algo: str, scenario: str, overrides: Layer | None = None, preset: str | None = None
) -> Settings:
    """Defaults, then the preset, then the overrides.

    Without a name, the preset of the algorithm and the scenario is taken, if there is one.
    """
    algo_name, name = algo_of(algo), load_scenario(scenario).name
    if scenario.endswith(".toml"):
        name = str(Path(scenario).absolute())  # the run may be resumed from another folder
    own = f"{algo_name}/{name}"
    chosen = own if preset is None and own in preset_names() else preset
    layers = [*(load_preset(chosen) if chosen else ()), *([overrides] if overrides else ())]
    return from_layers(algo_name, name, layers)


def from_layers(algo_name: str, scenario: str, layers: Sequence[Layer]) -> Settings:
    """Settings that are checked before anything begins."""
    kinds = sections(algo_name)
    _check_sections(algo_name, layers)
    values = given(kinds, layers)
    task = values.pop("task")
    inner = inner_sections(kinds["algo"])
    values["algo"] |= {name: kind(**values.pop(name)) for name, kind in inner.items()}
    parts = {name: kinds[name](**table) for name, table in values.items()}
    settings = Settings(algo_name=algo_name, scenario=scenario, task=task, **parts)
    for each in settings.scenarios:
        if settings.options(each).heuristic_ai:
            raise ConfigError("task.heuristic_ai lets a script play: there is nothing to learn")
    if settings.curriculum.stages and not ALGOS[algo_name].fits_many:
        others = ", ".join(name for name, algo in ALGOS.items() if algo.fits_many)
        raise ConfigError(
            f"curriculum.stages: what {algo_name} learns fits one scenario only; "
            f"these fit many: {others}"
        )
    ALGOS[algo_name].check(settings.net, settings.algo, settings.env.n_envs)
    return settings


def _check_sections(algo_name: str, layers: Sequence[Layer]) -> None:
    """Say why a part of other algorithms has no place in this one, and which ones have it."""
    lacks = ALGOS[algo_name].lacks
    for layer in layers:
        for section in layer.values:
            if section in lacks:
                others = [name for name in ALGOS if section in sections(name)]
                raise ConfigError(
                    f"{layer.source}: {algo_name} has no {section}.*: {lacks[section]}. "
                    f"It belongs to {', '.join(others)}"
                )


def _check(name: str, value: float, fine: bool, allowed: str) -> None:
    if not fine or not math.isfinite(value):
        raise TerrariumError(f"{name} is {value}; allowed: {allowed}")
