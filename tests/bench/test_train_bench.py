"""Measuring how long learning takes: what is counted, and what is said when it is not reached."""

import pytest

from terrarium.bench.engine import describe_machine
from terrarium.bench.train import TimeToTarget, TrainBenchConfig, TrainBenchResult, bench_train
from terrarium.errors import TerrariumError

pytestmark = pytest.mark.slow


def result(*times: float | None) -> TrainBenchResult:
    runs = [TimeToTarget(k, t is not None, t or 600.0, 1000, 0.9) for k, t in enumerate(times)]
    return TrainBenchResult(describe_machine(), "smac/3m", "mappo", 0.85, tuple(runs))


def test_the_median_counts_those_that_never_arrive_as_last() -> None:
    assert result(30.0, 10.0, 20.0).median_s == 20.0
    assert result(30.0, 10.0, None).median_s == 30.0
    assert result(30.0, None, None).median_s is None
    assert result(30.0, None).median_s == 30.0


def test_a_run_that_has_no_time_does_not_arrive() -> None:
    told: list[str] = []
    found = bench_train(TrainBenchConfig(max_minutes=1e-4, seeds=(3,), threads=1), told.append)
    (run,) = found.runs
    assert (run.seed, run.reached, found.median_s) == (3, False, None)
    assert run.steps > 0
    assert run.seconds > 0.0
    assert told == ["mappo on smac/3m, seed 3"]


def test_a_seed_is_needed() -> None:
    with pytest.raises(TerrariumError, match="needs a seed"):
        TrainBenchConfig(seeds=())
