"""Gradient steps are measured on the same episodes for all learners."""

import pytest

from terrarium.bench.updates import UpdateBenchConfig, bench_updates
from terrarium.errors import TerrariumError

pytestmark = pytest.mark.slow


def test_every_learner_is_measured() -> None:
    result = bench_updates(UpdateBenchConfig("smac/3m", batch=2, updates=3, envs=8))
    names = [row.name for row in result.learners]
    assert names == ["linear + gru", "attention + gru", "attention + lstm", "plain, as in PyMARL"]
    plain = result.learners[-1]
    assert (plain.ratio, plain.steps_per_s) == (1.0, None)
    for row in result.learners[:-1]:
        assert row.ms > 0.0
        assert row.ratio == pytest.approx(plain.ms / row.ms)
        assert row.steps_per_s is not None
        assert row.steps_per_s > 0.0
    assert result.shapes.startswith("2 episodes of up to ")
    assert "3 agents, 9 actions" in result.shapes


def test_too_few_updates_are_refused() -> None:
    with pytest.raises(TerrariumError, match="updates 1; allowed: 1 to 1000, 3 to 10000"):
        UpdateBenchConfig(updates=1)
