"""From facts to tables: what a hit takes from whom, with every upgrade."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.data.facts.buff_facts import Strike
from terrarium.data.facts.unit_facts import Hit, RuleSet, Unit, Weapon
from terrarium.engine import codes
from terrarium.engine.tables.names import NO_FAMILY, RowNames, family_of, traits

MAX_RINGS = 3


def spell_hits(facts: RuleSet) -> Iterator[tuple[str, Strike]]:
    """Every hit of abilities, buffs and areas, in the order of their rows, with its owner."""
    for ability in facts.abilities.values():
        for strike in ability.strikes:
            yield f"ability {ability.name}", strike
    for buff in facts.buffs.values():
        for strike in buff.strikes:
            yield f"buff {buff.name}", strike
    for area in facts.effects.values():
        for strike in area.strikes:
            yield f"area {area.name}", strike


def spell_hit_row(strike: Strike) -> dict[str, Any]:
    """The row of a hit that no weapon deals: those around the target are found by traits, not by
    planes."""
    rings = strike.rings
    assert len(rings) <= MAX_RINGS, strike.name
    pad = [0.0] * (MAX_RINGS - len(rings))
    return {
        "at": 0.0,
        "count": 1,
        "form": codes.SPLASH if rings else codes.SINGLE,
        "when": codes.SPARES_TARGET if strike.spares_target else codes.ALWAYS,
        "armor_applies": strike.armor_applies is not False,
        "hits_own": strike.who == "everybody",
        "same_level": False,
        "only": 0,
        "shield_bonus": strike.bonus_vs_shields,
        "missile_speed": 0.0,
        "missile_top": 0.0,
        "missile_accel": 0.0,
        "n_zones": len(rings),
        "zone_radius": tuple([ring.radius for ring in rings] + pad),
        "zone_share": tuple([ring.fraction for ring in rings] + pad),
        "zone_cos": (-2.0,) * MAX_RINGS,
        **dict.fromkeys(("radius", "length", "arc_cos", "arc_sin"), 0.0),
        **dict.fromkeys(("beams", "steps"), 0),
        **dict.fromkeys(("step_ticks", "delay", "target_delay"), 0.0),
        "spawns": -1,
        "weapon": -1,
        "manner": codes.SPELL,
        "must_be": traits(strike.only),
        "must_not_be": traits(strike.never),
        "family": NO_FAMILY,
        "tech": 0,
        "buff": -1,
        "buff_tech": 0,
    }


def upgrades_of_hit(facts: RuleSet, names: RowNames, unit: Unit, weapon: Weapon) -> dict[str, Any]:
    """Which levels and which single upgrade concern the hits of a weapon."""
    families = list(weapon.per_upgrade_level)
    assert len(families) <= 1, weapon.name
    tech, buff, buff_tech = 0, -1, 0
    for upgrade in facts.upgrades.values():
        if upgrade.family is None and any(
            _concerns(change, unit, weapon) for change in upgrade.changes
        ):
            tech = names.techs[upgrade.name]
        if upgrade.weapon_buff and unit.name in upgrade.weapon_buff_of:
            buff, buff_tech = names.buffs[upgrade.weapon_buff], names.techs[upgrade.name]
    return {
        "family": family_of(families[0] if families else None),
        "tech": tech,
        "buff": buff,
        "buff_tech": buff_tech,
    }


def _concerns(change: Any, unit: Unit, weapon: Weapon) -> bool:
    return (
        change.of == "weapon"
        and change.weapon == weapon.name
        and unit.name in change.names
        and change.field in ("damage", "bonus")
    )


def damage_of(damage: float, bonus: Mapping[str, float], units: list[Unit]) -> NDArray[np.float64]:
    """[T] before armor."""
    if not bonus:
        return np.full(len(units), damage)
    return np.array(
        [damage + sum(bonus.get(name, 0.0) for name in unit.attributes) for unit in units]
    )


def step_of(weapon: Weapon, hit: Hit, units: list[Unit]) -> NDArray[np.float64]:
    """[T] what one level of the weapon's family adds to a hit."""
    steps = list(weapon.per_upgrade_level.values())
    if not steps:
        return np.zeros(len(units))
    if hit.area and "structure" in hit.area.only:
        return np.full(len(units), steps[0].vs_structures)
    return damage_of(steps[0].damage, steps[0].bonus, units)


def extra_of(facts: RuleSet, unit: Unit, weapon: Weapon, units: list[Unit]) -> NDArray[np.float64]:
    """[T] what the single upgrade of a weapon adds to a hit."""
    extra = np.zeros(len(units))
    for upgrade in facts.upgrades.values():
        for change in upgrade.changes if upgrade.family is None else ():
            if _concerns(change, unit, weapon):
                assert change.op == "add", upgrade.name
                bonus = {change.attribute: change.value} if change.attribute else {}
                extra += damage_of(0.0 if bonus else change.value, bonus, units)
    return extra


def extra_of_spell(
    facts: RuleSet, names: RowNames, owner: str, strike: Strike, units: list[Unit]
) -> tuple[int, NDArray[np.float64]]:
    """The upgrade that adds to a hit of an ability, and what it adds [T]."""
    for upgrade in facts.upgrades.values():
        for change in upgrade.changes:
            named = change.of == "ability" and f"ability {change.names[0]}" == owner
            if named and change.strike == strike.name and upgrade.family is None:
                assert change.op == "add", upgrade.name
                bonus = {change.attribute: change.value} if change.attribute else {}
                value = damage_of(0.0 if bonus else change.value, bonus, units)
                return names.techs[upgrade.name], value
    return 0, np.zeros(len(units))
