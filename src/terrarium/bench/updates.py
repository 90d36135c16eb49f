"""What learning costs: gradient steps and environment steps a second, beside a plain learner."""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from terrarium.bench.engine import MAX_BATCH, MAX_THREADS, Machine, check_counts, describe_machine
from terrarium.config import layer_from_words
from terrarium.errors import TerrariumError

AGENTS = {
    "linear + gru": (
        "net.encoder=linear",
        "net.core=gru",
        "net.agent_id=true",
        "task.obs_last_action=true",
    ),
    "attention + gru": ("net.encoder=attention", "net.core=gru"),
    "attention + lstm": ("net.encoder=attention", "net.core=lstm"),
}
"""The agents that are measured; the first one is PyMARL's"""


@dataclass(frozen=True)
class UpdateBenchConfig:
    """What to learn from, and how often."""

    scenario: str = "smac/2s3z"
    """whose episodes, played at random"""
    batch: int = 32
    """episodes of a gradient step"""
    updates: int = 15
    """gradient steps of each learner; all learners take turns"""
    envs: int = 64
    """battles side by side, for environment steps a second"""
    threads: int = 1
    """of PyTorch and of the environments"""

    def __post_init__(self) -> None:
        if not 1 <= self.batch <= 1000 or not 3 <= self.updates <= 10_000:
            raise TerrariumError(
                f"batch is {self.batch} and updates {self.updates}; allowed: 1 to 1000, 3 to 10000"
            )
        check_counts("envs", (self.envs,), MAX_BATCH)
        check_counts("threads", (self.threads,), MAX_THREADS)


@dataclass(frozen=True)
class LearnerSpeed:
    """One learner; steps a second count acting and environment, without learning."""

    name: str
    ms: float
    ratio: float
    """of the plain learner's time to this one's"""
    steps_per_s: float | None


@dataclass(frozen=True)
class UpdateBenchResult:
    """All learners on the same episodes."""

    machine: Machine
    scenario: str
    shapes: str
    learners: tuple[LearnerSpeed, ...]


def bench_updates(
    config: UpdateBenchConfig, tell: Callable[[str], None] = lambda text: None
) -> UpdateBenchResult:
    """Median times of gradient steps on a batch of whole episodes, learner by learner in turns."""
    from terrarium.bench.value_learners import OwnLearner, plain_learner
    from terrarium.marl.runtime import use_threads

    use_threads(config.threads)
    own = []
    for name, words in AGENTS.items():
        tell(f"{name} plays")
        sizes = (f"env.n_envs={config.envs}", f"replay.batch_size={config.batch}")
        layer = layer_from_words([*words, *sizes])
        own.append(OwnLearner(name, config.scenario, layer, config.threads))
    plain, shapes = plain_learner(own[0])
    steps: dict[str, Callable[[], object]] = {learner.name: learner.update for learner in own}
    steps["plain, as in PyMARL"] = plain
    times: dict[str, list[float]] = {name: [] for name in steps}
    for k in range(config.updates + 1):
        tell(f"gradient step {k} of {config.updates}")
        for name, step in steps.items():
            start = time.perf_counter()
            step()
            if k:  # the first one warms up
                times[name].append(1e3 * (time.perf_counter() - start))
    ms = {name: statistics.median(values) for name, values in times.items()}
    reference = ms["plain, as in PyMARL"]
    played = {learner.name: learner.steps_per_s for learner in own}
    learners = tuple(
        LearnerSpeed(name, value, reference / value, played.get(name)) for name, value in ms.items()
    )
    return UpdateBenchResult(describe_machine(), config.scenario, shapes, learners)
