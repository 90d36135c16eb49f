"""The throughput harness: small runs, because its numbers are a matter of the machine."""

import numpy as np
import pytest

from terrarium.bench.engine import EngineBenchConfig, bench_engine, scale_scenario
from terrarium.engine.jit import COMPILED
from terrarium.engine.simulator import Simulator
from terrarium.errors import TerrariumError

pytestmark = [
    pytest.mark.skipif(not COMPILED, reason="whole battles of hundreds take minutes uncompiled"),
]


def test_every_combination_is_a_row_with_positive_numbers() -> None:
    told: list[str] = []
    config = EngineBenchConfig(
        scenarios=("3m", "smacv2/terran_5_vs_5"), batch=(1, 20), threads=(1, 2), seconds=0.02
    )
    result = bench_engine(config, told.append)
    # Two threads cannot share one battle, so there is no such row.
    cases = [(row.scenario, row.batch, row.threads) for row in result.rows]
    assert cases == [
        (scenario, batch, threads)
        for scenario in ("smac/3m", "smacv2/terran_5_vs_5")
        for batch, threads in ((1, 1), (20, 1), (20, 2))
    ]
    assert len(told) == len(cases)
    for row in result.rows:
        assert row.n_units == (6 if row.scenario == "smac/3m" else 10)
        assert row.rules == "smac"
        assert row.ticks == 8 * row.steps > 0
        assert row.steps % row.batch == 0
        assert row.seconds >= 0.02
        assert len(row.slices_steps_per_s) == 3
        assert row.steps_per_s == sorted(row.slices_steps_per_s)[1] > 0
        assert row.ticks_per_s == pytest.approx(8 * row.steps_per_s)
        assert row.spread >= 0
    assert result.scale == ()
    assert result.cost_of_doubling is None


def test_the_machine_is_described() -> None:
    machine = bench_engine(EngineBenchConfig(("3m",), (1,), (1,), seconds=0.001)).machine
    assert machine.cpu
    assert machine.cores >= 1
    assert machine.numpy == np.__version__
    assert machine.rules_version >= 1
    assert machine.load is None or machine.load >= 0


@pytest.mark.slow
def test_large_armies_are_measured_over_whole_battles() -> None:
    result = bench_engine(EngineBenchConfig(scenarios=(), scale=True))
    assert [row.n_units for row in result.scale] == [200, 400, 440]
    assert all(row.ticks == 8 * row.steps > 3 * 500 for row in result.scale)
    assert result.cost_of_doubling is not None
    assert result.cost_of_doubling > 0


def test_large_armies_meet_and_fight() -> None:
    sim = Simulator(scale_scenario(40))
    assert sim.players["n_alive"][0].tolist() == [0, 40, 40]
    for _ in range(125):
        sim.step()
    assert (sim.players["n_lost"][0, 1:] > 4).all()


@pytest.mark.parametrize("n_units", [0, 10, 30])
def test_large_armies_are_mixed_in_twentieths(n_units: int) -> None:
    with pytest.raises(TerrariumError, match=f"{n_units} units a side; allowed are multiples"):
        scale_scenario(n_units)
