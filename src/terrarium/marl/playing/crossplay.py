"""Cross-play: a team as one run learned it, with the other teams as another run learned them."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.envs.pettingzoo.evaluate import PettingZooEvaluation, evaluate_pettingzoo
from terrarium.envs.pettingzoo.players import PettingZooPlayer, RandomPettingZooPlayer
from terrarium.envs.pettingzoo.spec import PettingZooSpec, find_spec, is_pettingzoo
from terrarium.envs.pettingzoo.vector import PettingZooVecEnv
from terrarium.errors import TerrariumError, nearest
from terrarium.marl.algos.per_team import find_team, is_teams, split_teams
from terrarium.marl.playing.player import PolicyPlayer
from terrarium.marl.run_folder import load_algo, scenario_of, settings_of

RANDOM = "random"


@dataclass(frozen=True)
class Contestant:
    """Somebody who can play every team of a world."""

    name: str
    """a run's folder or checkpoint, or random"""
    algos: Mapping[str, str]
    """by team: what plays it"""
    new_player: Callable[[], PettingZooPlayer]
    """a player who remembers nothing yet"""


@dataclass(frozen=True)
class Entrants:
    """Those who were named, the world they all know, and what is worth telling about them."""

    world: PettingZooSpec
    contestants: tuple[Contestant, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Earned:
    """Mean return of a team's agents, and where it is with a confidence of 95 %."""

    mean: float
    low: float
    high: float

    @property
    def half(self) -> float:
        """of the interval; infinite after a single episode"""
        return (self.high - self.low) / 2.0


@dataclass(frozen=True)
class Pairing:
    """What came of it when one contestant played the team and another the rest."""

    row: int
    column: int
    earned: Mapping[str, Earned]
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


@dataclass(frozen=True)
class Round:
    """Which episodes every pairing plays, and how many of them side by side."""

    episodes: int = 500
    seed: int = 0
    batch: int = 64


class JointPlayer:
    """One player acts for some agents, and another for the rest.

    Each is asked about everybody, as it was while it learned, so that what it remembers is right;
    of what it would do, only the actions of its own agents are done.
    """

    def __init__(
        self, player: PettingZooPlayer, places: Sequence[int], rest: PettingZooPlayer
    ) -> None:
        self._player, self._places, self._rest = player, list(places), rest

    def act(self, env: PettingZooVecEnv) -> NDArray[Any]:
        actions = self._rest.act(env).copy()
        actions[:, self._places] = self._player.act(env)[:, self._places]
        return actions


def find_entrants(words: Sequence[str], seed: int = 0) -> Entrants:
    """Who is meant by folders, checkpoints and the word random; all must know the same world."""
    _check_words(words)
    found = {word: _learned(word) for word in words if word != RANDOM}
    (first, (world, _)), *rest = found.items()
    if len(world.info.teams) == 1:
        raise TerrariumError(
            f"{world.name} has one team only, {world.info.teams[0][0]}: nobody plays against it; "
            "cross-play needs a world with teams, such as mpe/simple_tag"
        )
    notes = []
    for name, (other, _) in rest:
        _check_same(first, world, name, other)
        if dict(other.options) != dict(world.options):
            notes.append(
                f"{name} has learned with {_options(other)}; "
                f"all play with {_options(world)}, as {first} has"
            )
    by_chance = Contestant(
        RANDOM,
        dict.fromkeys((team for team, _ in world.info.teams), RANDOM),
        lambda: RandomPettingZooPlayer(seed),
    )
    contestants = [by_chance if word == RANDOM else found[word][1] for word in words]
    return Entrants(world, tuple(contestants), tuple(notes))


def cross_play(
    entrants: Entrants,
    team: str = "",
    how: Round | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> CrossTable:
    """Let everybody play `team`, the world's first one if it is not named, with everybody."""
    world, contestants, how = entrants.world, entrants.contestants, how or Round()
    teams = dict(world.info.teams)
    team = find_team(team, list(teams), world.name) if team else next(iter(teams))
    others = tuple(name for name in teams if name != team)
    n = len(contestants)
    pairings = []
    for number in range(n * n):
        row, column = divmod(number, n)
        player, rest = (contestants[i].new_player() for i in (row, column))
        evaluation = evaluate_pettingzoo(
            JointPlayer(player, teams[team], rest),
            world,
            how.episodes,
            how.seed,
            n_envs=how.batch,
            progress=lambda n_done, before=number: progress(  # type: ignore[misc]  # its default
                (before + n_done / how.episodes) / n**2
            ),
        )
        pairings.append(_pairing(row, column, evaluation))
    names = tuple(contestant.name for contestant in contestants)
    return CrossTable(
        scenario=world.name,
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
    paths = [word if word == RANDOM else str(Path(word).resolve()) for word in words]
    for number, path in enumerate(paths):
        if path in paths[:number]:
            raise TerrariumError(f"{words[number]} is named twice; name each player once")


def _learned(word: str) -> tuple[PettingZooSpec, Contestant]:
    """What a run has learned, and who plays as it does."""
    path = Path(word)
    if not path.exists():
        if close := nearest(word, [RANDOM]):
            raise TerrariumError(f'unknown player "{word}".{close}')
        settings_of(path)  # says what is missing, and which run was probably meant
    scenario = scenario_of(path)
    if not is_pettingzoo(scenario):
        raise TerrariumError(
            f"{word} has learned {scenario}, a battle, where the game plays the enemy; crossplay "
            "takes runs of worlds with teams, such as mpe/simple_tag"
        )
    algo, settings = load_algo(path)
    world = find_spec(scenario, settings.task)
    teams, name = [team for team, _ in world.info.teams], settings.algo_name
    algos = split_teams(name) if is_teams(name) else dict.fromkeys(teams, name)
    return world, Contestant(word, algos, lambda: PolicyPlayer(algo))


def _check_same(first: str, world: PettingZooSpec, name: str, other: PettingZooSpec) -> None:
    """Agents must be the same, and see and do the same things."""
    if other.name != world.name:
        raise TerrariumError(
            f"{first} has learned {world.name}, and {name} {other.name}; "
            "crossplay needs runs of the same world"
        )
    for what, one, two in (
        ("agents", world.info.agents, other.info.agents),
        ("actions", world.info.parts, other.info.parts),
        ("observations", world.info.obs_sizes, other.info.obs_sizes),
    ):
        if one != two:
            raise TerrariumError(
                f"{first} and {name} have learned {world.name} with other {what}: "
                f"{_options(world)}, and {_options(other)}; crossplay needs the same"
            )


def _options(world: PettingZooSpec) -> str:
    """As they are written on the command line."""
    words = [f"task.{key}={value}" for key, value in sorted(world.options.items())]
    return " ".join(words) or "no options"


def _pairing(row: int, column: int, evaluation: PettingZooEvaluation) -> Pairing:
    earned = {}
    for team, places in evaluation.teams:
        of_team = replace(evaluation, returns=evaluation.returns[:, list(places)])
        earned[team] = Earned(of_team.mean_return, *of_team.interval)
    return Pairing(row, column, earned, float(evaluation.steps.mean()))


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
