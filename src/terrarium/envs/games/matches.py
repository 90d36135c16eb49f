"""Games between computer opponents: played to the end, with what each side had on the way."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from terrarium.data.maps.game_map import GameMap
from terrarium.envs.games.game_env import LIMIT_TICKS, GameEnv
from terrarium.errors import TerrariumError
from terrarium.games.ending import GameResult


@dataclass(frozen=True)
class Sample:
    """What a player had at one loop."""

    loop: int
    workers: int
    army_value: float
    townhalls: int
    supply: float
    bank: float
    """minerals that were not spent"""


@dataclass(frozen=True)
class Match:
    """One game between computer opponents."""

    players: tuple[str, ...]
    """with the races and builds that were drawn"""
    seed: int
    loops: int
    results: tuple[GameResult, ...]
    """all undecided at the time limit"""
    samples: tuple[tuple[Sample, ...], ...]
    """of each player"""

    def won(self, player: int) -> bool:
        """Did a player win, or, at the time limit, have the larger army?"""
        if any(result != GameResult.UNDECIDED for result in self.results):
            return self.results[player - 1] == GameResult.VICTORY
        values = [samples[-1].army_value for samples in self.samples]
        return values[player - 1] == max(values) and values.count(max(values)) == 1


def play_match(
    game_map: str | Path | GameMap,
    players: Sequence[str],
    seed: int = 0,
    limit_ticks: int = LIMIT_TICKS,
    sample_loops: Sequence[int] = (),
    env: GameEnv | None = None,
) -> Match:
    """Let computer opponents play one game. `env` may be one that has played them before."""
    if env is None:
        env = GameEnv(game_map, players, limit_ticks=limit_ticks)
    env.reset(seed)
    if env.controlled:
        raise TerrariumError(f"{', '.join(players)}: only computer opponents play by themselves")
    waiting, samples = sorted(sample_loops), [[] for _ in players]  # type: ignore[var-annotated]
    while not env.over:
        env.step()
        if waiting and env.loop >= waiting[0]:
            waiting.pop(0)
            _take_samples(env, samples)
    _take_samples(env, samples)
    return Match(
        players=tuple(computer.name for computer in env.computers),
        seed=seed,
        loops=env.loop,
        results=env.results,
        samples=tuple(tuple(some) for some in samples),
    )


def _take_samples(env: GameEnv, samples: list[list[Sample]]) -> None:
    for player, some in enumerate(samples, 1):
        score = env.score(player)
        some.append(
            Sample(
                loop=env.loop,
                workers=int(score["workers"]),
                army_value=score["army_value"],
                townhalls=int(score["townhalls"]),
                supply=score["supply_used"],
                bank=score["minerals"],
            )
        )
