"""Units as the data tables show them to a player: with the upgrades that it has."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from terrarium.data.facts.unit_facts import RuleSet, Unit, Weapon
from terrarium.data.facts.upgrade_facts import Change, Upgrade
from terrarium.engine import codes
from terrarium.engine.simulator import Simulator

SHOWN = ("armor", "speed", "damage", "range", "bonus")
"""what the game changes in its tables; the rate of attacks, life and shields stay as they are"""
GOD_FACTOR = 10.0
"""by which the cheat `god` raises damages in the tables"""


def upgrades_of(sim: Simulator, player: int, facts: RuleSet) -> list[Upgrade]:
    """What a player has researched, in the order of the facts."""
    state, table = sim.players[0, player], sim.rules.upgrades
    single = (table["tech"] != 0) & (state["techs"] & table["tech"] != 0)
    leveled = (table["tech"] == 0) & (state["levels"][table["family"]] >= table["level"])
    has = set(np.flatnonzero(single | leveled).tolist())
    return [facts.upgrades[name] for name, row in sim.known.upgrades.items() if row in has]


def with_upgrades(
    units: Mapping[int, Unit], upgrades: Iterable[Upgrade], damage_factor: float = 1.0
) -> dict[int, Unit]:
    """Units by their ids, as upgrades change them, one after the other."""
    changed = dict(units)
    ids: dict[str, list[int]] = {}
    for number, unit in units.items():
        ids.setdefault(unit.name, []).append(number)
    for upgrade in upgrades:
        for change in upgrade.changes:
            if change.field in SHOWN and change.of in ("unit", "weapon"):
                for number in (n for name in change.names for n in ids.get(name, ())):
                    changed[number] = _changed(changed[number], change)
    if damage_factor != 1.0:
        changed = {n: _stronger(unit, damage_factor) for n, unit in changed.items()}
    return changed


def _changed(unit: Unit, change: Change) -> Unit:
    if change.of == "weapon":
        weapons = tuple(
            _changed_weapon(weapon, change) if weapon.name == change.weapon else weapon
            for weapon in unit.weapons
        )
        return replace(unit, weapons=weapons)
    if change.field == "armor":
        return replace(unit, armor=_result(unit.armor, change))
    return replace(unit, speed=_result(unit.speed, change))


def _changed_weapon(weapon: Weapon, change: Change) -> Weapon:
    if change.field == "bonus":
        attribute = change.attribute or ""
        bonus = _result(weapon.bonus.get(attribute, 0.0), change)
        return replace(weapon, bonus={**weapon.bonus, attribute: bonus})
    if change.field == "range":
        return replace(weapon, range=_result(weapon.range, change))
    if weapon.damage is None:
        return weapon
    return replace(weapon, damage=_result(weapon.damage, change))


def _result(value: float, change: Change) -> float:
    return {"add": value + change.value, "set": change.value}.get(change.op, value * change.value)


def _stronger(unit: Unit, factor: float) -> Unit:
    weapons = (
        weapon if weapon.damage is None else replace(weapon, damage=factor * weapon.damage)
        for weapon in unit.weapons
    )
    return replace(unit, weapons=tuple(weapons))


def damage_factor(sim: Simulator, player: int) -> float:
    """How much higher damages are in a player's tables than they are."""
    is_god = bool(sim.players["cheats"][0, player] & codes.IS_UNHURT)
    return GOD_FACTOR if is_god else 1.0
