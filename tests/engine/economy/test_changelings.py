"""Changelings take the look of a unit of whoever they come near to."""

import pytest

from terrarium.engine import codes
from tests.engine.economy.bases import Base

LOOKS = [
    ("zealot", None, "changeling_zealot"),
    ("stalker", None, "changeling_zealot"),
    ("roach", None, "changeling_zergling"),
    ("zergling", "zergling_movement_speed", "changeling_zergling_wings"),
    ("marine", None, "changeling_marine"),
    ("siege_tank", "shield_wall", "changeling_marine_shield"),
]


@pytest.mark.parametrize(("enemy", "upgrade", "look"), LOOKS)
def test_a_changeling_looks_like_its_enemies(enemy: str, upgrade: str | None, look: str) -> None:
    base = Base("flat_64", "Zerg").without_workers()
    sim = base.sim
    overseer = sim.create(0, "overseer", 1, 40.0, 40.0)
    sim.units["energy"][0, overseer] = 60.0
    sim.use(0, overseer, "spawn_changeling")
    sim.step(8)
    assert sim.answer(0, overseer) == "Success"
    assert sim.units["energy"][0, overseer] < 15.0
    (changeling,) = base.find("changeling")
    place = (float(sim.units["x"][0, changeling]), float(sim.units["y"][0, changeling]))
    assert abs(place[0] - 40.0) + abs(place[1] - 40.0) < 2.0
    sim.step(24)
    assert base.count("changeling") == 1, "nobody is near"
    if upgrade:
        sim.research(0, 2, upgrade)
    foe = sim.create(0, enemy, 2, place[0] + 4.0, place[1], passive=True)
    sim.step(16)
    assert base.find(look) == [changeling]
    assert sim.units["hp"][0, changeling] == sim.units["hp_max"][0, changeling]
    sim.units["passive"][0, foe] = False
    sim.step(64)
    assert sim.units["target"][0, foe] != changeling, "it is taken for a friend"
    sim.order(0, foe, codes.ATTACK, target=changeling)
    sim.step(64)
    assert sim.units["hp"][0, changeling] < sim.units["hp_max"][0, changeling]
    assert sim.units["hp"][0, foe] == sim.units["hp_max"][0, foe], "it does not fight"
