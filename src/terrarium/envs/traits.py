"""What a unit type is to a learner: the columns of the entity view that never change."""

import numpy as np
from numpy.typing import NDArray

from terrarium.data.facts.unit_facts import RuleSet, Unit, Weapon
from terrarium.envs.schema import TRAITS

TICKS_PER_S = 16.0


def trait_table(rules: RuleSet) -> NDArray[np.float32]:
    """One row for each unit type of a rule set, in its order; columns as in TRAITS."""
    rows = [_traits(unit) for unit in rules.units.values()]
    return np.array([[row[name] for name in TRAITS] for row in rows], np.float32)


def _traits(unit: Unit) -> dict[str, float]:
    weapons = unit.weapons
    reach = max((weapon.range for weapon in weapons), default=0.0)
    return {
        "max_health": unit.hp / 200.0,
        "max_shield": unit.shields / 200.0,
        "armor": unit.armor / 5.0,
        "radius": unit.radius,
        "speed": unit.speed / 5.0,
        "range": max(reach, unit.heal.range if unit.heal else 0.0) / 10.0,
        "damage": max((_damage_per_s(weapon) for weapon in weapons), default=0.0) / 50.0,
        "splash": any(_has_splash(weapon) for weapon in weapons),
        "hits_ground": any(weapon.targets in ("ground", "any") for weapon in weapons),
        "hits_air": any(weapon.targets in ("air", "any") for weapon in weapons),
        "heals": unit.heal is not None,
        "explodes": any(weapon.suicide for weapon in weapons),
        "flies": unit.flying,
        "light": "Light" in unit.attributes,
        "armored": "Armored" in unit.attributes,
        "biological": "Biological" in unit.attributes,
        "mechanical": "Mechanical" in unit.attributes,
        "massive": "Massive" in unit.attributes,
        "structure": "Structure" in unit.attributes,
    }


def _damage_per_s(weapon: Weapon) -> float:
    damage = (weapon.damage or 0.0) * weapon.attacks
    if weapon.suicide:
        return damage  # it hits once: as if in a second
    return damage * TICKS_PER_S / max(weapon.cooldown_loops, 1.0)


def _has_splash(weapon: Weapon) -> bool:
    return any(hit.splash or hit.area or hit.line or hit.cone for hit in weapon.hits)
