"""How fast whole games of computer opponents are, scripts included."""

import time
from collections.abc import Callable
from dataclasses import dataclass

from terrarium.bench.engine import Machine, describe_machine
from terrarium.data.maps.library import find_map
from terrarium.data.opponents.opponent import find_opponent
from terrarium.errors import TerrariumError

MAX_LOOPS, MAX_BATCH = 1_000_000, 4096
SLICE_LOOPS = 1344
"""a minute of the game's clock"""


@dataclass(frozen=True)
class GameBenchConfig:
    """What is measured: one game on one thread; then, if asked for, a batch of games."""

    map: str = "ladder/1"
    """a map, or a map file"""
    players: tuple[str, ...] = ("veryhard-terran-macro", "veryhard-zerg-macro")
    """computer opponents, LEVEL-RACE-BUILD"""
    loops: int = 20_160
    """how long: 15 minutes of the game's clock, or until the game ends"""
    step_ticks: int = 8
    """ticks from step to step; players decide between steps"""
    seed: int = 0
    """of the game"""
    batch: int = 0
    """also time this many games at once, at different minutes, without players"""
    threads: int = 2
    """of the batch, beside one thread"""

    def __post_init__(self) -> None:
        if not 0 <= self.batch <= MAX_BATCH or not 1 <= self.threads <= MAX_BATCH:
            raise TerrariumError(
                f"batch is {self.batch} and threads {self.threads}; allowed are up to {MAX_BATCH}"
            )
        if not 1 <= self.loops <= MAX_LOOPS:
            raise TerrariumError(f"loops is {self.loops}; allowed are 1 to {MAX_LOOPS}")
        if not 1 <= self.step_ticks <= SLICE_LOOPS:
            raise TerrariumError(f"step_ticks is {self.step_ticks}; allowed are 1 to {SLICE_LOOPS}")
        if len(self.players) < 2:
            raise TerrariumError(f"{len(self.players)} players; a game needs two or more")
        for word in self.players:
            find_opponent(word)
        find_map(self.map)


@dataclass(frozen=True)
class GameMinute:
    """A minute of the game's clock."""

    loop: int
    """where it ends"""
    loops_per_s: float
    scripts_share: float
    """of the time: decisions of the players"""
    n_units: int
    supply: tuple[float, ...]
    """of the players, at its end"""


@dataclass(frozen=True)
class GameBench:
    """The result of a run."""

    machine: Machine
    config: GameBenchConfig
    players: tuple[str, ...]
    minutes: tuple[GameMinute, ...]
    loops: int
    seconds: float
    loops_per_s: float
    slowest_loops_per_s: float


def bench_game(config: GameBenchConfig, progress: Callable[[str], None] | None = None) -> GameBench:
    """Play one game and time it."""
    from terrarium.envs.games.game_env import GameEnv  # loads the engine

    tell = progress or (lambda text: None)
    tell("the first minute, which loads the machine code")
    env = GameEnv(
        config.map, config.players, step_ticks=config.step_ticks, limit_ticks=config.loops
    )
    env.reset(config.seed)
    for _ in range(SLICE_LOOPS // env.step_ticks):
        env.step()
    env.reset(config.seed)
    minutes, total, over = [], 0.0, False
    while not over:
        tell(f"loop {env.loop} of {config.loops}")
        first, env.script_seconds = env.loop, 0.0
        start = time.perf_counter()
        while not over and env.loop < first + SLICE_LOOPS:
            over = env.step()
        elapsed = time.perf_counter() - start
        total += elapsed
        minutes.append(
            GameMinute(
                loop=env.loop,
                loops_per_s=(env.loop - first) / elapsed,
                scripts_share=env.script_seconds / elapsed,
                n_units=int(env.sim.games.clock["n_living"][0, 0]),
                supply=tuple(env.view(k).supply_used for k in range(1, len(config.players) + 1)),
            )
        )
    players = tuple(computer.name for computer in env.computers)
    loops = env.loop
    env.close()
    return GameBench(
        machine=describe_machine(),
        config=config,
        players=players,
        minutes=tuple(minutes),
        loops=loops,
        seconds=total,
        loops_per_s=loops / total,
        slowest_loops_per_s=min(minute.loops_per_s for minute in minutes),
    )
