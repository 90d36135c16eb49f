"""How good a player is in an environment: its returns over episodes that are fixed in advance."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.simulator import MAX_SEED
from terrarium.envs.evaluate import Z_95
from terrarium.envs.pettingzoo.players import PettingZooPlayer
from terrarium.envs.pettingzoo.spec import PettingZooSpec
from terrarium.envs.pettingzoo.vector import PettingZooVecEnv
from terrarium.envs.tasks.task import MeanReturn
from terrarium.errors import TerrariumError


@dataclass(frozen=True)
class PettingZooEvaluation:
    """What a player achieved, agent by agent."""

    scenario: str
    episodes: int
    seed: int
    returns: NDArray[np.float64]  # [E, A]
    steps: NDArray[np.int64]  # [E]
    agents: tuple[str, ...]
    teams: tuple[tuple[str, tuple[int, ...]], ...]
    steps_per_s: float
    """of all environments together, with the player's own time"""

    @property
    def mean_return(self) -> float:
        """over episodes and agents"""
        return float(self.returns.mean())

    @property
    def interval(self) -> tuple[float, float]:
        """where the mean return over endless episodes is, with a confidence of 95 %"""
        if self.episodes == 1:
            return -math.inf, math.inf  # one episode does not tell how much they differ
        of_each = self.returns.mean(axis=1)  # [E]
        half = Z_95 * float(of_each.std(ddof=1)) / math.sqrt(self.episodes)
        return self.mean_return - half, self.mean_return + half

    @property
    def score(self) -> float:
        return self.mean_return

    @property
    def mean_steps(self) -> float:
        return float(self.steps.mean())

    def metrics(self) -> dict[str, float]:
        """as a run logs them"""
        teams = self.by_team()
        own = {f"test/return/{team}": part.mean for team, part in teams.items() if len(teams) > 1}
        return {
            "test/return": self.mean_return,
            "test/episode_steps": self.mean_steps,
            **own,
        }

    def by_team(self) -> dict[str, MeanReturn]:
        """Of each team's agents."""
        found = {}
        for team, places in self.teams:
            part = replace(self, returns=self.returns[:, list(places)])
            found[team] = MeanReturn(part.mean_return, *part.interval)
        return found

    def table_rows(self) -> list[dict[str, str]]:
        low, high = self.interval
        row = {
            "task": self.scenario,
            "return": f"{self.mean_return:.2f}",
            "95 % interval": f"{low:.2f} - {high:.2f}",
            "episodes": str(self.episodes),
            "steps": f"{self.mean_steps:.1f}",
            "steps/s": f"{self.steps_per_s:,.0f}",
        }
        teams = self.by_team() if len(self.teams) > 1 else {}
        parts = [
            {"task": f"  {team}", "return": f"{part.mean:.2f}"} for team, part in teams.items()
        ]
        return [row, *parts]

    def as_json(self) -> dict[str, Any]:
        return {
            "scenario": self.scenario,
            "episodes": self.episodes,
            "seed": self.seed,
            "mean_return": self.mean_return,
            "interval": self.interval,
            "by_team": {team: part.mean for team, part in self.by_team().items()},
            "mean_steps": self.mean_steps,
            "steps_per_s": self.steps_per_s,
        }


def evaluate_pettingzoo(
    player: PettingZooPlayer,
    spec: PettingZooSpec,
    episodes: int = 1000,
    seed: int = 0,
    n_envs: int = 16,
    workers: int = 1,
    progress: Callable[[int], None] = lambda n_done: None,
) -> PettingZooEvaluation:
    """Let a player play the episodes of the seeds `seed` to `seed + episodes - 1`.

    Which episodes count is fixed before the first one begins, so that short ones do not count more
    often than long ones; and each has a seed of its own, so that neither the size of the batch nor
    the number of workers changes them.
    """
    if episodes < 1:
        raise TerrariumError(f"episodes is {episodes}; at least 1 is needed")
    if not 0 <= seed <= MAX_SEED - episodes:
        raise TerrariumError(f"seed is {seed}; allowed are 0 to {MAX_SEED - episodes}")
    env = PettingZooVecEnv(spec, min(n_envs, episodes), workers, seed=seed, autoreset=False)
    start = time.perf_counter()
    try:
        returns, steps = _play(player, env, episodes, seed, progress)
    finally:
        env.close()
    seconds = max(time.perf_counter() - start, 1e-9)
    return PettingZooEvaluation(
        scenario=spec.name,
        episodes=episodes,
        seed=seed,
        returns=returns,
        steps=steps,
        agents=env.info.agents,
        teams=env.info.teams,
        steps_per_s=float(steps.sum()) / seconds,
    )


def _play(
    player: PettingZooPlayer,
    env: PettingZooVecEnv,
    episodes: int,
    seed: int,
    progress: Callable[[int], None],
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """[E, A] returns and [E] steps of all episodes."""
    returns = np.zeros((episodes, env.n_agents))
    steps = np.zeros(episodes, np.int64)
    number = np.arange(env.n_envs)  # which episode an environment plays
    n_begun, n_done = env.n_envs, 0
    env.reset()
    while n_done < episodes:
        env.step(player.act(env))
        over = env.over.copy()
        counts = over & (number < episodes)
        if counts.any():
            returns[number[counts]] = env.episode_returns[counts]
            steps[number[counts]] = env.episode_steps[counts]
            n_done += int(counts.sum())
            progress(n_done)
        if over.any() and n_done < episodes:
            # Those for whom no episode is left play on beyond the last one, uncounted: the batch
            # is stepped as a whole.
            number[over] = n_begun + np.arange(over.sum())
            n_begun += int(over.sum())
            env.reset(seed=np.minimum(seed + number, MAX_SEED), where=over)
    return returns, steps
