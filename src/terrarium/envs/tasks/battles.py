"""Battles of the engine as tasks, with SMAC's options."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from terrarium.data.battles.scenarios import load_scenario
from terrarium.envs.arrays import empty_views
from terrarium.envs.evaluate import BattleEvaluation, evaluate
from terrarium.envs.options import Options, options_for
from terrarium.envs.players.players import (
    COMMANDERS,
    PLAYERS,
    Commander,
    Player,
    make_player,
    record_battle,
)
from terrarium.envs.scenario_tables import compile_scenario
from terrarium.envs.task_info import TaskInfo
from terrarium.envs.tasks.spec import Spec, spec_of
from terrarium.envs.tasks.task import EnvSetup, EvalRound, Task
from terrarium.envs.vector import VecEnv
from terrarium.envs.views import Views
from terrarium.errors import TerrariumError
from terrarium.replay.replays import BattleReplay


@dataclass(frozen=True)
class BattleTask:
    """A scenario of the engine. The game plays the enemy."""

    name: str
    options: Options
    given: Mapping[str, Any] = field(default_factory=dict)

    options_type: ClassVar[type[Any]] = Options
    presets: ClassVar[tuple[str, ...]] = ()
    players: ClassVar[tuple[str, ...]] = (*PLAYERS, *COMMANDERS)
    default_player: ClassVar[str] = "kiting"
    is_won: ClassVar[bool] = True
    has_units: ClassVar[bool] = True
    discount_option: ClassVar[str] = "reward_gamma"
    cooperative: ClassVar[bool | None] = True
    is_drawable: ClassVar[bool] = True
    defaults: ClassVar[Mapping[str, Any]] = {}
    teams: ClassVar[tuple[tuple[str, tuple[int, ...]], ...]] = ()

    @classmethod
    def find(cls, word: str, options: Mapping[str, Any]) -> Self:
        """The scenario of a name or of a file; files are remembered by their full paths."""
        scenario, given = load_scenario(word), dict(options)
        rules = given.get("rules")
        if isinstance(rules, str) and rules.endswith(".toml"):
            given["rules"] = str(Path(rules).absolute())
        name = str(Path(word).absolute()) if word.endswith(".toml") else scenario.name
        return cls(name, options_for(scenario, dict(options)), given)

    @classmethod
    def player(cls, word: str, seed: int = 0) -> Player | Commander:
        return make_player(word)

    @property
    def conditions(self) -> Mapping[str, Any]:
        return {"contract": self.options.contract, "rules": self.options.rules}

    @property
    def title(self) -> str:
        return load_scenario(self.name).title

    @property
    def limit_steps(self) -> int:
        return load_scenario(self.name).limit_steps

    @property
    def agents(self) -> tuple[str, ...]:
        return tuple(f"agent_{a}" for a in range(self._info(()).n_agents))

    def _info(self, views: tuple[str, ...]) -> TaskInfo:
        return compile_scenario(load_scenario(self.name), self.options, views, True)[1]

    def spec(self, views: tuple[str, ...]) -> Spec:
        return spec_of(self._info(views))

    def blank(self, views: tuple[str, ...]) -> Views:
        return empty_views(1, self._info(views), views)

    def differs_from(self, other: Task) -> str:
        """Networks say themselves what they do not fit: policies of units fit every battle."""
        return "" if other.has_units else "observations"

    def check_training(self, work: EnvSetup) -> None:
        if work.workers > 1:
            raise TerrariumError(
                "env.workers are for PettingZoo and Gymnasium environments; battles have "
                "run.threads"
            )
        if work.reward != "own":
            raise TerrariumError(
                "env.reward is for PettingZoo environments; in battles the team earns"
            )
        if self.options.heuristic_ai:
            raise TerrariumError("task.heuristic_ai lets a script play: there is nothing to learn")

    def open(
        self, n_envs: int, seeds: NDArray[np.uint64], views: tuple[str, ...], work: EnvSetup
    ) -> VecEnv:
        env = VecEnv(
            self.name,
            n_envs=n_envs,
            threads=work.threads,
            seed=seeds,
            views=views,
            options=self.options,
        )
        env.reset()
        return env

    def evaluate(
        self,
        player: Player | Commander,
        how: EvalRound,
        progress: Callable[[int], None] = lambda n_done: None,
    ) -> BattleEvaluation:
        return evaluate(
            player,
            self.name,
            episodes=how.episodes,
            seed=how.seed,
            n_envs=how.n_envs,
            threads=how.work.threads,
            options=self.options,
            progress=progress,
        )

    def record(self, player: Player | Commander, seed: int, title: str) -> BattleReplay:
        scenario = load_scenario(self.name)
        return BattleReplay(record_battle(player, scenario, seed, title, self.options))
