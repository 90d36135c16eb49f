"""Every unit that a structure trains and every upgrade that one researches takes what it costs."""

import numpy as np
import pytest

from terrarium.data.facts.rulesets import load_ruleset
from terrarium.engine.simulator import Simulator
from tests.engine.economy.bases import Base

RULES = load_ruleset("lotv-4.10")
BY_ID = {unit.id: unit for unit in RULES.units.values()}
TRAINED = [
    (BY_ID[way.by].name, unit.name)
    for unit in RULES.units.values()
    for way in unit.production
    if way.how == "train" and way.by in BY_ID and BY_ID[way.by].kind != "unit"
]
RESEARCHED = [
    (producer, upgrade.name)
    for upgrade in RULES.upgrades.values()
    for producer in upgrade.at
    if producer in RULES.units
]
STUDIO = Base("empty_128").sim


def stage(sim: Simulator, producer: str, needed: list[str]) -> int:
    """A producer with all that its product requires; its slot."""
    sim.reset()
    sim.players["minerals"][0, 1] = sim.players["vespene"][0, 1] = 10_000.0
    for k in range(4):
        sim.create(0, "overlord", 1, 20.0 + 4 * k, 100.0)
    at = (60.5, 60.5)
    sim.place(0, "pylon", 1, 60.0, 66.0)  # power and creep for those that need them
    sim.place(0, "creep_tumor_burrowed", 1, 56.5, 64.5)
    parent = parent_of(producer)
    slot = sim.place(0, parent or producer, 1, *at)
    if parent:
        slot = sim.place(0, producer, 1, at[0] + 2.5, at[1] - 0.5)
    for k, name in enumerate(needed):
        if RULES.units[name].kind == "addon":
            own = next(n for n in (f"{producer}_{name}", name) if n in RULES.units)
            sim.place(0, own, 1, at[0] + 2.5, at[1] - 0.5)
        elif RULES.units[name].flying:
            sim.create(0, name, 1, 30.0, 30.0)
        else:
            sim.place(0, name, 1, 20.5 + 8 * k, 80.5)
    sim.step(1)
    return slot


def parent_of(name: str) -> str:
    """The structure that an add-on belongs to."""
    if RULES.units[name].kind != "addon":
        return ""
    return name.rsplit("_tech_lab", 1)[0].rsplit("_reactor", 1)[0]


def count(sim: Simulator, unit: str) -> int:
    if sim.rules.types["stored"][sim.rows[unit]]:
        return int(sim.players["nukes"][0, 1])
    units = sim.units[0]
    is_one = units["alive"] & (units["owner"] == 1) & (units["kind"] == sim.rows[unit])
    return int(is_one.sum())


@pytest.mark.parametrize(("producer", "unit"), TRAINED, ids=lambda v: v)
def test_a_unit_is_trained_in_its_time_for_its_price(producer: str, unit: str) -> None:
    (way,) = (w for w in RULES.units[unit].production if BY_ID[w.by].name == producer)
    needed = [BY_ID[r.id].name for r in way.requires if r.kind != "upgrade"]
    slot = stage(STUDIO, producer, needed)
    before, supply = count(STUDIO, unit), STUDIO.games.accounts["supply_used"][0, 1]
    STUDIO.produce(0, slot, unit)
    assert way.loops is not None
    STUDIO.step(int(np.ceil(way.loops)) - 1)
    assert STUDIO.answer(0, slot) in ("Success", "")
    assert (count(STUDIO, unit), STUDIO.players["minerals"][0, 1]) == (
        before,
        10_000.0 - way.pays_minerals,
    )
    assert STUDIO.players["vespene"][0, 1] == 10_000.0 - way.pays_vespene
    STUDIO.step(1)
    assert count(STUDIO, unit) == before + (way.count or 1)
    STUDIO.step(1)
    used = STUDIO.games.accounts["supply_used"][0, 1] - supply
    assert used == (way.count or 1) * RULES.units[unit].supply_used


@pytest.mark.parametrize(("producer", "upgrade"), RESEARCHED, ids=lambda v: v)
def test_an_upgrade_is_researched_in_its_time_for_its_price(producer: str, upgrade: str) -> None:
    facts = RULES.upgrades[upgrade]
    slot = stage(STUDIO, producer, list(facts.requires_units))
    for name in facts.requires:
        STUDIO.research(0, 1, name)
    STUDIO.produce(0, slot, upgrade)
    STUDIO.step(int(np.ceil(facts.research_loops)) - 1)
    assert STUDIO.players["minerals"][0, 1] == 10_000.0 - facts.minerals
    assert not has(STUDIO, upgrade)
    STUDIO.step(1)
    assert has(STUDIO, upgrade)


def has(sim: Simulator, upgrade: str) -> bool:
    row, player = sim.rules.upgrades[sim.known.upgrades[upgrade]], sim.players[0, 1]
    if row["tech"]:
        return bool(player["techs"] & row["tech"])
    return bool(player["levels"][row["family"]] >= row["level"])


def test_what_is_missing_is_refused() -> None:
    """Each product with requirements is refused without them."""
    refused = 0
    for producer, unit in TRAINED:
        (way,) = (w for w in RULES.units[unit].production if BY_ID[w.by].name == producer)
        if way.requires and RULES.units[producer].kind != "addon":
            slot = stage(STUDIO, producer, [])
            STUDIO.produce(0, slot, unit)
            STUDIO.step(1)
            assert STUDIO.answer(0, slot) == "TechRequirementsNotMet", unit
            assert STUDIO.players["minerals"][0, 1] == 10_000.0
            refused += 1
    assert refused > 10
