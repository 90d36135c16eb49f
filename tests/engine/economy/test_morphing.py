"""Cocoons and structures that become others: facts of economy.md, 7, and game_rules.md, 9."""

from math import ceil

import pytest

from terrarium.data.facts.rulesets import load_ruleset
from terrarium.engine import codes
from tests.engine.economy.bases import Base

RULES = load_ruleset("lotv-4.10")
BY_ID = {unit.id: unit for unit in RULES.units.values()}
ABILITIES = {ability.id for ability in RULES.abilities.values()}
MORPHS = [
    (BY_ID[way.by].name, unit.name)
    for unit in RULES.units.values()
    for way in unit.production
    if way.how == "morph" and way.ability not in ABILITIES and unit.name not in ("warp_gate",)
]
COCOONS = {
    # in the cocoon, and before it (economy.md, 7)
    "overseer": (266, 1, 1),
    "overlord_transport": (266, 1, 1),
    "ravager": (191, 0, 10),
    "lurker_mp": (399, 0, 10),
    "brood_lord": (541, 1, 1),
    "baneling": (320, 0, 10),
}
STRUCTURES = {
    "lair": 1279,
    "hive": 1599,
    "greater_spire": 1599,
    "orbital_command": 559,
    "planetary_fortress": 799,
}


def stage(producer: str, unit: str) -> tuple[Base, int]:
    """A rich player with all that a morph needs; who is to morph."""
    race = RULES.units[producer].race
    base = Base("flat_64", race).without_workers()
    base.enrich()
    sim = base.sim
    if race == "Protoss":
        sim.place(0, "pylon", 1, 40.0, 44.0)
    if race == "Zerg":
        sim.place(0, "creep_tumor_burrowed", 1, 37.5, 40.5)
        sim.step(100)
    if RULES.units[producer].kind == "structure":
        slot = sim.place(0, producer, 1, 40.5, 40.5)
    else:
        slot = sim.create(0, producer, 1, 40.5, 40.5)
    (way,) = (w for w in RULES.units[unit].production if BY_ID[w.by].name == producer)
    for k, need in enumerate(way.requires):
        sim.step(1)
        assert base.make(slot, unit) == "TechRequirementsNotMet"
        assert base.purse() == (10_000.0, 10_000.0)
        sim.place(0, BY_ID[need.id].name, 1, 30.5 + 6 * k, 30.5)
    sim.step(70)  # creep grows
    return base, slot


@pytest.mark.parametrize(("producer", "unit"), MORPHS, ids=lambda v: v)
def test_a_morph_takes_its_time_and_its_price(producer: str, unit: str) -> None:
    base, slot = stage(producer, unit)
    sim = base.sim
    (way,) = (w for w in RULES.units[unit].production if BY_ID[w.by].name == producer)
    supply = float(sim.games.accounts["supply_used"][0, 1])
    assert base.make(slot, unit) == "Success"
    assert base.purse() == (10_000.0 - way.pays_minerals, 10_000.0 - way.pays_vespene)
    assert base.make(slot, unit) in ("CantQueueThatOrder", "NotSupported")
    begun, seen = int(sim.ticks[0]), []
    for _ in range(ceil(way.loops or 0.0) + 12):
        name = sim.names[sim.units["kind"][0, slot]]
        if not seen or name != seen[-1][0]:
            seen.append((name, int(sim.ticks[0])))
        if name == unit:
            break
        sim.step(1)
    assert seen[-1][0] == unit
    if unit in COCOONS:
        inside, low, high = COCOONS[unit]
        assert seen[-1][1] - seen[-2][1] == inside
        assert seen[-2][0] == way.via
        assert low <= seen[-2][1] - begun <= high
    else:
        assert seen[-1][1] - begun == STRUCTURES.get(unit, ceil(way.loops or 0.0) - 1)
    sim.step(1)
    more = RULES.units[unit].supply_used - RULES.units[producer].supply_used
    assert sim.games.accounts["supply_used"][0, 1] == supply + more
    assert sim.units["hp"][0, slot] == RULES.units[unit].hp


def test_all_morphs_are_there() -> None:
    assert {unit for _, unit in MORPHS} == set(COCOONS) | set(STRUCTURES) | {"gateway"}


@pytest.mark.parametrize(
    ("producer", "unit"), [pair for pair in MORPHS if pair[1] != "gateway"], ids=lambda v: v
)
def test_a_cancelled_morph_is_paid_back(producer: str, unit: str) -> None:
    """A morph returns 75 percent (game_rules.md, 9); a Baneling is trained."""
    base, slot = stage(producer, unit)
    base.make(slot, unit)
    minerals, vespene = base.purse()
    base.sim.step(50)
    base.sim.order(0, slot, codes.CANCEL_LAST)
    base.sim.step(1)
    (way,) = (w for w in RULES.units[unit].production if BY_ID[w.by].name == producer)
    share = 1.0 if unit == "baneling" else 0.75
    assert base.purse() == (
        minerals + ceil(share * way.pays_minerals),
        vespene + ceil(share * way.pays_vespene),
    )
    assert slot in base.find(producer)
    base.sim.step(ceil(way.loops or 0.0))
    assert base.count(unit) == 0


def test_who_morphs_stands_still() -> None:
    base, slot = stage("roach", "ravager")
    sim = base.sim
    sim.order(0, slot, codes.MOVE, (50.0, 50.0))
    sim.step(8)
    base.make(slot, "ravager")
    x, y = (float(sim.units[c][0, slot]) for c in ("x", "y"))
    sim.order(0, slot, codes.MOVE, (50.0, 50.0))
    sim.step(100)
    assert (sim.units["x"][0, slot], sim.units["y"][0, slot]) == (x, y)


def test_a_lair_makes_larvae_and_nothing_else_while_it_grows() -> None:
    base, hall = stage("hatchery", "lair")
    sim = base.sim
    assert base.make(hall, "queen") == "Success"
    assert base.make(hall, "lair") == "NotSupported"
    sim.order(0, hall, codes.CANCEL_LAST)
    sim.step(1)
    assert base.make(hall, "lair") == "Success"
    assert base.make(hall, "queen") == "CantQueueThatOrder"
    for larva in base.find("larva"):
        sim.remove(0, larva)
    sim.step(600)
    assert base.count("larva") >= 4
    sim.order(0, hall, codes.CANCEL_LAST)
    sim.step(1)
    assert base.count("lair") == 0
    assert base.make(hall, "queen") == "Success"
