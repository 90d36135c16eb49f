"""The interface of tasks: all that training, testing, watching and comparing know of them.

Needs NumPy only.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from terrarium.envs.tasks.spec import Spec
from terrarium.envs.views import StepOutput, Views
from terrarium.errors import TerrariumError

if TYPE_CHECKING:  # policies act where there is no engine to play a battle again
    from terrarium.replay.replays import Replay


class TaskError(TerrariumError):
    """An environment of a task failed; its episodes cannot go on."""


@dataclass(frozen=True)
class EnvSetup:
    """Threads, worker processes and reward of the environments."""

    threads: int = 1
    """of battles"""
    workers: int = 1
    """processes of other environments"""
    reward: str = "own"
    """of environments whose agents have rewards of their own: own, or their mean for all (team)"""


class VectorEnv(Protocol):
    """Many episodes at once that begin anew by themselves, such as a `VecEnv`."""

    n_envs: int
    n_agents: int

    @property
    def action_columns(self) -> int:
        """of an action; 0: it is an index"""

    @property
    def own_reward(self) -> NDArray[np.float64]:
        """[N, A] of each agent in the last step, or [N, 1] of all of them"""

    @property
    def own_terminated(self) -> NDArray[np.bool_]:
        """[N, A or 1] whose last step it was"""

    @property
    def there(self) -> NDArray[np.bool_]:
        """[N, A or 1] who is there now"""

    @property
    def now(self) -> Views:
        """what is seen"""

    @property
    def final(self) -> Views:
        """what was seen last, where an episode has ended"""

    @property
    def outcome(self) -> StepOutput:
        """what the last step brought"""

    @property
    def episode_steps(self) -> NDArray[np.int64]:
        """[N] of the episodes that are going on"""

    def step(self, actions: NDArray[Any]) -> None: ...

    def save(self) -> dict[str, NDArray[np.uint8]]: ...

    def load(self, saved: Mapping[str, NDArray[np.uint8]]) -> None: ...

    def abandon(self) -> None:
        """Give up the episodes that are going on: after an error, or because they are not wanted"""

    def close(self) -> None: ...


@dataclass(frozen=True)
class MeanReturn:
    """A mean return, and where it is with a confidence of 95 %."""

    mean: float
    low: float
    high: float

    @property
    def half(self) -> float:
        """of the interval; infinite after a single episode"""
        return (self.high - self.low) / 2.0


class Evaluation(Protocol):
    """What a player achieved in episodes that were fixed in advance."""

    @property
    def score(self) -> float:
        """the more, the better: the win rate, or the mean return"""

    @property
    def mean_return(self) -> float: ...

    @property
    def mean_steps(self) -> float: ...

    def metrics(self) -> dict[str, float]:
        """as a run logs them: test/..."""

    def by_team(self) -> dict[str, MeanReturn]:
        """of teams that want different things; empty: there are none"""

    def table_rows(self) -> list[dict[str, str]]:
        """a row for people, and one for each team; the first cell is the task's name"""

    def as_json(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class EvalRound:
    """Which episodes are played, how many side by side, and by how many threads or processes."""

    episodes: int
    seed: int = 0
    n_envs: int = 256
    """changes how long it takes, not the answer"""
    work: EnvSetup = field(default_factory=EnvSetup)


class Task(Protocol):
    """Something to train on: a battle, an environment of PettingZoo or Gymnasium."""

    options_type: ClassVar[type[Any]]
    """of `task.*`: a dataclass, or dict for whatever its factory takes"""
    presets: ClassVar[tuple[str, ...]]
    """names of presets for tasks of this kind that have none of their own"""
    players: ClassVar[tuple[str, ...]]
    """names of scripted players; empty: there are too many, and `player` knows them"""
    default_player: ClassVar[str]
    is_won: ClassVar[bool]
    """whether an episode is won or lost; otherwise its return counts"""
    has_units: ClassVar[bool]
    """whether it has views of units, which entity encoders read"""
    discount_option: ClassVar[str]
    """the option for the discount of shaped rewards, which is that of the algorithm; empty: none"""

    @classmethod
    def find(cls, word: str, options: Mapping[str, Any]) -> Self:
        """The task that a word means; what is wrong with it is said now"""

    @classmethod
    def player(cls, word: str, seed: int = 0) -> Any:
        """A scripted player by name"""

    @property
    def name(self) -> str:
        """as it is found again from everywhere"""

    @property
    def given(self) -> Mapping[str, Any]:
        """the options that were given, as they are found again from everywhere"""

    @property
    def conditions(self) -> Mapping[str, Any]:
        """of its options those that an evaluation tells"""

    @property
    def defaults(self) -> Mapping[str, Any]:
        """the options of its factory; empty where `options_type` says them"""

    @property
    def title(self) -> str: ...

    @property
    def limit_steps(self) -> int:
        """the most steps of an episode; 0: not known"""

    @property
    def cooperative(self) -> bool | None:
        """whether all agents want the same; None: not known"""

    @property
    def is_drawable(self) -> bool:
        """whether an episode can be recorded and shown"""

    @property
    def agents(self) -> tuple[str, ...]:
        """their names"""

    @property
    def teams(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """teams that can learn each by an algorithm of its own, with the places of their agents"""

    def spec(self, views: tuple[str, ...]) -> Spec: ...

    def blank(self, views: tuple[str, ...]) -> Views:
        """[1, ...] what one environment shows, empty"""

    def differs_from(self, other: "Task") -> str:
        """What a policy of the other task would miss here: agents, actions, observations or ''"""

    def check_training(self, work: EnvSetup) -> None:
        """Refuse what makes no sense while a policy learns"""

    def open(
        self, n_envs: int, seeds: NDArray[np.uint64], views: tuple[str, ...], work: EnvSetup
    ) -> VectorEnv:
        """Many episodes at once that have just begun"""

    def evaluate(
        self, player: Any, how: EvalRound, progress: Callable[[int], None] = lambda n_done: None
    ) -> Evaluation:
        """Let a player, scripted or learned, play the episodes of a round"""

    def record(self, player: Any, seed: int, title: str) -> "Replay":
        """Let a player play one episode, and record it"""
