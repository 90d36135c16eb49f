"""Larvae, eggs and injects: facts of economy.md, 7 and 8."""

import numpy as np
import pytest

from terrarium.data.facts.rulesets import load_ruleset
from terrarium.engine import codes
from tests.engine.economy.bases import Base

RULES = load_ruleset("lotv-4.10")
HATCHED = [u.name for u in RULES.units.values() if any(w.by == 151 for w in u.production)]


@pytest.fixture
def base() -> Base:
    base = Base("flat_64", "Zerg").without_workers()
    base.enrich()
    return base


def changes(base: Base, unit: str, loops: int) -> list[tuple[int, int]]:
    """The loops in which the number of units of a type changes, and to what."""
    found, last = [], base.count(unit)
    for _ in range(loops):
        base.sim.step(1)
        n = base.count(unit)
        if n != last:
            found.append((int(base.sim.ticks[0]), n))
            last = n
    return found


def test_a_hatchery_makes_a_larva_every_240_loops_below_three(base: Base) -> None:
    """Egg at 11 gives 251, egg at 273 gives 513, then 753, 993."""
    sim = base.sim
    assert base.count("larva") == 3
    sim.step(11)
    assert base.make(base.find("larva")[0], "overlord") == "Success"
    assert changes(base, "larva", 273 - 11) == [(251, 3)]
    for larva in base.find("larva"):
        assert base.make(larva, "drone") == "Success"
    assert changes(base, "larva", 1000) == [(513, 1), (753, 2), (993, 3)]


def test_a_new_hatchery_has_one_larva(base: Base) -> None:
    """The next one comes 240 later (7,147 cases)."""
    sim = base.sim
    sim.step(1)
    for larva in base.find("larva"):
        sim.remove(0, larva)
    sim.place(0, "hatchery", 1, 40.5, 40.5)
    assert changes(base, "larva", 300) == [(2, 1), (241, 3)]  # one of each hatchery


@pytest.mark.parametrize("unit", HATCHED)
def test_an_egg_hatches_in_its_time_for_its_price(unit: str) -> None:
    """Type change to egg until birth exactly N (476,226 of 476,227 eggs)."""
    base = Base("flat_64", "Zerg").without_workers()
    base.enrich()
    sim = base.sim
    (way,) = (w for w in RULES.units[unit].production if w.by == 151)
    sim.step(1)
    larva, before = base.find("larva")[0], base.count(unit)
    for k, need in enumerate(way.requires):
        assert base.make(larva, unit) == "TechRequirementsNotMet"
        assert base.purse() == (10_000.0, 10_000.0)
        name = next(u.name for u in RULES.units.values() if u.id == need.id)
        sim.place(0, name, 1, 30.5 + 6 * k, 40.5)
        sim.step(1)
    supply = float(sim.games.accounts["supply_used"][0, 1])
    assert base.make(larva, unit) == "Success"
    assert base.purse() == (10_000.0 - way.pays_minerals, 10_000.0 - way.pays_vespene)
    assert base.find("egg") == [larva]
    count = way.count or 1
    taken = supply + count * RULES.units[unit].supply_used
    sim.step(1)
    assert sim.games.accounts["supply_used"][0, 1] == taken
    assert way.loops is not None
    sim.step(int(way.loops) - 2)
    assert (base.count("egg"), base.count(unit)) == (1, before)
    sim.step(1)
    assert (base.count("egg"), base.count(unit)) == (0, before + count)
    sim.step(1)
    assert sim.games.accounts["supply_used"][0, 1] == taken


def test_a_cancelled_egg_gives_the_larva_and_all_of_the_cost_back(base: Base) -> None:
    larva = base.find("larva")[0]
    base.make(larva, "drone")
    base.sim.step(100)
    base.sim.order(0, larva, codes.CANCEL_LAST)
    base.sim.step(1)
    assert base.purse() == (10_000.0, 10_000.0)
    assert larva in base.find("larva")
    base.sim.step(300)
    assert base.count("drone") == 0
    assert base.sim.games.accounts["supply_used"][0, 1] == 0


@pytest.mark.parametrize(
    ("minerals", "unit", "answer"),
    [
        (49.0, "drone", "NotEnoughMinerals"),
        (50.0, "drone", "Success"),
        (5_000.0, "marine", "NotSupported"),
        (5_000.0, "zergling", "TechRequirementsNotMet"),
    ],
)
def test_a_larva_says_what_is_missing(base: Base, minerals: float, unit: str, answer: str) -> None:
    base.enrich(minerals)
    assert base.make(base.find("larva")[0], unit) == answer
    assert base.purse()[0] == (0.0 if answer == "Success" else minerals)


def test_supply_is_missing(base: Base) -> None:
    sim = base.sim
    sim.remove(0, base.find("overlord")[0])  # 6 are left
    for k in range(6):
        sim.create(0, "drone", 1, 40.0 + k, 40.0)
    sim.step(1)
    assert base.make(base.find("larva")[0], "drone") == "NotEnoughFood"
    assert base.make(base.find("larva")[0], "overlord") == "Success"


def test_an_egg_is_busy(base: Base) -> None:
    larva = base.find("larva")[0]
    assert base.make(larva, "drone") == "Success"
    assert base.make(larva, "drone") == "NotSupported"
    base.sim.order(0, larva, codes.MOVE, (30.0, 30.0))
    base.sim.step(1)
    assert base.sim.answer(0, larva) == "NotSupported"


def test_an_egg_has_a_rally_point_and_a_larva_has_none(base: Base) -> None:
    sim = base.sim
    larva, egg = base.find("larva")[:2]
    burrowed = sim.create(0, "roach_burrowed", 1, 40.0, 40.0)
    base.make(egg, "drone")
    for slot, answer in ((larva, "NotSupported"), (egg, "Success"), (burrowed, "NotSupported")):
        sim.order(0, slot, codes.SMART, (30.0, 24.0))
        sim.step(1)
        assert sim.answer(0, slot) == answer
    sim.step(273)
    drone = base.find("drone")[0]
    order = sim.games.orders[0, drone, 0]
    assert (order["kind"], order["x"], order["y"]) == (codes.MOVE, 30.0, 24.0)


def test_larvae_go_nowhere_and_die_with_their_hatchery(base: Base) -> None:
    sim, larva = base.sim, base.find("larva")[0]
    sim.order(0, larva, codes.MOVE, (30.0, 30.0))
    sim.step(1)
    assert sim.answer(0, larva) == "NotSupported"
    egg = base.find("larva")[1]
    base.make(egg, "drone")
    sim.units["hp"][0, base.mine()[0]] = 0.0
    sim.step(3)
    assert base.count("larva") == 0
    assert base.find("egg") == [egg]
    sim.step(300)
    assert base.count("drone") == 1


def inject(base: Base, n: int) -> None:
    sim, hall = base.sim, base.mine()[0]
    x, y = (float(sim.units[c][0, hall]) for c in ("x", "y"))
    for k in range(n):
        queen = sim.create(0, "queen", 1, x - 1.0 + 2 * k, y + 3.4)
        sim.use(0, queen, "inject_larva", target=hall)


def test_an_inject_brings_three_larvae_four_loops_apart(base: Base) -> None:
    """First larva 644 loops after the order of a queen in range."""
    base.sim.step(10)
    inject(base, 1)
    assert changes(base, "larva", 800) == [(654, 4), (658, 5), (662, 6)]


def test_injects_that_wait_follow_at_641_loops(base: Base) -> None:
    """33,033 cases."""
    base.sim.step(10)
    inject(base, 2)
    loops = [loop for loop, _ in changes(base, "larva", 1400)]
    assert [loops[0], loops[3]] == [654, 654 + 641]
    assert base.count("larva") == 9


def test_a_hatchery_has_19_larvae_at_most(base: Base) -> None:
    sim, hall = base.sim, base.mine()[0]
    x, y = (float(sim.units[c][0, hall]) for c in ("x", "y"))
    for k in range(15):
        sim.create(0, "larva", 1, x + 0.3 * k - 2.0, y - 4.5)
    sim.step(1)
    inject(base, 1)
    sim.step(700)
    assert base.count("larva") == 19


def test_units_go_where_their_hatchery_sends_them(base: Base) -> None:
    """Workers to the field, others to the point (RallyHatchery has an index for each)."""
    sim, hall = base.sim, base.mine()[0]
    x, y = (float(sim.units[c][0, hall]) for c in ("x", "y"))
    sim.order(0, hall, codes.SMART, (x + 12.0, y))
    drone, overlord = base.find("larva")[:2]
    base.make(drone, "drone")
    base.make(overlord, "overlord")
    sim.step(273)
    worker = base.find("drone")[0]
    assert sim.games.orders["kind"][0, worker, 0] == codes.GATHER
    sim.step(400 - 273 + 300)
    flyer = base.find("overlord")[1]
    assert np.hypot(sim.units["x"][0, flyer] - x - 12.0, sim.units["y"][0, flyer] - y) < 3.0
