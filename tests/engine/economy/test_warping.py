"""Warp gates, warp-ins, Archons and chrono boost: facts of economy.md, 7, and game_rules.md, 9."""

import numpy as np
import pytest

from terrarium.data.facts.rulesets import load_ruleset
from terrarium.engine import codes
from tests.engine.economy.bases import Base

RULES = load_ruleset("lotv-4.10")
BY_ID = {unit.id: unit for unit in RULES.units.values()}
WARPED = [u.name for u in RULES.units.values() if any(w.how == "warp_in" for w in u.production)]
PYLON = (40.0, 40.0)
SPOT = (44.0, 37.0)


@pytest.fixture
def base() -> Base:
    base = Base("flat_64", "Protoss").without_workers()
    base.enrich()
    base.sim.place(0, "pylon", 1, *PYLON)
    return base


def gate(base: Base) -> int:
    """A warp gate, away from the pylon, so that the field around it is a slow one."""
    base.sim.place(0, "pylon", 1, 24.0, 44.0)
    slot = base.sim.place(0, "warp_gate", 1, 27.5, 44.5)
    base.sim.step(1)
    return slot


def warp(base: Base, slot: int, unit: str, at: tuple[float, float] = SPOT) -> str:
    base.sim.produce(0, slot, unit, at)
    base.sim.step(0)
    return base.sim.answer(0, slot)


@pytest.mark.parametrize("unit", WARPED)
def test_a_unit_is_warped_in_in_its_time_for_its_price(base: Base, unit: str) -> None:
    """256 loops in a slow field, and the gate waits for as long as the unit says."""
    sim, slot = base.sim, gate(base)
    (way,) = (w for w in RULES.units[unit].production if w.how == "warp_in")
    for k, need in enumerate(way.requires):
        assert warp(base, slot, unit) == "TechRequirementsNotMet"
        sim.place(0, BY_ID[need.id].name, 1, 30.5 + 4 * k, 20.5)
        sim.step(1)
    assert warp(base, slot, unit) == "Success"
    assert base.purse() == (10_000.0 - way.pays_minerals, 10_000.0 - way.pays_vespene)
    new = base.find(unit)[0]
    assert (sim.units["x"][0, new], sim.units["y"][0, new]) == SPOT
    assert sim.units["hp"][0, new] == pytest.approx(0.1 * RULES.units[unit].hp)
    assert warp(base, slot, unit, (36.0, 37.0)) == "Cooldown"
    sim.order(0, new, codes.MOVE, (50.0, 50.0))
    sim.step(255)
    assert sim.units["status"][0, new] & codes.UNFINISHED
    assert sim.units["x"][0, new] == SPOT[0]
    sim.step(1)
    assert not sim.units["status"][0, new] & codes.UNFINISHED
    assert sim.units["hp"][0, new] == RULES.units[unit].hp
    assert sim.units["shield"][0, new] == RULES.units[unit].shields
    assert sim.games.accounts["supply_used"][0, 1] == RULES.units[unit].supply_used
    assert way.gate_cooldown_loops is not None
    sim.step(int(way.gate_cooldown_loops) - 257)
    assert warp(base, slot, unit, (36.0, 37.0)) == "Cooldown"
    sim.step(1)
    assert warp(base, slot, unit, (36.0, 37.0)) == "Success"


def test_fields_near_a_nexus_or_gateway_or_of_a_prism_are_fast(base: Base) -> None:
    """81 loops."""
    sim, slot = base.sim, gate(base)
    hall = base.mine()[0]
    x, y = (float(sim.units[c][0, hall]) for c in ("x", "y"))
    sim.place(0, "pylon", 1, x + 4.5, y + 0.5)
    sim.create(0, "warp_prism_phasing", 1, 50.0, 20.0)
    sim.step(1)
    for at in ((28.0, 41.0), (x + 5.0, y + 4.0), (50.0, 23.0)):
        sim.games.producers["cooldown"][0, slot] = 0.0
        assert warp(base, slot, "zealot", at) == "Success"
    new = base.find("zealot")
    sim.step(80)
    assert (sim.units["status"][0, new] & codes.UNFINISHED).all()
    sim.step(1)
    assert not (sim.units["status"][0, new] & codes.UNFINISHED).any()


@pytest.mark.parametrize(
    ("at", "answer"),
    [
        (SPOT, "Success"),
        ((40.0, 47.0), "CantBuildTooFarFromBuildPowerSource"),
        ((40.0, 40.0), "CantBuildLocationInvalid"),
        ((1e9, 0.0), "Error"),
    ],
)
def test_a_bad_place_is_refused(base: Base, at: tuple[float, float], answer: str) -> None:
    slot = gate(base)
    assert warp(base, slot, "zealot", at) == answer
    assert base.purse()[0] == (9_900.0 if answer == "Success" else 10_000.0)


def test_a_cancelled_warp_in_is_gone(base: Base) -> None:
    sim, slot = base.sim, gate(base)
    warp(base, slot, "zealot")
    new = base.find("zealot")[0]
    sim.step(10)
    sim.order(0, new, codes.CANCEL_LAST)
    sim.step(1)
    assert base.purse()[0] == 9_900.0 + 75.0
    assert base.count("zealot") == 0


def test_gateways_become_warp_gates_after_the_research(base: Base) -> None:
    """158 to 165 loops after it; one that was changed back stays a gateway."""
    sim = base.sim
    slots = [sim.place(0, "gateway", 1, *at) for at in ((43.5, 40.5), (40.5, 43.5), (36.5, 40.5))]
    sim.step(10)
    assert base.make(slots[0], "warp_gate") == "TechRequirementsNotMet"
    sim.research(0, 1, "warp_gate_research")
    begun = int(sim.ticks[0])
    base.make(slots[2], "zealot")
    loops = [base.wait_for("warp_gate", n, 200) - begun for n in (1, 2)]
    assert all(158 <= n <= 166 for n in loops), loops
    slot = base.find("warp_gate")[0]
    assert base.make(slot, "gateway") == "Success"
    sim.step(159)
    assert base.make(slot, "zealot") == "Success"
    sim.order(0, slot, codes.CANCEL_LAST)
    sim.step(200)
    assert slot in base.find("gateway")


@pytest.mark.parametrize("pair", [("high_templar",) * 2, ("high_templar", "dark_templar")])
def test_two_templar_merge(base: Base, pair: tuple[str, str]) -> None:
    """192 loops from when they meet; free of charge."""
    sim = base.sim
    one, other = (sim.create(0, unit, 1, 40.0 + 5 * k, 50.0) for k, unit in enumerate(pair))
    sim.step(1)
    assert base.make(one, "archon") == "Success"
    assert base.make(other, "archon") == "Success"
    begun = base.wait_for("archon", 1, 100)
    archon = base.find("archon")[0]
    assert base.count(pair[0]) + base.count(pair[1]) == 0
    sim.step(191)
    finished = not sim.units["status"][0, archon] & codes.UNFINISHED
    sim.step(1)
    assert finished or not sim.units["status"][0, archon] & codes.UNFINISHED
    assert int(sim.ticks[0]) - begun == 192
    assert base.purse() == (10_000.0, 10_000.0)
    assert sim.games.accounts["supply_used"][0, 1] == 4
    assert sim.units["shield"][0, archon] == 350


def test_another_order_ends_the_wish_to_merge(base: Base) -> None:
    sim = base.sim
    one, other = (sim.create(0, "high_templar", 1, 40.0 + 9 * k, 50.0) for k in (0, 1))
    sim.step(1)
    sim.produce(0, one, "archon", target=other)
    sim.step(4)
    sim.order(0, other, codes.MOVE, (50.0, 55.0))
    sim.step(300)
    assert base.count("archon") == 0
    sim.produce(0, one, "archon", target=base.mine()[0])
    sim.step(1)
    assert sim.answer(0, one) == "CantTargetThatUnit"


def chrono(base: Base, target: int) -> None:
    hall = base.mine()[0]
    base.sim.units["energy"][0, hall] = 50.0
    base.sim.use(0, hall, "chrono_boost", target=target)


def test_a_chrono_boosted_probe_takes_181_loops(base: Base) -> None:
    """The second of a queue: 181 instead of 271."""
    sim, hall = base.sim, base.mine()[0]
    for _ in range(2):
        base.make(hall, "probe")
    first = base.wait_for("probe", 1, 300)
    chrono(base, hall)
    assert base.wait_for("probe", 2, 300) - first == 181
    assert sim.units["energy"][0, hall] < 50.0


def test_each_chrono_takes_224_loops_off_a_research(base: Base) -> None:
    """Warp gate 2240, 2016, 1792."""
    sim = base.sim
    core = sim.place(0, "cybernetics_core", 1, 43.5, 40.5)
    sim.step(1)
    assert base.make(core, "warp_gate_research") == "Success"
    begun = int(sim.ticks[0])
    chrono(base, core)
    sim.step(1)
    while sim.games.producers["n_items"][0, core]:
        sim.step(1)
    assert int(sim.ticks[0]) - begun == 2016


def test_chrono_boost_also_shortens_the_wait_of_a_warp_gate(base: Base) -> None:
    sim, slot = base.sim, gate(base)
    warp(base, slot, "zealot")
    chrono(base, slot)
    sim.step(298)
    assert sim.games.producers["cooldown"][0, slot] > 0
    sim.step(2)
    assert sim.games.producers["cooldown"][0, slot] == 0


def test_what_has_no_power_makes_nothing(base: Base) -> None:
    sim = base.sim
    core = sim.place(0, "cybernetics_core", 1, 43.5, 40.5)
    sim.step(1)
    base.make(core, "warp_gate_research")
    sim.step(10)
    left = sim.games.items["left"][0, core, 0]
    sim.remove(0, base.find("pylon")[0])
    sim.step(10)
    assert sim.games.items["left"][0, core, 0] == left
    assert np.isclose(left, 2230)
    gateway = sim.place(0, "gateway", 1, 50.5, 50.5)
    sim.step(1)
    assert base.make(gateway, "zealot") == "NotSupported"
