"""Whole games as tasks: computer opponents play them, or a program does by `make_game`."""

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self

import numpy as np
from numpy.typing import NDArray

from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.library import find_map
from terrarium.data.opponents.opponent import Opponent, find_opponent
from terrarium.envs.evaluate import wilson_interval
from terrarium.envs.games.game_env import LIMIT_TICKS, STEP_TICKS, GameEnv
from terrarium.envs.games.matches import Match, play_match
from terrarium.envs.games.recording import record_game
from terrarium.envs.tasks.spec import Spec
from terrarium.envs.tasks.task import EnvSetup, EvalRound, MeanReturn, Task
from terrarium.envs.views import Views
from terrarium.errors import TerrariumError, nearest
from terrarium.games.ending import GameResult

if TYPE_CHECKING:
    from terrarium.envs.tasks.task import VectorEnv
    from terrarium.replay.replays import Replay

PREFIX = "game/"


@dataclass(frozen=True)
class GameOptions:
    """Options of a whole game."""

    opponent: str = "hard-random"
    """who plays the other side: LEVEL-RACE or LEVEL-RACE-BUILD"""
    rules: str = "lotv-4.10"
    """rule set"""
    fog: bool = True
    """players see only what their units see"""
    limit_ticks: int = LIMIT_TICKS
    """when a game ends without a result"""

    def __post_init__(self) -> None:
        find_opponent(self.opponent)
        if self.limit_ticks < 1:
            raise TerrariumError(f"limit_ticks is {self.limit_ticks}; it must be 1 or more")


@dataclass(frozen=True)
class GameEvaluation:
    """What a player achieved in whole games."""

    game: str
    opponent: str
    episodes: int
    seed: int
    wins: int
    defeats: int
    ties: int
    timeouts: int
    mean_loops: float
    loops_per_s: float

    @property
    def win_rate(self) -> float:
        return self.wins / self.episodes

    @property
    def score(self) -> float:
        return self.win_rate

    @property
    def mean_return(self) -> float:
        """1 for a win, -1 for a defeat"""
        return (self.wins - self.defeats) / self.episodes

    @property
    def mean_steps(self) -> float:
        return self.mean_loops / STEP_TICKS

    def metrics(self) -> dict[str, float]:
        return {"test/win_rate": self.win_rate, "test/episode_steps": self.mean_steps}

    def by_team(self) -> dict[str, MeanReturn]:
        return {}

    def table_rows(self) -> list[dict[str, str]]:
        low, high = wilson_interval(self.wins, self.episodes)
        return [
            {
                "game": self.game,
                "opponent": self.opponent,
                "wins": f"{self.win_rate:.1%}",
                "95 % interval": f"{low:.1%} - {high:.1%}",
                "games": str(self.episodes),
                "defeats": str(self.defeats),
                "ties": str(self.ties),
                "timeouts": str(self.timeouts),
                "loops": f"{self.mean_loops:,.0f}",
                "loops/s": f"{self.loops_per_s:,.0f}",
            }
        ]

    def as_json(self) -> dict[str, Any]:
        interval = wilson_interval(self.wins, self.episodes)
        return {"win_rate": self.win_rate, "interval": interval, **asdict(self)}


@dataclass(frozen=True)
class GameTask:
    """A game of two players on a map."""

    name: str
    options: GameOptions
    given: Mapping[str, Any] = field(default_factory=dict)

    options_type: ClassVar[type[Any]] = GameOptions
    presets: ClassVar[tuple[str, ...]] = ()
    players: ClassVar[tuple[str, ...]] = ()
    default_player: ClassVar[str] = "hard-random"
    is_won: ClassVar[bool] = True
    has_units: ClassVar[bool] = False
    discount_option: ClassVar[str] = ""
    cooperative: ClassVar[bool | None] = False
    is_drawable: ClassVar[bool] = True
    defaults: ClassVar[Mapping[str, Any]] = {}
    teams: ClassVar[tuple[tuple[str, tuple[int, ...]], ...]] = ()
    agents: ClassVar[tuple[str, ...]] = ("player_1",)

    @classmethod
    def find(cls, word: str, options: Mapping[str, Any]) -> Self:
        """`game/simple_64`, `game/ladder/7`, `game/my_map.toml`."""
        given = {name: value for name, value in options.items() if value is not None}
        known = list(GameOptions.__dataclass_fields__)
        for name in given:
            if name not in known:
                raise TerrariumError(
                    f'unknown option "{name}" of {word}.{nearest(name, known)} '
                    f"Allowed: {', '.join(known)}"
                )
        find_map(word.removeprefix(PREFIX))
        return cls(word, GameOptions(**given), given)

    @classmethod
    def player(cls, word: str, seed: int = 0) -> Opponent:
        return find_opponent(word)

    @cached_property
    def map(self) -> GameMap:
        return find_map(self.name.removeprefix(PREFIX))

    @property
    def conditions(self) -> Mapping[str, Any]:
        return {"opponent": self.options.opponent, "rules": self.options.rules}

    @property
    def title(self) -> str:
        return f"against {self.options.opponent} on {self.map.title}"

    @property
    def limit_steps(self) -> int:
        return -(-self.options.limit_ticks // STEP_TICKS)

    def _refuse(self) -> NoReturn:
        raise TerrariumError(
            f"{self.name}: whole games have no observations of fixed sizes to train on; "
            "terrarium.make_game gives their raw state"
        )

    def spec(self, views: tuple[str, ...]) -> Spec:
        self._refuse()

    def blank(self, views: tuple[str, ...]) -> Views:
        self._refuse()

    def differs_from(self, other: Task) -> str:
        return "" if isinstance(other, GameTask) else "observations"

    def check_training(self, work: EnvSetup) -> None:
        self._refuse()

    def open(
        self, n_envs: int, seeds: NDArray[np.uint64], views: tuple[str, ...], work: EnvSetup
    ) -> "VectorEnv":
        self._refuse()

    def _env(self, player: Opponent) -> GameEnv:
        return GameEnv(
            self.map,
            (player.name, self.options.opponent),
            rules=self.options.rules,
            fog=self.options.fog,
            limit_ticks=self.options.limit_ticks,
        )

    def evaluate(
        self,
        player: Opponent,
        how: EvalRound,
        progress: Callable[[int], None] = lambda n_done: None,
    ) -> GameEvaluation:
        """Games one after the other, the player from the first start location."""
        env, matches, start = self._env(player), [], time.perf_counter()
        for k in range(how.episodes):
            matches.append(play_match(self.map, (), how.seed + k, env=env))
            progress(k + 1)
        env.close()
        return _summary(self, matches, how.seed, time.perf_counter() - start)

    def record(self, player: Opponent, seed: int, title: str) -> "Replay":
        return record_game(self._env(player), seed, title)


def _summary(task: GameTask, matches: list[Match], seed: int, seconds: float) -> GameEvaluation:
    ends = [match.results[0] for match in matches]
    loops = sum(match.loops for match in matches)
    return GameEvaluation(
        game=task.name,
        opponent=task.options.opponent,
        episodes=len(matches),
        seed=seed,
        wins=ends.count(GameResult.VICTORY),
        defeats=ends.count(GameResult.DEFEAT),
        ties=ends.count(GameResult.TIE),
        timeouts=ends.count(GameResult.UNDECIDED),
        mean_loops=loops / len(matches),
        loops_per_s=loops / max(seconds, 1e-9),
    )
