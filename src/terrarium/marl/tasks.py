"""Tasks: what a policy is trained and evaluated on, battles or PettingZoo environments."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from terrarium.data.battles.scenarios import load_scenario
from terrarium.envs.arrays import empty_views
from terrarium.envs.evaluate import evaluate
from terrarium.envs.options import Options, options_for
from terrarium.envs.pettingzoo.evaluate import evaluate_pettingzoo
from terrarium.envs.pettingzoo.recording import is_drawable, record_pettingzoo
from terrarium.envs.pettingzoo.spec import PettingZooSpec, find_spec, is_pettingzoo
from terrarium.envs.pettingzoo.vector import PettingZooVecEnv
from terrarium.envs.players.players import record_battle
from terrarium.envs.task import compile_task
from terrarium.envs.task_info import TaskInfo
from terrarium.envs.vector import VecEnv
from terrarium.envs.views import Views
from terrarium.errors import TerrariumError
from terrarium.marl.algos.algo import Algo, Metrics
from terrarium.marl.batch import Obs, obs_from_views
from terrarium.marl.net_config import NetConfig, Spec, spec_of
from terrarium.marl.nets.encoders import reads_units
from terrarium.marl.playing.player import PolicyPlayer
from terrarium.marl.rollout import VectorEnv
from terrarium.replay import SUFFIX, WORLD_SUFFIX
from terrarium.replay.pettingzoo.world_record import save_world_record
from terrarium.replay.record_file import save_record

TEST_SEED = 1_000_000_000
"""Of the first episode of every evaluation; training draws its seeds from 2^62 others"""


@dataclass(frozen=True)
class EnvSetup:
    """Threads, worker processes and reward of the environments."""

    threads: int = 1
    """of battles"""
    workers: int = 1
    """processes of worlds"""
    reward: str = "own"
    """of worlds: what each agent earns, own, or all of them together, team"""


@dataclass(frozen=True)
class EvalResult:
    """Result of an evaluation on held-out seeds."""

    score: float
    """the more, the better: the share of battles that were won, or the mean return"""
    metrics: Metrics


class Task(Protocol):
    """Episodes without end that a policy can be trained, tested and watched on."""

    @property
    def name(self) -> str: ...

    @property
    def suffix(self) -> str:
        """of the files that show an episode"""

    @property
    def title(self) -> str: ...

    @property
    def limit_steps(self) -> int:
        """the most steps of an episode; 0: not known"""

    @property
    def is_won(self) -> bool:
        """whether an episode is won or lost; otherwise its return counts"""

    @property
    def is_common(self) -> bool:
        """whether all agents want the same"""

    @property
    def is_drawable(self) -> bool:
        """whether an episode can be recorded and shown"""

    def spec(self, views: tuple[str, ...]) -> Spec: ...

    def blank(self, views: tuple[str, ...]) -> Obs:
        """[1, ...] what one environment shows, empty"""

    def refuse(
        self, algo_name: str, algo: type[Algo], net: NetConfig, reward: str, team: str = ""
    ) -> None:
        """Say why an algorithm cannot learn it, for all agents or for a team, if it cannot"""

    def open(
        self, n_envs: int, seeds: NDArray[np.uint64], views: tuple[str, ...], work: EnvSetup
    ) -> VectorEnv:
        """Many episodes at once that have just begun"""

    def test(self, player: PolicyPlayer, episodes: int, work: EnvSetup) -> EvalResult: ...

    def record(self, player: PolicyPlayer, seed: int, title: str, path: Path) -> None:
        """Let a policy play one episode, and write it down"""


@dataclass(frozen=True)
class BattleTask:
    """A scenario of the engine, with SMAC's options."""

    name: str
    options: Options
    suffix: str = SUFFIX
    is_won: bool = True
    is_common: bool = True
    is_drawable: bool = True

    @property
    def title(self) -> str:
        return load_scenario(self.name).title

    @property
    def limit_steps(self) -> int:
        return load_scenario(self.name).limit_steps

    def _info(self, views: tuple[str, ...]) -> TaskInfo:
        return compile_task(load_scenario(self.name), self.options, views, True)[1]

    def spec(self, views: tuple[str, ...]) -> Spec:
        return spec_of(self._info(views))

    def blank(self, views: tuple[str, ...]) -> Obs:
        return obs_from_views(empty_views(1, self._info(views), views))

    def refuse(
        self, algo_name: str, algo: type[Algo], net: NetConfig, reward: str, team: str = ""
    ) -> None:
        """Every algorithm can learn battles."""

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

    def test(self, player: PolicyPlayer, episodes: int, work: EnvSetup) -> EvalResult:
        result = evaluate(
            player,
            self.name,
            episodes=episodes,
            seed=TEST_SEED,
            n_envs=episodes,
            threads=work.threads,
            options=self.options,
        )
        return EvalResult(
            result.win_rate,
            {
                "test/win_rate": result.win_rate,
                "test/measure": result.mean_measure,
                "test/return": result.mean_return,
                "test/episode_steps": result.mean_steps,
            },
        )

    def record(self, player: PolicyPlayer, seed: int, title: str, path: Path) -> None:
        record = record_battle(player, load_scenario(self.name), seed, title, self.options)
        save_record(record, path)


@dataclass(frozen=True)
class PettingZooTask:
    """A world of PettingZoo: agents with spaces of their own that come and go."""

    world: PettingZooSpec
    suffix: str = WORLD_SUFFIX
    is_won: bool = False

    @property
    def name(self) -> str:
        return self.world.name

    @property
    def title(self) -> str:
        return self.world.title

    @property
    def limit_steps(self) -> int:
        return self.world.limit_steps

    @property
    def is_common(self) -> bool:
        return bool(self.world.cooperative)

    @cached_property
    def is_drawable(self) -> bool:
        return is_drawable(self.world)

    @cached_property
    def _spec(self) -> Spec:
        info = self.world.info
        return Spec(
            info.n_agents,
            info.n_actions,
            info.n_actions,
            info.obs_width,
            info.state_size,
            limit_steps=self.world.limit_steps,
            parts=tuple(tuple((part.kind, part.n) for part in parts) for parts in info.parts),
            teams=info.teams,
            own_rewards=True,
        )

    def spec(self, views: tuple[str, ...]) -> Spec:
        return self._spec

    def blank(self, views: tuple[str, ...]) -> Obs:
        info, nothing = self.world.info, np.zeros((1, 0, 0), np.float32)
        a = info.n_agents
        return obs_from_views(
            Views(
                obs=np.zeros((1, a, info.obs_width), np.float32),
                state=np.zeros((1, info.state_size), np.float32),
                avail=np.zeros((1, a, info.n_actions), np.bool_),
                tokens=np.zeros((1, a, 0, 0), np.float32),
                pairs=np.zeros((1, a, 0, 0), np.float32),
                token_mask=np.zeros((1, a, 0), np.bool_),
                table=nothing,
                table_mask=np.zeros((1, 0), np.bool_),
            )
        )

    def refuse(
        self, algo_name: str, algo: type[Algo], net: NetConfig, reward: str, team: str = ""
    ) -> None:
        info = self.world.info
        members = dict(info.teams)[team] if team else range(info.n_agents)
        if reads_units(net):
            raise TerrariumError(
                f"net.encoder={net.encoder} reads units, and {self.name} shows vectors; "
                "set net.encoder=mlp or linear"
            )
        for a in members if not algo.any_action else ():
            parts = info.parts[a]
            if len(parts) != 1 or parts[0].kind != "choice":
                has = " and ".join(f"{part.n} x {part.kind}" for part in parts)
                raise TerrariumError(
                    f"{algo_name} chooses one of several actions, and {info.agents[a]} of "
                    f"{self.name} has {has}; maddpg, matd3 and ddpg take every kind of action"
                )
        if algo.needs_team and not team and not self._is_team(reward):
            stems = ", ".join(team for team, _ in info.teams)
            friends = "" if self.world.cooperative is False else "; or env.reward=team if they help"
            raise TerrariumError(
                f"{algo_name} learns for a team with one reward, and {self.name} has agents that "
                f"may be opponents: {stems}. Use maddpg, ddpg, mappo, ippo or iql; or one "
                f"algorithm for each team{friends}"
            )

    def _is_team(self, reward: str) -> bool:
        """Whether all agents want the same: known, or said by whoever pays them together."""
        cooperative = self.world.cooperative
        return reward == "team" if cooperative is None else cooperative

    def open(
        self, n_envs: int, seeds: NDArray[np.uint64], views: tuple[str, ...], work: EnvSetup
    ) -> PettingZooVecEnv:
        env = PettingZooVecEnv(
            self.world, n_envs=n_envs, workers=work.workers, seed=seeds, reward=work.reward
        )
        env.reset()
        return env

    def test(self, player: PolicyPlayer, episodes: int, work: EnvSetup) -> EvalResult:
        result = evaluate_pettingzoo(
            player, self.world, episodes, TEST_SEED, n_envs=episodes, workers=work.workers
        )
        teams = result.by_team()
        metrics = {
            "test/return": result.mean_return,
            "test/episode_steps": float(result.steps.mean()),
        }
        if len(teams) > 1:
            metrics |= {f"test/return/{team}": mean for team, mean in teams.items()}
        return EvalResult(result.mean_return, metrics)

    def record(self, player: PolicyPlayer, seed: int, title: str, path: Path) -> None:
        save_world_record(record_pettingzoo(player, self.world, seed, title), path)


def find_task(name: str, task: Mapping[str, Any]) -> Task:
    """A battle by its scenario, or a world; `task` holds options of the one or the other."""
    if is_pettingzoo(name):
        return PettingZooTask(find_spec(name, task))
    scenario = load_scenario(name)
    return BattleTask(name, options_for(scenario, dict(task)))
