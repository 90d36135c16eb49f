"""Every unit of every rule set works: it appears, it goes where it can, and its weapons hurt."""

import pytest

from terrarium.data.facts.rulesets import load_ruleset, ruleset_names
from terrarium.data.facts.unit_facts import Unit
from terrarium.engine.tables.products import LARVA_MOVER
from tests.covering import few_quick
from tests.engine.arena import SECOND, open_ground

UNITS = [(rules, name) for rules in ruleset_names() for name in load_ruleset(rules).units]
# Somebody big enough to survive a volley, on the ground and in the air, that holds still.
GROUND_TARGET = {"liberty": "colossus", "smac": "colossus"}
AIR_TARGET = {"liberty": "medivac", "smac": "medivac"}


def unit_of(rules: str, name: str) -> Unit:
    return load_ruleset(rules).units[name]


@pytest.mark.parametrize(("rules", "name"), few_quick(UNITS))
def test_it_appears_whole_and_goes_where_it_is_sent(rules: str, name: str) -> None:
    facts = unit_of(rules, name)
    arena = open_ground(rules)
    unit = arena.add(name, at=(20, 20))
    assert (unit.hp, unit.shield) == (facts.hp, facts.shields)
    assert unit.energy == (facts.energy_start or 0)
    unit.move(24, 20)
    # Cocoons have a speed, but stay; larvae stay with their hatchery, whatever they are told.
    goes = facts.speed > 0 and facts.acceleration != 0 and facts.mover != LARVA_MOVER
    # Four cells, with three times the time they take at full speed for those who accelerate slowly.
    arena.run(int(3 * 4 / facts.speed * SECOND) + 8 if goes else 32)
    if not unit.alive:
        assert facts.lifetime_loops is not None
    else:
        assert unit.x == pytest.approx(24.0 if goes else 20.0, abs=0.05)
        assert unit.y == pytest.approx(20.0, abs=0.05)


ARMED = [
    (rules, name, index)
    for rules, name in UNITS
    for index, weapon in enumerate(unit_of(rules, name).weapons)
    if weapon.hits and not weapon.starts_off and not unit_of(rules, name).disguise
]


@pytest.mark.parametrize(("rules", "name", "index"), few_quick(ARMED))
def test_its_weapon_hurts_what_it_may_hit(rules: str, name: str, index: int) -> None:
    facts = unit_of(rules, name)
    weapon = facts.weapons[index]
    victim_name = (
        AIR_TARGET.get(rules, "battlecruiser")
        if weapon.targets == "air"
        else GROUND_TARGET.get(rules, "ultralisk")
    )
    victim_facts = unit_of(rules, victim_name)
    distance = max(weapon.range - 0.05, (weapon.min_range or 0.0) + 0.05)
    arena = open_ground(rules)
    unit = arena.add(name, at=(20, 20))
    at = (20 + facts.radius + victim_facts.radius + min(distance, weapon.range), 20)
    victim = arena.add(victim_name, at=at, owner=2, passive=True)
    unit.attack(victim)
    before = victim.hp + victim.shield
    arena.run(int(2 * weapon.cooldown_loops) + 6 * SECOND)
    assert victim.hp + victim.shield < before or not victim.alive
