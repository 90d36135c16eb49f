"""Cross-play: a team as one run learned it, with the other teams as another run learned them."""

import math
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from terrarium.envs.tasks.task import EvalRound, Evaluation, MeanReturn, Task, VectorEnv
from terrarium.errors import TerrariumError, nearest
from terrarium.marl.algos.per_team import find_team, is_teams, split_teams
from terrarium.marl.playing.player import PolicyPlayer
from terrarium.marl.run_folder import load_algo, settings_of

RANDOM = "random"


class TeamPlayer(Protocol):
    """Chooses the actions of all agents in a batch."""

    def act(self, env: VectorEnv) -> NDArray[Any]: ...


@dataclass(frozen=True)
class Contestant:
    """Somebody who can play every team of a task."""

    name: str
    """a run's folder or checkpoint, or random"""
    algos: Mapping[str, str]
    """by team: what plays it"""
    new_player: Callable[[], TeamPlayer]
    """a player who remembers nothing yet"""


@dataclass(frozen=True)
class Entrants:
    """Those who were named, the task they all know, and what is worth telling about them."""

    task: Task
    contestants: tuple[Contestant, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Pairing:
    """What came of it when one contestant played the team and another the rest."""

    row: int
    column: int
    earned: Mapping[str, MeanReturn]
    """by team"""
    mean_steps: float


@dataclass(frozen=True)
class CrossTable:
    """All pairings; rows are those who play `team`, columns those who play all others."""

    scenario: str
    team: str
    others: tuple[str, ...]
    names: tuple[str, ...]
    """of the contestants, as they were given"""
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    pairings: tuple[Pairing, ...]
    episodes: int
    seed: int

    def at(self, row: int, column: int) -> Pairing:
        return self.pairings[row * len(self.names) + column]

    def returns(self, team: str) -> NDArray[np.float64]:
        """[P + 1, P + 1] mean returns of a team; last are the means of rows and of columns."""
        n = len(self.names)
        means = np.array([pairing.earned[team].mean for pairing in self.pairings]).reshape(n, n)
        means = np.vstack((means, means.mean(axis=0)))  # [P + 1, P]
        return np.column_stack((means, means.mean(axis=1)))


class JointPlayer:
    """One player acts for some agents, and another for the rest.

    Each is asked about everybody, as it was while it learned, so that what it remembers is right;
    of what it would do, only the actions of its own agents are done.
    """

    def __init__(self, player: TeamPlayer, places: Sequence[int], rest: TeamPlayer) -> None:
        self._player, self._places, self._rest = player, list(places), rest

    def act(self, env: VectorEnv) -> NDArray[Any]:
        actions = self._rest.act(env).copy()
        actions[:, self._places] = self._player.act(env)[:, self._places]
        return actions


def find_entrants(words: Sequence[str], seed: int = 0) -> Entrants:
    """Who is meant by folders, checkpoints and the word random; all must know the same task."""
    _check_words(words)
    found = {word: _learned(word) for word in words if word != RANDOM}
    (first, (task, _)), *rest = found.items()
    if len(task.teams) == 1:
        raise TerrariumError(
            f"{task.name} has one team only, {task.teams[0][0]}: nobody plays against it; "
            "cross-play needs a task with teams, such as mpe/simple_tag"
        )
    notes = []
    for name, (other, _) in rest:
        _check_same(first, task, name, other)
        if dict(other.given) != dict(task.given):
            notes.append(
                f"{name} has learned with {_options(other)}; "
                f"all play with {_options(task)}, as {first} has"
            )
    by_chance = Contestant(
        RANDOM,
        dict.fromkeys((team for team, _ in task.teams), RANDOM),
        lambda: task.player(RANDOM, seed),
    )
    contestants = [by_chance if word == RANDOM else found[word][1] for word in words]
    return Entrants(task, tuple(contestants), tuple(notes))


def cross_play(
    entrants: Entrants,
    team: str = "",
    how: EvalRound | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> CrossTable:
    """Let everybody play `team`, the first one of the task if it is not named, with everybody."""
    task, contestants = entrants.task, entrants.contestants
    how = how or EvalRound(episodes=500, n_envs=64)
    teams = dict(task.teams)
    team = find_team(team, list(teams), task.name) if team else next(iter(teams))
    others = tuple(name for name in teams if name != team)
    n = len(contestants)
    pairings = []
    for number in range(n * n):
        row, column = divmod(number, n)
        player, rest = (contestants[i].new_player() for i in (row, column))
        evaluation = task.evaluate(
            JointPlayer(player, teams[team], rest),
            how,
            progress=lambda n_done, before=number: progress(  # type: ignore[misc]  # its default
                (before + n_done / how.episodes) / n**2
            ),
        )
        pairings.append(_pairing(row, column, evaluation))
    names = tuple(contestant.name for contestant in contestants)
    return CrossTable(
        scenario=task.name,
        team=team,
        others=others,
        names=names,
        row_labels=_labels([one.algos[team] for one in contestants], names),
        column_labels=_labels([_algos_of(one, others) for one in contestants], names),
        pairings=tuple(pairings),
        episodes=how.episodes,
        seed=how.seed,
    )


def _check_words(words: Sequence[str]) -> None:
    """Before anything is loaded."""
    if len(words) < 2:
        raise TerrariumError(
            f"crossplay needs at least two players, and there {'is' if words else 'are'} "
            f"{len(words)}; name folders of runs, and random if you like"
        )
    paths = [word if word == RANDOM else os.path.realpath(word) for word in words]
    for number, path in enumerate(paths):
        if path in paths[:number]:
            raise TerrariumError(f"{words[number]} is named twice; name each player once")


def _learned(word: str) -> tuple[Task, Contestant]:
    """What a run has learned, and who plays as it does."""
    path = Path(word)
    if not path.exists():
        if close := nearest(word, [RANDOM]):
            raise TerrariumError(f'unknown player "{word}".{close}')
        settings_of(path)  # says what is missing, and which run was probably meant
    settings = settings_of(path) if path.is_dir() else load_algo(path)[1]
    task = settings.task_of(settings.scenario)
    if not task.teams:
        raise TerrariumError(
            f"{word} has learned {task.name}, a battle, where the game plays the enemy; crossplay "
            "takes runs of tasks with teams, such as mpe/simple_tag"
        )
    algo, _ = load_algo(path)
    teams, name = [team for team, _ in task.teams], settings.algo_name
    algos = split_teams(name) if is_teams(name) else dict.fromkeys(teams, name)
    return task, Contestant(word, algos, lambda: PolicyPlayer(algo))


def _check_same(first: str, task: Task, name: str, other: Task) -> None:
    """Agents must be the same, and see and do the same things."""
    if other.name != task.name:
        raise TerrariumError(
            f"{first} has learned {task.name}, and {name} {other.name}; "
            "crossplay needs runs of the same task"
        )
    if what := task.differs_from(other):
        raise TerrariumError(
            f"{first} and {name} have learned {task.name} with other {what}: "
            f"{_options(task)}, and {_options(other)}; crossplay needs the same"
        )


def _options(task: Task) -> str:
    """As they are written on the command line."""
    words = [f"task.{key}={value}" for key, value in sorted(task.given.items())]
    return " ".join(words) or "no options"


def _pairing(row: int, column: int, evaluation: Evaluation) -> Pairing:
    return Pairing(row, column, evaluation.by_team(), evaluation.mean_steps)


def _algos_of(contestant: Contestant, teams: Sequence[str]) -> str:
    """One word where all learned by the same, else one for each team."""
    algos = [contestant.algos[team] for team in teams]
    if len(set(algos)) == 1:
        return algos[0]
    return ",".join(f"{team}={algo}" for team, algo in zip(teams, algos, strict=True))


def _labels(algos: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """Algorithms; those of the same one with as much of their paths as tells them apart."""
    alike = Counter(algos)
    labels = []
    for algo, name in zip(algos, names, strict=True):
        rivals = [
            Path(other).resolve().parts
            for other_algo, other in zip(algos, names, strict=True)
            if other_algo == algo and other != name
        ]
        own = Path(name).resolve().parts
        n = next(
            n for n in range(1, len(own) + 1) if all(own[-n:] != rival[-n:] for rival in rivals)
        )
        labels.append(f"{algo} ({'/'.join(own[-n:])})" if alike[algo] > 1 else algo)
    return tuple(labels)


def finite(number: float) -> float | None:
    """For files: JSON has no infinity, which an interval of one episode reaches to."""
    return number if math.isfinite(number) else None
