"""How good a player is: its win rate over battles that are fixed in advance."""

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.data.battles.scenario import Scenario
from terrarium.data.battles.scenarios import load_scenario
from terrarium.engine.simulator import MAX_SEED
from terrarium.envs.options import Options, options_for
from terrarium.envs.players.players import Commander, Player, play_step
from terrarium.envs.tasks.task import MeanReturn
from terrarium.envs.vector import VecEnv
from terrarium.errors import TerrariumError

Z_95 = 1.959963984540054
"""Between minus and plus this many standard deviations lie 95 % of a normal distribution."""


@dataclass(frozen=True)
class BattleEvaluation:
    """What a player achieved. Every battle is one of wins, defeats, draws and timeouts."""

    scenario: str
    episodes: int
    seed: int
    wins: int
    defeats: int
    draws: int
    """no unit is left that can fight, on either side"""
    timeouts: int
    mean_return: float
    mean_measure: float
    """of what the scenario measures, from 0 to 1; where that is the win, the win rate"""
    mean_steps: float
    steps_per_s: float
    """of all battles together, with the player's own time"""

    @property
    def win_rate(self) -> float:
        return self.wins / self.episodes

    @property
    def score(self) -> float:
        return self.win_rate

    @property
    def interval(self) -> tuple[float, float]:
        """where the win rate over endless battles is, with a confidence of 95 %"""
        return wilson_interval(self.wins, self.episodes)

    def metrics(self) -> dict[str, float]:
        """as a run logs them"""
        return {
            "test/win_rate": self.win_rate,
            "test/measure": self.mean_measure,
            "test/return": self.mean_return,
            "test/episode_steps": self.mean_steps,
        }

    def by_team(self) -> dict[str, MeanReturn]:
        """Nothing: the enemy is played by the game."""
        return {}

    def table_rows(self) -> list[dict[str, str]]:
        low, high = self.interval
        return [
            {
                "scenario": self.scenario,
                "wins": f"{self.win_rate:.1%}",
                "95 % interval": f"{low:.1%} - {high:.1%}",
                "battles": str(self.episodes),
                "defeats": str(self.defeats),
                "draws": str(self.draws),
                "timeouts": str(self.timeouts),
                "measure": f"{self.mean_measure:.3f}",
                "return": f"{self.mean_return:.2f}",
                "steps": f"{self.mean_steps:.1f}",
                "steps/s": f"{self.steps_per_s:,.0f}",
            }
        ]

    def as_json(self) -> dict[str, Any]:
        return {"win_rate": self.win_rate, "interval": self.interval, **asdict(self)}


def wilson_interval(wins: int, episodes: int, z: float = Z_95) -> tuple[float, float]:
    """Wilson's score interval (1927): unlike the textbook's, it is honest near 0 and 1."""
    rate, spread = wins / episodes, z * z / episodes
    center = (rate + spread / 2.0) / (1.0 + spread)
    half = math.sqrt(rate * (1.0 - rate) * spread + spread * spread / 4.0) / (1.0 + spread)
    # At the ends the sums are exact on paper only.
    low = 0.0 if wins == 0 else max(0.0, center - half)
    high = 1.0 if wins == episodes else min(1.0, center + half)
    return low, high


def evaluate(
    player: Player | Commander,
    scenario: Scenario | str | Path,
    episodes: int = 1000,
    seed: int = 0,
    n_envs: int = 256,
    threads: int = 1,
    options: Options | None = None,
    progress: Callable[[int], None] = lambda n_done: None,
) -> BattleEvaluation:
    """Let a player fight the battles of the seeds `seed` to `seed + episodes - 1`.

    Which battles count is fixed before the first one begins, so that short ones do not count more
    often than long ones; and each has a seed of its own, so that neither the size of the batch nor
    the number of threads changes the answer.
    """
    if not isinstance(scenario, Scenario):
        scenario = load_scenario(scenario)
    if episodes < 1:
        raise TerrariumError(f"episodes is {episodes}; at least 1 is needed")
    if not 0 <= seed <= MAX_SEED - episodes:
        raise TerrariumError(f"seed is {seed}; allowed are 0 to {MAX_SEED - episodes}")
    options = options_for(scenario, {}) if options is None else options
    env = VecEnv(
        scenario,
        n_envs=min(n_envs, episodes),
        threads=threads,
        seed=seed,
        views=player.views,
        autoreset=False,  # the end of a battle is read before the next one begins
        options=player.prepare(options),
    )
    start = time.perf_counter()
    try:
        results = _play(player, env, episodes, seed, progress)
    finally:
        env.close()
    return _summary(scenario.name, results, seed, time.perf_counter() - start)


@dataclass(frozen=True)
class _Results:
    """One entry for each battle."""

    won: NDArray[np.bool_]
    timed_out: NDArray[np.bool_]
    drawn: NDArray[np.bool_]
    returns: NDArray[np.float64]
    measures: NDArray[np.float64]
    steps: NDArray[np.int64]


def _play(
    player: Player | Commander,
    env: VecEnv,
    episodes: int,
    seed: int,
    progress: Callable[[int], None],
) -> _Results:
    results = _Results(
        won=np.zeros(episodes, np.bool_),
        timed_out=np.zeros(episodes, np.bool_),
        drawn=np.zeros(episodes, np.bool_),
        returns=np.zeros(episodes),
        measures=np.zeros(episodes),
        steps=np.zeros(episodes, np.int64),
    )
    battle = np.arange(env.n_envs)  # which battle an environment plays
    n_begun, n_done = env.n_envs, 0
    env.reset()
    while n_done < episodes:
        play_step(player, env)
        over = env.terminated | env.truncated
        counts = over & (battle < episodes)
        if counts.any():
            _note(results, env, battle, counts)
            n_done += int(counts.sum())
            progress(n_done)
        if over.any() and n_done < episodes:
            # Those for whom no battle is left play on beyond the last one, uncounted: the batch
            # is stepped as a whole.
            battle[over] = n_begun + np.arange(over.sum())
            n_begun += int(over.sum())
            env.reset(seed=np.minimum(seed + battle, MAX_SEED), where=over)
    return results


def _note(
    results: _Results, env: VecEnv, battle: NDArray[np.int64], counts: NDArray[np.bool_]
) -> None:
    """Write down the battles that have just ended."""
    at = battle[counts]
    won = env.outcome.won[counts]
    timed_out = env.timed_out[counts] & ~won
    kinds = np.take_along_axis(env.sim.units["kind"], env.member_slots, axis=1)
    fights = (env.living & env.kinds["fights"][kinds])[counts]
    results.won[at], results.timed_out[at] = won, timed_out
    results.drawn[at] = ~won & ~timed_out & ~fights[:, env.n_agents :].any(axis=1)
    results.measures[at] = env.outcome.measure[counts]
    results.returns[at] = env.outcome.episode_return[counts]
    results.steps[at] = env.outcome.episode_steps[counts]


def _summary(scenario: str, results: _Results, seed: int, seconds: float) -> BattleEvaluation:
    wins, draws, timeouts = (
        int(array.sum()) for array in (results.won, results.drawn, results.timed_out)
    )
    episodes = len(results.won)
    return BattleEvaluation(
        scenario=scenario,
        episodes=episodes,
        seed=seed,
        wins=wins,
        defeats=episodes - wins - draws - timeouts,
        draws=draws,
        timeouts=timeouts,
        mean_return=float(results.returns.mean()),
        mean_measure=float(results.measures.mean()),
        mean_steps=float(results.steps.mean()),
        steps_per_s=float(results.steps.sum()) / max(seconds, 1e-9),
    )
