"""How long it takes to learn: seconds and steps until an evaluation wins a given share."""

import statistics
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from terrarium.bench.engine import Machine, describe_machine
from terrarium.config import layer_from_words
from terrarium.data.battles.scenarios import load_scenario
from terrarium.errors import TerrariumError


@dataclass(frozen=True)
class TrainBenchConfig:
    """What to learn, and when it is learned."""

    scenario: str = "smac/3m"
    """what to learn"""
    algo: str = "mappo"
    """who learns it"""
    target: float = 0.85
    """share of the battles of an evaluation that must be won"""
    seeds: tuple[int, ...] = (0, 1, 2)
    """one run for each"""
    max_minutes: float = 10.0
    """when a run gives up"""
    every: int = 4096
    """steps from one evaluation to the next"""
    threads: int = 0
    """of the environments and of PyTorch; 0: one for each core"""

    def __post_init__(self) -> None:
        if not self.seeds:
            raise TerrariumError("bench train needs a seed")
        if not 0.0 < self.target <= 1.0:
            raise TerrariumError(f"target is {self.target:g}; allowed is more than 0, up to 1")


@dataclass(frozen=True)
class TimeToTarget:
    """One run. Seconds count learning and evaluations, not the start of the program."""

    seed: int
    reached: bool
    seconds: float
    steps: int
    win_rate: float


@dataclass(frozen=True)
class TrainBenchResult:
    """All runs, and their median; None where fewer than half of them arrived."""

    machine: Machine
    scenario: str
    algo: str
    target: float
    runs: tuple[TimeToTarget, ...]

    @property
    def median_s(self) -> float | None:
        times = [run.seconds if run.reached else float("inf") for run in self.runs]
        median = statistics.median_low(times)
        return median if median < float("inf") else None


def bench_train(
    config: TrainBenchConfig, tell: Callable[[str], None] = lambda text: None
) -> TrainBenchResult:
    """Train until the target is reached, once for each seed."""
    name = load_scenario(config.scenario).name
    runs = []
    for seed in config.seeds:
        tell(f"{config.algo} on {name}, seed {seed}")
        runs.append(_train(config, seed))
    return TrainBenchResult(describe_machine(), name, config.algo, config.target, tuple(runs))


def _train(config: TrainBenchConfig, seed: int) -> TimeToTarget:
    from terrarium.marl.run_folder import create_run
    from terrarium.marl.settings import resolve
    from terrarium.marl.trainer import Trainer

    with tempfile.TemporaryDirectory() as folder:
        words = [
            f"run.folder={Path(folder) / 'run'}",
            f"run.seed={seed}",
            f"run.target_win_rate={config.target}",
            f"run.max_minutes={config.max_minutes}",
            f"eval.interval={config.every}",
            f"run.threads={config.threads}",
        ]
        settings = resolve(config.algo, config.scenario, layer_from_words(words))
        trainer = Trainer(settings, create_run(settings))
        try:
            reason = trainer.train()
        finally:
            trainer.close()
    progress = trainer.progress
    return TimeToTarget(
        seed=seed,
        reached=reason == "target",
        seconds=progress.seconds,
        steps=progress.steps,
        win_rate=progress.test_win_rate,
    )
