"""Copies that a Sentry makes: they look like units, and are worth nothing (game_rules.md, 2)."""

from functools import cache

import pytest

from terrarium.data.facts.rulesets import load_ruleset
from terrarium.engine import codes
from tests.engine.economy.bases import Base

LIFE_LOOPS = 960
PREFIX = "hallucination_"


@cache
def copied() -> tuple[str, ...]:
    abilities = load_ruleset("lotv-4.10").abilities
    return tuple(name[len(PREFIX) :] for name in abilities if name.startswith(PREFIX))


def with_copy(unit: str) -> tuple[Base, int, int]:
    """A Sentry and what it has made; nobody gathers."""
    base = Base("flat_64", "Protoss").without_workers()
    sentry = base.sim.create(0, "sentry", 1, 40.0, 40.0)
    base.sim.units["energy"][0, sentry] = 80.0
    base.sim.step(1)
    base.sim.use(0, sentry, PREFIX + unit)
    base.sim.step(2)
    assert base.sim.answer(0, sentry) == "Success"
    (copy,) = [u for u in base.find(unit) if u != sentry]
    return base, sentry, copy


def test_all_thirteen_are_there() -> None:
    assert len(copied()) == 13


@pytest.mark.parametrize("unit", copied())
def test_a_copy_costs_energy_and_nothing_else(unit: str) -> None:
    base, sentry, copy = with_copy(unit)
    sim = base.sim
    assert sim.units["energy"][0, sentry] < 6.0
    assert sim.games.accounts["supply_used"][0, 1] == 2.0, "of the Sentry alone"
    assert sim.units["armor"][0, copy] == 0.0
    assert sim.units["hp"][0, copy] == sim.rules.types["hp"][sim.rows[unit]]
    assert sim.units["status"][0, copy] & codes.HALLUCINATED
    before = sim.games.scores[0, 1].copy()
    sim.step(LIFE_LOOPS - 4)
    assert sim.units["alive"][0, copy]
    sim.step(4)
    assert not sim.units["alive"][0, copy]
    for field in ("lost_minerals", "used_minerals", "total_used_minerals", "score"):
        assert (sim.games.scores[field][0, 1] == before[field]).all(), field


def test_a_copy_shoots_for_nothing_and_is_hurt_twice() -> None:
    base, sentry, copy = with_copy("stalker")
    sim = base.sim
    sim.remove(0, sentry)
    foe = sim.create(0, "hydralisk", 2, 46.0, 40.0)
    sim.order(0, foe, codes.HOLD)
    sim.step(8)
    sim.order(0, copy, codes.ATTACK, target=foe)
    sim.order(0, foe, codes.ATTACK, target=copy)
    life = float(sim.units["hp"][0, copy] + sim.units["shield"][0, copy])
    while sim.units["hp"][0, copy] + sim.units["shield"][0, copy] == life:
        sim.step(1)
        assert sim.ticks[0] < 200
    # 12 damage of a Hydralisk, twice; a Stalker's own armor would take 1 of it.
    assert life - sim.units["hp"][0, copy] - sim.units["shield"][0, copy] == 24.0
    sim.step(100)
    assert sim.units["hp"][0, foe] == sim.units["hp_max"][0, foe]


def test_a_copy_neither_works_nor_casts_nor_merges() -> None:
    base, _, probe = with_copy("probe")
    sim = base.sim
    base.enrich()
    field = base.near(codes.MINERALS)[0]
    sim.order(0, probe, codes.GATHER, target=field)
    sim.step(1)
    assert sim.answer(0, probe) == "NotSupported"
    sim.build(0, probe, "pylon", (44.0, 44.0))
    sim.step(1)
    assert sim.answer(0, probe) == "NotSupported"
    base, _, copy = with_copy("high_templar")
    other = base.sim.create(0, "high_templar", 1, 41.0, 41.0)
    base.sim.produce(0, other, "archon", target=copy)
    base.sim.step(1)
    assert base.sim.answer(0, other) == "CantTargetThatUnit"
    base.sim.produce(0, copy, "archon", target=other)
    base.sim.step(1)
    assert base.sim.answer(0, copy) == "NotSupported"
