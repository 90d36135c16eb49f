"""Everything that decides a run: the algorithm, the task, and a section for each part."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from terrarium.config import (
    ConfigError,
    Layer,
    given,
    load_preset,
    preset_names,
    table_of,
    to_toml,
)
from terrarium.envs.tasks.registry import find_task, kind_of
from terrarium.envs.tasks.task import EnvSetup, Task
from terrarium.errors import TerrariumError, nearest
from terrarium.loggers import LogConfig
from terrarium.marl.algos import ALGOS, OTHER_NAMES, find_algo
from terrarium.marl.algos.per_team import TeamsConfig, fit_teams, is_teams, split_teams
from terrarium.marl.net_config import NetConfig
from terrarium.marl.sections import (
    algo_sections,
    algo_settings,
    every_config,
    net_sections,
    net_settings,
    parts_of,
    refuse_settings_of_others,
)
from terrarium.marl.setting_names import refuse_other_names

MAX_SEED = 2**63 - 1
REWARDS = ("own", "team")
ONLY_SOME_HAVE = {
    "replay": "which belongs to algorithms that learn from a replay buffer",
    "explore": "which belongs to algorithms that act by Q-values",
    "mixer": "which belongs to algorithms that mix Q-values by a network",
    "differ": "which belongs to algorithms that split a team's TD error",
    "share": "which belongs to algorithms whose agents have TD errors of their own",
}
"""Sections of some algorithms, and what these have in common"""


@dataclass(frozen=True)
class RunConfig:
    """Where a run goes, from which seed, and when it stops."""

    seed: int = 0
    """random seed: the same seed gives the same run on the same machine"""
    folder: str = ""
    """folder of the run; empty: a new one under runs/"""
    max_steps: int = 1_000_000
    """environment steps, of all environments together, after which the run ends; schedules end
    there"""
    max_minutes: float = 0.0
    """minutes after which the run ends; 0: no limit"""
    target_win_rate: float = 0.0
    """end the run when an evaluation reaches this win rate; 0: never"""
    start_from: str = ""
    """run or checkpoint to take the initial weights from"""
    keep_checkpoints: int = 0
    """keep a checkpoint every so many environment steps, beside last and best; 0: none"""
    threads: int = 0
    """threads of the environments and of PyTorch; 0: one per core for battles, and for PyTorch as
    many as make the first updates fastest"""

    def __post_init__(self) -> None:
        _check("run.seed", self.seed, 0 <= self.seed <= MAX_SEED, f"0 to {MAX_SEED}")
        _check("run.max_steps", self.max_steps, 1 <= self.max_steps <= 10**12, "1 to 10^12")
        fine = 0.0 <= self.max_minutes <= 1e6
        _check("run.max_minutes", self.max_minutes, fine, "0 to 1000000")
        fine = 0.0 <= self.target_win_rate <= 1.0
        _check("run.target_win_rate", self.target_win_rate, fine, "0 to 1: 0.95 is 95 %")
        fine = 0 <= self.keep_checkpoints <= 10**12
        _check("run.keep_checkpoints", self.keep_checkpoints, fine, "0 to 10^12")
        _check("run.threads", self.threads, 0 <= self.threads <= 1024, "0 to 1024")


@dataclass(frozen=True)
class EnvConfig:
    """How many battles are played at once."""

    n_envs: int = 64
    """parallel environments"""
    workers: int = 1
    """worker processes of PettingZoo environments; battles use run.threads"""
    reward: str = "own"
    """PettingZoo environments: own reward of each agent, or their mean for all (team)"""

    def __post_init__(self) -> None:
        _check("env.n_envs", self.n_envs, 1 <= self.n_envs <= 100_000, "1 to 100000")
        _check("env.workers", self.workers, 1 <= self.workers <= 1024, "1 to 1024")
        if self.reward not in REWARDS:
            raise TerrariumError(
                f'env.reward is "{self.reward}".{nearest(self.reward, REWARDS)} '
                f"Allowed: {', '.join(REWARDS)}"
            )


@dataclass(frozen=True)
class EvalConfig:
    """Greedy battles on seeds that are never trained on."""

    interval: int = 20_000
    """environment steps between two evaluations; checkpoints are written at the same time"""
    episodes: int = 128
    """episodes of each evaluation, at least 64"""
    replays: bool = True
    """record one episode of each evaluation"""

    def __post_init__(self) -> None:
        _check("eval.interval", self.interval, 1 <= self.interval <= 10**12, "1 to 10^12")
        _check("eval.episodes", self.episodes, 64 <= self.episodes <= 10**6, "64 to 1000000")


@dataclass(frozen=True)
class CurriculumStage:
    """A scenario that is trained on first."""

    scenario: str
    """name or file of the scenario"""
    target: float
    """win rate at which the next stage begins"""

    def __post_init__(self) -> None:
        _check("target of a stage", self.target, 0.0 < self.target <= 1.0, "above 0, up to 1")


@dataclass(frozen=True)
class CurriculumConfig:
    """Scenarios that lead up to the one that counts; the policy is carried over."""

    stages: tuple[CurriculumStage, ...] = ()
    """scenarios to train on first, in order: {scenario = "smac/3m", target = 0.9}"""


@dataclass(frozen=True)
class Settings:
    """A run before it begins. `task` holds the options of the task that were given."""

    algo_name: str
    scenario: str
    run: RunConfig
    env: EnvConfig
    net: NetConfig
    algo: Any
    """the settings of the algorithm, a dataclass of its own"""
    eval: EvalConfig
    log: LogConfig
    curriculum: CurriculumConfig
    task: Mapping[str, Any] = field(default_factory=dict)

    @property
    def scenarios(self) -> list[str]:
        """Of all stages; the last one counts."""
        return [*(stage.scenario for stage in self.curriculum.stages), self.scenario]

    def names(self) -> list[str]:
        """Of all sections but the options of the scenario."""
        return list(self.parts())

    def parts(self) -> dict[str, Any]:
        """The settings of each section, in the order of `run.toml`."""
        if isinstance(self.algo, TeamsConfig):
            teams = [parts_of(team.name, team.cfg, f"{team.name}_") for team in self.algo.teams]
            own = {name: part for parts in teams for name, part in parts.items()}
        else:
            own = parts_of("algo", self.algo)
        around = {"eval": self.eval, "log": self.log, "curriculum": self.curriculum}
        return {"run": self.run, "env": self.env, **parts_of("net", self.net), **own, **around}

    def section(self, name: str) -> Any:
        """The settings of a section."""
        return self.parts()[name]

    def task_of(self, scenario: str) -> Task:
        """What a scenario is played as; what shapes rewards is discounted as returns are."""
        option = kind_of(scenario).discount_option
        shaping = {option: self.algo.gamma} if option and hasattr(self.algo, "gamma") else {}
        return find_task(scenario, {**shaping, **self.task})

    def to_toml(self, about: Mapping[str, Any]) -> str:
        """As `run.toml`."""
        tables = {name: table_of(part) for name, part in self.parts().items()}
        head = {"algo": self.algo_name, "scenario": self.scenario, **about}
        filled = {name: table for name, table in tables.items() if table}
        return to_toml({"about": head, **filled, "task": dict(self.task)})


def sections(
    algo_name: str, scenario: str = "", layers: Sequence[Layer] = ()
) -> dict[str, type[Any]]:
    """What can be set, by the name of its section, where the layers choose these parts."""
    before = {
        "run": RunConfig,
        "env": EnvConfig,
        "task": kind_of(scenario).options_type,
        **net_sections(layers),
    }
    after = {"eval": EvalConfig, "log": LogConfig, "curriculum": CurriculumConfig}
    own = algo_sections(algo_name, layers)
    for name in own:
        if name in before or name in after or name == "about":
            raise ConfigError(
                f'{algo_name}: the settings of team "{name}" would be in the section [{name}], '
                "which means something else already; name the agents of the environment otherwise"
            )
    return {**before, **own, **after}


def algo_of(word: str, scenario: str = "") -> str:
    """The algorithm that a word means, or the algorithms of the teams of a task."""
    if is_teams(word):
        teams = [team for team, _ in find_task(scenario).teams] if scenario else []
        if not teams:
            raise TerrariumError(
                f'"{word}": only PettingZoo environments have teams that learn; in a battle the '
                "enemy is played by the game"
            )
        fitting = fit_teams(split_teams(word), teams, scenario)
        return ",".join(f"{team}={algo_of(algo)}" for team, algo in fitting.items())
    find_algo(word)
    return OTHER_NAMES.get(word, word)


def resolve(
    algo: str, scenario: str, overrides: Layer | None = None, preset: str | None = None
) -> Settings:
    """Defaults, then the preset, then the overrides.

    Without a name, the preset of the algorithm and the scenario is taken, if there is one.
    """
    name = find_task(scenario).name
    algo_name = algo_of(algo, name)
    general = [each for kind in kind_of(name).presets for each in (f"{algo_name}/{kind}", kind)]
    own = [f"{algo_name}/{name.replace(':', '/')}", *general]
    found = [known for known in own if known in preset_names()]
    chosen = found[0] if preset is None and found else preset
    layers = load_preset(chosen) if chosen else []
    if preset is None and is_teams(algo_name):
        layers += _team_layers(algo_name, name)
    return from_layers(algo_name, name, [*layers, *([overrides] if overrides else ())])


def _team_layers(algo_name: str, scenario: str) -> list[Layer]:
    """What the presets of the teams' algorithms say for tasks of this kind, in the sections of the
    teams."""
    layers = []
    for team, algo in split_teams(algo_name).items():
        own = f"{algo}/{kind_of(scenario).presets[0]}"
        names = {"algo": team, "net": "net"}
        names |= {name: f"{team}_{name}" for name in algo_sections(algo) if name != "algo"}
        for layer in load_preset(own)[1:] if own in preset_names() else ():  # after what all share
            values = {names[section]: table for section, table in layer.values.items()}
            layers.append(Layer(layer.source, values))
    return layers


def from_layers(algo_name: str, scenario: str, layers: Sequence[Layer]) -> Settings:
    """Settings that are checked before anything begins."""
    _check_sections(algo_name, layers)
    kinds = sections(algo_name, scenario, layers)
    refuse_other_names(kinds, layers, every_config)
    refuse_settings_of_others(kinds, layers)
    values = given(kinds, layers)
    task, net = find_task(scenario, values.pop("task")).given, net_settings(kinds, values)
    algo = algo_settings(algo_name, kinds, values)
    parts = {name: kinds[name](**table) for name, table in values.items()}
    settings = Settings(
        algo_name=algo_name, scenario=scenario, task=task, net=net, algo=algo, **parts
    )
    _check_tasks(settings)
    if settings.curriculum.stages and not find_algo(algo_name).fits_many:
        others = ", ".join(name for name, algo in ALGOS.items() if algo.fits_many)
        raise ConfigError(
            f"curriculum.stages: what {algo_name} learns fits one scenario only; "
            f"these fit many: {others}"
        )
    find_algo(algo_name).check(settings.net, settings.algo, settings.env.n_envs)
    return settings


def _check_tasks(settings: Settings) -> None:
    """Refuse what makes no sense on the tasks of the run."""
    work = EnvSetup(workers=settings.env.workers, reward=settings.env.reward)
    for each in settings.scenarios:
        settings.task_of(each).check_training(work)
    kind = kind_of(settings.scenario)
    if not kind.is_won and settings.curriculum.stages:
        raise ConfigError("curriculum.stages lead from battle to battle, by win rates")
    if not kind.is_won and settings.run.target_win_rate:
        raise ConfigError(
            f"run.target_win_rate: nothing is won in {settings.scenario}; set run.max_steps"
        )
    teams = settings.algo.teams if isinstance(settings.algo, TeamsConfig) else ()
    parts = {team.name: team.cfg for team in teams} or {"algo": settings.algo}
    for section, cfg in parts.items():
        if getattr(cfg, "teacher", "") not in ("", *kind.players):
            raise ConfigError(f"{section}.teacher knows battles only; leave it empty")


def _check_sections(algo_name: str, layers: Sequence[Layer]) -> None:
    """Say why a part of other algorithms has no place in this one, and which ones have it."""
    known = sections(algo_name)
    for layer in layers:
        for section in layer.values:
            if section in ONLY_SOME_HAVE and section not in known:
                others = [name for name in ALGOS if section in sections(name)]
                raise ConfigError(
                    f"{layer.source}: {algo_name} has no {section}.*, {ONLY_SOME_HAVE[section]}; "
                    f"these have it: {', '.join(others)}"
                )


def _check(name: str, value: float, fine: bool, allowed: str) -> None:
    if not fine or not math.isfinite(value):
        raise TerrariumError(f"{name} is {value}; allowed: {allowed}")
