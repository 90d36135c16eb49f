"""Queues, supply, requirements and rally points: facts of economy.md, 7, and game_rules.md, 9."""

import numpy as np
import pytest

from terrarium.engine import codes
from terrarium.engine.simulator import EngineError
from tests.engine.economy.bases import Base

FAR = (25.5, 18.5)
"""free ground on flat_32, away from both bases"""


def births(base: Base, unit: str, loops: int, owner: int = 1) -> list[int]:
    """In which loops units of a player appear."""
    sim, seen, found = base.sim, set(base.mine(owner)), []
    for _ in range(loops):
        sim.step(1)
        new = set(base.mine(owner)) - seen
        seen |= new
        found += [int(sim.ticks[0]) for u in new if sim.names[sim.units["kind"][0, u]] == unit]
    return found


def rich(base: Base, minerals: float = 5000.0, vespene: float = 5000.0) -> Base:
    base.sim.players["minerals"][0, 1], base.sim.players["vespene"][0, 1] = minerals, vespene
    return base


def test_a_queue_of_five_workers() -> None:
    """economy.md, 13.5: 272, 543, 814; 15 supply are there for three of them."""
    base = rich(Base())
    hall = base.mine()[0]
    for _ in range(5):
        base.sim.produce(0, hall, "scv")
    base.sim.step(0)
    assert [base.sim.answers(0)["result"][k] for k in range(5)] == [codes.SUCCESS] * 5
    assert births(base, "scv", 1100) == [272, 543, 814]
    base.sim.place(0, "supply_depot", 1, *FAR)
    waits = int(base.sim.ticks[0])
    assert births(base, "scv", 600) == [waits + 272, waits + 543]


def test_new_workers_gather_where_their_townhall_sends_them() -> None:
    base = Base()
    base.sim.produce(0, base.mine()[0], "scv")
    base.sim.step(273)
    new = base.mine()[13]
    assert base.sim.games.orders["kind"][0, new, 0] == codes.GATHER


def test_a_unit_is_paid_when_it_is_queued_and_refunded_in_full() -> None:
    base = rich(Base(), 200.0, 0.0)
    sim, hall = base.sim, base.mine()[0]
    for worker in base.workers():
        sim.remove(0, worker)
    sim.produce(0, hall, "scv")
    sim.produce(0, hall, "scv")
    sim.step(100)
    assert sim.players["minerals"][0, 1] == 100.0
    for _ in range(3):
        sim.order(0, hall, codes.CANCEL_LAST)
    sim.step(1)
    answers = [codes.RESULT_NAMES[r] for r in sim.answers(0)["result"]]
    assert answers == ["Success", "Success", "NotSupported"]
    assert sim.players["minerals"][0, 1] == 200.0
    assert births(base, "scv", 300) == []


def test_supply_is_taken_when_a_unit_is_begun() -> None:
    base = rich(Base())
    sim, hall = base.sim, base.mine()[0]
    account = sim.games.accounts[0]
    sim.step(1)
    assert (account["supply_used"][1], account["supply_cap"][1]) == (12.0, 15.0)
    sim.produce(0, hall, "scv")
    sim.produce(0, hall, "scv")
    sim.step(1)
    assert account["supply_used"][1] == 13.0
    sim.step(300)
    assert account["supply_used"][1] == 14.0


@pytest.mark.parametrize(
    ("minerals", "vespene", "unit", "answer"),
    [
        (49, 0, "scv", "NotEnoughMinerals"),
        (150, 124, "siege_tank", "NotEnoughVespene"),
        (5000, 5000, "marine", "NotSupported"),
        (5000, 5000, "thor", "TechRequirementsNotMet"),
        (5000, 5000, "siege_tank", "Success"),
    ],
)
def test_what_is_missing_is_said(minerals: float, vespene: float, unit: str, answer: str) -> None:
    """A siege tank needs a tech lab, a Thor also an Armory."""
    base = rich(Base("flat_64"), minerals, vespene)
    sim, hall = base.sim, base.mine()[0]
    factory = sim.place(0, "factory", 1, 40.5, 30.5)
    sim.place(0, "factory_tech_lab", 1, 43.0, 30.0)
    sim.produce(0, hall if unit in ("scv", "marine") else factory, unit)
    sim.step(1)
    assert sim.answer(0, int(sim.answers(0)["unit"][0])) == answer
    paid = sim.players["minerals"][0, 1] < minerals
    assert paid == (answer == "Success")


def test_an_unknown_product_is_named() -> None:
    base = Base()
    with pytest.raises(
        EngineError, match=r'unknown unit or upgrade "marin"\. Did you mean "marine"'
    ):
        base.sim.produce(0, base.mine()[0], "marin")


def test_a_reactor_makes_two_at_a_time_and_holds_eight() -> None:
    base = rich(Base("flat_64"))
    sim = base.sim
    for k in range(3):
        sim.place(0, "supply_depot", 1, 40.0 + 2 * k, 50.0)
    barracks = sim.place(0, "barracks", 1, 40.5, 30.5)
    sim.place(0, "barracks_reactor", 1, 43.0, 30.0)
    sim.step(1)
    for _ in range(9):
        sim.produce(0, barracks, "marine")
    sim.step(0)
    results = list(sim.answers(0)["result"])
    assert results == [codes.SUCCESS] * 8 + [codes.QUEUE_IS_FULL]
    assert births(base, "marine", 1000) == [401, 401, 800, 800]


def test_research_happens_once_and_changes_the_units() -> None:
    base = rich(Base("flat_64"))
    sim = base.sim
    sim.place(0, "barracks", 1, 40.5, 30.5)
    lab = sim.place(0, "barracks_tech_lab", 1, 43.0, 30.0)
    marine = sim.create(0, "marine", 1, 40.0, 40.0)
    sim.step(1)
    sim.produce(0, lab, "shield_wall")
    sim.step(1)
    sim.produce(0, lab, "shield_wall")
    sim.step(1)
    assert sim.answer(0, lab) == "NotSupported"
    sim.step(1760 - 3)
    assert sim.units["hp_max"][0, marine] == 45.0
    sim.step(1)
    assert sim.units["hp_max"][0, marine] == 55.0


def test_units_go_to_the_rally_point() -> None:
    base = rich(Base("flat_64"))
    sim = base.sim
    barracks = sim.place(0, "barracks", 1, 40.5, 30.5)
    sim.place(0, "supply_depot", 1, 30.0, 50.0)
    sim.step(1)
    sim.produce(0, barracks, "marine")
    sim.order(0, barracks, codes.SMART, (50.0, 30.5))
    sim.step(400)
    marine = base.mine()[-1]
    assert sim.units["x"][0, marine] > 42.0  # it leaves on that side
    sim.step(60)
    assert np.hypot(sim.units["x"][0, marine] - 50.0, sim.units["y"][0, marine] - 30.5) < 0.1
