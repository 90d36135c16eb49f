"""What the batch costs: steps a second of particle environments, beside a loop over mpe2's own."""

import os
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from terrarium.bench.engine import Machine, describe_machine
from terrarium.errors import TerrariumError

if TYPE_CHECKING:
    from terrarium.envs.pettingzoo.vector import PettingZooVecEnv

PARTICLES = "mpe/"

DRAWN = 64
"""Joint actions that are drawn in advance, and played over and over"""

LOOP = "mpe2's parallel_env, one by one"


@dataclass(frozen=True)
class PettingZooBenchConfig:
    """Which environment to play, and how long."""

    scenario: str = "mpe/simple_spread"
    """a particle environment"""
    envs: int = 16
    """environments side by side"""
    seconds: float = 10.0
    """for each side"""
    slices: int = 15
    """in turns, so that a busy machine is as bad for all"""
    workers: int | None = None
    """processes of the batch in processes; default: one for each core"""

    def __post_init__(self) -> None:
        for name, value in (("slices", self.slices), ("workers", self.workers)):
            if value is not None and not 1 <= value <= 1024:
                raise TerrariumError(f"{name} is {value}; allowed: 1 to 1024")
        if not self.scenario.startswith(PARTICLES):
            raise TerrariumError(
                f'"{self.scenario}" is no particle environment, and mpe2 has nothing to measure it '
                "against; allowed: mpe/<name>, as in mpe/simple_spread"
            )
        if not 1 <= self.envs <= 4096 or not 0.05 <= self.seconds <= 3600.0:
            raise TerrariumError(
                f"envs is {self.envs} and seconds {self.seconds}; allowed: 1 to 4096, 0.05 to 3600"
            )


@dataclass(frozen=True)
class PettingZooSpeed:
    """One side: steps of single environments a second."""

    name: str
    steps_per_s: float
    spread: float
    """(fastest - slowest) / median"""
    ratio: float
    """of its speed to the plain loop's"""


@dataclass(frozen=True)
class PettingZooBenchResult:
    """All sides in the same environment."""

    machine: Machine
    scenario: str
    envs: int
    rows: tuple[PettingZooSpeed, ...]


def bench_pettingzoo(
    config: PettingZooBenchConfig, tell: Callable[[str], None] = lambda text: None
) -> PettingZooBenchResult:
    """Median speeds of a batch in this process, one in processes, and a plain loop, in turns."""
    from terrarium.envs.pettingzoo.spec import find_spec
    from terrarium.envs.pettingzoo.vector import PettingZooVecEnv

    spec = find_spec(config.scenario)
    rng = np.random.default_rng(0)
    n_choices = [parts[0].n for parts in spec.info.parts]
    drawn = rng.integers(0, n_choices, (DRAWN, config.envs, len(n_choices)))
    workers = max(1, min(config.workers or os.cpu_count() or 1, config.envs))
    rates: dict[str, list[float]] = {}
    with ExitStack() as stack:
        sides: dict[str, Callable[[int], None]] = {}
        for name, mode, n in (
            ("batch in this process", "serial", 1),
            (f"batch in {workers} processes", "processes", workers),
        ):
            tell(f"{name} begins")
            env = stack.enter_context(closing(PettingZooVecEnv(spec, config.envs, n, mode)))
            sides[name] = _batch(env, drawn + 1)
        sides[LOOP] = _plain_loop(config.scenario, config.envs, drawn)
        slice_s = config.seconds / config.slices
        for k in range(config.slices):
            for name, play in sides.items():
                tell(f"{name}, {k + 1} of {config.slices}")
                rates.setdefault(name, []).append(config.envs * _rate(play, slice_s))
    reference = statistics.median(rates[LOOP])
    rows = tuple(_speed(name, values, reference) for name, values in rates.items())
    return PettingZooBenchResult(describe_machine(), config.scenario, config.envs, rows)


def _speed(name: str, values: Sequence[float], reference: float) -> PettingZooSpeed:
    median = statistics.median(values)
    return PettingZooSpeed(name, median, (max(values) - min(values)) / median, median / reference)


def _rate(play: Callable[[int], None], seconds: float) -> float:
    """Joint steps a second."""
    start, n_steps = time.perf_counter(), 0
    while (spent := time.perf_counter() - start) < seconds or n_steps == 0:
        play(n_steps)
        n_steps += 1
    return n_steps / spent


def _batch(env: "PettingZooVecEnv", drawn: NDArray[np.int64]) -> Callable[[int], None]:
    """Plays one step of our batch."""
    env.reset()

    def play(step: int) -> None:
        env.step(drawn[step % DRAWN])

    return play


def _plain_loop(scenario: str, n_envs: int, drawn: NDArray[np.int64]) -> Callable[[int], None]:
    """Plays one step of as many of mpe2's own environments, each reset when it has ended."""
    from terrarium.envs.pettingzoo.particles import particle_module

    module = particle_module(scenario.removeprefix(PARTICLES))
    envs = [module.parallel_env() for _ in range(n_envs)]
    for e, env in enumerate(envs):
        env.reset(seed=e)
    agents = envs[0].possible_agents
    # As dictionaries already, so that the loop has nothing to do but to step.
    ready = [[dict(zip(agents, row.tolist(), strict=True)) for row in rows] for rows in drawn]

    def play(step: int) -> None:
        for env, actions in zip(envs, ready[step % DRAWN], strict=True):
            env.step(actions)
            if not env.agents:
                env.reset()

    return play
