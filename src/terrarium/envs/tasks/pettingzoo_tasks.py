"""Environments of PettingZoo and Gymnasium as tasks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from terrarium.envs.pettingzoo.evaluate import PettingZooEvaluation, evaluate_pettingzoo
from terrarium.envs.pettingzoo.players import PettingZooPlayer, RandomPettingZooPlayer
from terrarium.envs.pettingzoo.recording import is_drawable, record_pettingzoo
from terrarium.envs.pettingzoo.spec import PettingZooSpec, find_spec
from terrarium.envs.pettingzoo.vector import PettingZooVecEnv, blank_views
from terrarium.envs.tasks.spec import Spec
from terrarium.envs.tasks.task import EnvSetup, EvalRound, Task
from terrarium.envs.views import Views
from terrarium.errors import TerrariumError
from terrarium.replay.replays import EpisodeReplay

RANDOM = "random"


@dataclass(frozen=True)
class PettingZooTask:
    """Agents with spaces and rewards of their own that come and go."""

    env: PettingZooSpec

    options_type: ClassVar[type[Any]] = dict
    players: ClassVar[tuple[str, ...]] = (RANDOM,)
    default_player: ClassVar[str] = RANDOM
    presets: ClassVar[tuple[str, ...]] = ("pettingzoo",)
    is_won: ClassVar[bool] = False
    has_units: ClassVar[bool] = False
    discount_option: ClassVar[str] = ""

    @classmethod
    def find(cls, word: str, options: Mapping[str, Any]) -> Self:
        return cls(find_spec(word, options))

    @classmethod
    def player(cls, word: str, seed: int = 0) -> PettingZooPlayer:
        if word != RANDOM:
            raise TerrariumError(f'unknown player "{word}" of an environment. Allowed: {RANDOM}')
        return RandomPettingZooPlayer(seed)

    @property
    def name(self) -> str:
        return self.env.name

    @property
    def given(self) -> Mapping[str, Any]:
        return self.env.options

    @property
    def conditions(self) -> Mapping[str, Any]:
        return {}

    @property
    def defaults(self) -> Mapping[str, Any]:
        return self.env.defaults

    @property
    def title(self) -> str:
        return self.env.title

    @property
    def limit_steps(self) -> int:
        return self.env.limit_steps

    @property
    def cooperative(self) -> bool | None:
        return self.env.cooperative

    @cached_property
    def is_drawable(self) -> bool:
        return is_drawable(self.env)

    @property
    def agents(self) -> tuple[str, ...]:
        return self.env.info.agents

    @property
    def teams(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        return self.env.info.teams

    @cached_property
    def _spec(self) -> Spec:
        info = self.env.info
        return Spec(
            info.n_agents,
            info.n_actions,
            info.n_actions,
            info.obs_width,
            info.state_size,
            limit_steps=self.env.limit_steps,
            parts=tuple(tuple((part.kind, part.n) for part in parts) for parts in info.parts),
            teams=info.teams,
            own_rewards=True,
        )

    def spec(self, views: tuple[str, ...]) -> Spec:
        return self._spec

    def blank(self, views: tuple[str, ...]) -> Views:
        return blank_views(1, self.env.info)

    def differs_from(self, other: Task) -> str:
        if not isinstance(other, PettingZooTask):
            return "observations"
        mine, theirs = self.env.info, other.env.info
        for what, one, two in (
            ("agents", mine.agents, theirs.agents),
            ("actions", mine.parts, theirs.parts),
            ("observations", mine.obs_sizes, theirs.obs_sizes),
        ):
            if one != two:
                return what
        return ""

    def check_training(self, work: EnvSetup) -> None:
        """Everything makes sense."""

    def open(
        self, n_envs: int, seeds: NDArray[np.uint64], views: tuple[str, ...], work: EnvSetup
    ) -> PettingZooVecEnv:
        env = PettingZooVecEnv(
            self.env, n_envs=n_envs, workers=work.workers, seed=seeds, reward=work.reward
        )
        env.reset()
        return env

    def evaluate(
        self,
        player: PettingZooPlayer,
        how: EvalRound,
        progress: Callable[[int], None] = lambda n_done: None,
    ) -> PettingZooEvaluation:
        return evaluate_pettingzoo(
            player,
            self.env,
            how.episodes,
            how.seed,
            n_envs=how.n_envs,
            workers=how.work.workers,
            progress=progress,
        )

    def record(self, player: PettingZooPlayer, seed: int, title: str) -> EpisodeReplay:
        return EpisodeReplay(record_pettingzoo(player, self.env, seed, title))


class GymnasiumTask(PettingZooTask):
    """A Gymnasium environment: a team of one agent."""

    presets: ClassVar[tuple[str, ...]] = ("gymnasium",)
