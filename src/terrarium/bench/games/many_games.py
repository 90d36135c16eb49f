"""How many loops a second a batch of whole games plays, on one thread and on several.

The games of the batch are one game of computer opponents at each minute of its course. Nobody gives
commands while they are timed: players in Python would take turns on one core, and hide what
threads bring to the rules.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from terrarium.bench.games.speed import MAX_LOOPS, SLICE_LOOPS, GameBenchConfig
from terrarium.engine.simulator import Simulator
from terrarium.engine.state import Games
from terrarium.envs.games.game_env import GameEnv

BATCH_LOOPS = 112
"""timed at once: five seconds of the game's clock"""
ROUNDS = 5


@dataclass(frozen=True)
class BatchRow:
    """A batch on some threads."""

    threads: int
    loops_per_s: float
    """of all games together: the median of several rounds"""
    spread: float
    """(fastest - slowest) / median"""


def bench_batch(
    config: GameBenchConfig, batch: int, threads: int, tell: Callable[[str], None]
) -> tuple[BatchRow, ...]:
    """Time a batch on one thread and on `threads`, in turns."""
    env = GameEnv(config.map, config.players, step_ticks=config.step_ticks, limit_ticks=MAX_LOOPS)
    minutes = _play(env, config, tell)
    counts = (1, threads) if threads > 1 else (1,)
    sims = [Simulator(env.sim.setup, n_envs=batch, threads=n, teams=env.sim.teams) for n in counts]
    seconds: list[list[float]] = [[] for _ in sims]
    for turn in range(ROUNDS + 1):
        for sim, own in zip(sims, seconds, strict=True):
            tell(f"{batch} games, round {turn} of {ROUNDS}")
            _lay_out(sim, minutes)
            start = time.perf_counter()
            sim.step(BATCH_LOOPS)
            if turn > 0:  # the first round finds pages of memory
                own.append(time.perf_counter() - start)
    env.close()
    for sim in sims:
        sim.close()
    loops = batch * BATCH_LOOPS
    return tuple(
        BatchRow(
            threads=n,
            loops_per_s=loops / statistics.median(own),
            spread=(max(own) - min(own)) / statistics.median(own),
        )
        for n, own in zip(counts, seconds, strict=True)
    )


def _play(env: GameEnv, config: GameBenchConfig, tell: Callable[[str], None]) -> list[Games]:
    """The whole state of the game after each minute."""
    env.reset(config.seed)
    minutes: list[Games] = []
    over = False
    while not over:
        over = env.step() or env.loop >= config.loops
        if over or env.loop >= (len(minutes) + 1) * SLICE_LOOPS:
            tell(f"loop {env.loop} of {config.loops} for the batch")
            minutes.append(env.sim.save().games)
    return minutes


def _lay_out(sim: Simulator, minutes: list[Games]) -> None:
    """Give each game of the batch the state of a minute."""
    for e in range(sim.n_envs):
        for mine, saved in zip(sim.games, minutes[e % len(minutes)], strict=True):
            mine[e] = saved[0]
    sim.survey(np.arange(sim.n_envs).tolist())
