"""Workers push idle friends aside at their pace: they speed up slowly, and must not lose that."""

import pytest

from terrarium.engine import codes
from tests.engine.economy.bases import Base


@pytest.mark.parametrize("n", [1, 2, 3])
def test_a_worker_walks_through_idle_friends(n: int) -> None:
    base = Base("flat_64", "Protoss")
    sim = base.sim
    for k in range(n):
        sim.create(0, "zealot", 1, 40.0 + k - (n - 1) / 2, 40.0)
    probe = sim.create(0, "probe", 1, 40.0, 36.0)
    sim.step(1)
    sim.order(0, probe, codes.MOVE, (40.0, 46.0))
    sim.step(150)
    assert sim.units["y"][0, probe] > 45.5
