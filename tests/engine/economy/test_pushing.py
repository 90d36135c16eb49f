"""Workers push idle friends aside at their pace, and builders get past other builders."""

import pytest

from terrarium.engine import codes
from tests.engine.economy.bases import Base
from tests.engine.economy.sites import Yard


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


def gap_of_one_cell() -> Yard:
    """Depots on both sides of a gap that leads from below to above."""
    yard = Yard()
    yard.own(1000.0)
    yard.sim.place(0, "engineering_bay", 1, 50.5, 20.5)
    for k in range(6):
        for x in (31.0, 34.0):
            yard.sim.place(0, "supply_depot", 1, x, 30.0 + 2 * k)
    yard.sim.step(1)
    return yard


@pytest.mark.parametrize(("up_x", "down_x"), [(32.4, 32.5), (32.6, 32.5), (32.5, 32.4)])
def test_builders_who_meet_in_a_gap_of_one_cell_pass(up_x: float, down_x: float) -> None:
    yard = gap_of_one_cell()
    builders = []
    for k in range(2):
        for x, y, to_y in ((up_x, 27.0 - k, 46.0), (down_x, 44.5 + k, 24.0)):
            builders.append(yard.add_worker(x, y))
            assert yard.build("missile_turret", (33.0 - 2 * k, to_y), builders[-1]) == "Success"
    for _ in builders:
        yard.until("started", 300)
    assert [yard.order(u) for u in builders] == [codes.CONSTRUCT] * 4


def test_who_works_in_a_gap_lets_another_builder_pass() -> None:
    yard = gap_of_one_cell()
    yard.sim.remove(0, yard.all_of("supply_depot")[4])
    assert yard.build("supply_depot", (31.0, 34.0)) == "Success"
    yard.until("started")
    builder = yard.worker
    others = [yard.add_worker(32.5, 27.0), yard.add_worker(32.5, 44.5)]
    for other, y in zip(others, (46.0, 24.0), strict=True):
        assert yard.build("missile_turret", (33.0, y), other) == "Success"
    for _ in others:
        yard.until("started", 300)
    assert [yard.order(u) for u in (builder, *others)] == [codes.CONSTRUCT] * 3
