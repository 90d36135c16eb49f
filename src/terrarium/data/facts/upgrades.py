"""Upgrades, read from tables.

    [shield_wall]
    id = 16
    at = ["barracks_tech_lab"]
    ability = 731
    minerals = 100
    vespene = 100
    research_loops = 1760
    changes = [{ units = ["marine"], field = "hp", add = 10 }]

A level of a family (`family = "TerranInfantryWeapons"`, `level = 1`) names no such changes: they
follow from what the units say of a level of that family.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields, replace

from terrarium.data import vocabulary as words
from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.buff_facts import Buff
from terrarium.data.facts.buffs import check_name, named
from terrarium.data.facts.layers import Layers
from terrarium.data.facts.unit_facts import Unit
from terrarium.data.facts.upgrade_facts import Change, Upgrade
from terrarium.data.facts.weapons import camel_case

SHIELDS_FAMILY = "ProtossShields"
"""the one family whose armor is that of shields"""

_KEYS = [field.name for field in fields(Upgrade) if field.name != "name"]
_CHANGE_KEYS = [
    *("units", "weapon", "ability", "strike", "buff", "field", "attribute"),
    *words.CHANGE_OPS,
]
_FIELDS = {
    "unit": words.UNIT_CHANGES,
    "weapon": words.WEAPON_CHANGES,
    "ability": words.ABILITY_CHANGES,
    "buff": words.BUFF_CHANGES,
}


@dataclass(frozen=True)
class Known:
    """What an upgrade may mention, in this rule set or not, and what is really in it."""

    units: Mapping[str, Unit]
    all_units: Collection[str]
    abilities: Mapping[str, Ability]
    all_abilities: Collection[str]
    buffs: Mapping[str, Buff]
    all_buffs: Collection[str]
    upgrades: Collection[str]


def read_upgrade(name: str, table: Layers, known: Known) -> Upgrade:
    """One upgrade from its table."""
    table.only(_KEYS)
    family = table.choice("family", words.UPGRADES) if table.has("family") else None
    if (family is None) != (not table.has("level")):
        raise table.error('"family" and "level" belong together')
    upgrades, units = _needs(table, known)
    stated = (_change(entry, known) for entry in _entries(table))
    kept = (_kept(change, known) for change in stated)
    changes = [*_of_level(family, known.units), *(change for change in kept if change)]
    return Upgrade(
        name=name,
        api_name=table.text("api_name") if table.has("api_name") else camel_case(name),
        id=table.integer_or_none("id", 1),
        race=table.choice("race", words.RACES),
        family=family,
        level=table.integer("level", 1, 3) if family else None,
        at=tuple(_units(table, "at", known)),
        ability=table.integer_or_none("ability", 1),
        general_ability=table.integer_or_none("general_ability", 1),
        minerals=table.number("minerals", 0),
        vespene=table.number("vespene", 0),
        research_loops=table.number("research_loops", 0),
        requires=upgrades,
        requires_units=units,
        weapon_buff=named(table, "weapon_buff", "buff", known.all_buffs),
        weapon_buff_of=tuple(_units(table, "weapon_buff_of", known)),
        changes=tuple(changes),
    )


def _entries(table: Layers) -> Iterator[Layers]:
    if table.has("changes"):
        yield from table.tables("changes")


def _units(table: Layers, key: str, known: Known) -> Iterator[str]:
    for name in table.array(key) if table.has(key) else ():
        yield table.unit_name(name, known.all_units, key)


def _needs(table: Layers, known: Known) -> tuple[tuple[str, ...], tuple[str, ...]]:
    upgrades = table.array("requires") if table.has("requires") else []
    return (
        tuple(check_name(table, name, "requires", "upgrade", known.upgrades) for name in upgrades),
        tuple(_units(table, "requires_units", known)),
    )


def _change(entry: Layers, known: Known) -> Change:
    entry.only(_CHANGE_KEYS)
    ops = [op for op in words.CHANGE_OPS if entry.has(op)]
    if len(ops) != 1:
        raise entry.error(f"needs exactly one of {', '.join(words.CHANGE_OPS)}")
    of, names = _subject(entry, known)
    field = entry.choice("field", _FIELDS[of])
    if (field == "bonus") != entry.has("attribute"):
        raise entry.error('a "bonus" needs an "attribute", other fields have none', "field")
    strike = entry.text("strike") if entry.has("strike") else None
    weapon = entry.text("weapon") if entry.has("weapon") else None
    return Change(
        of=of,
        names=names,
        weapon=weapon,
        strike=strike,
        field=field,
        attribute=entry.choice("attribute", words.ATTRIBUTES) if field == "bonus" else None,
        op=ops[0],
        value=entry.number(ops[0]),
    )


def _subject(entry: Layers, known: Known) -> tuple[str, tuple[str, ...]]:
    """What an entry speaks of: units, a weapon of units, an ability or a buff."""
    subjects = [key for key in ("units", "ability", "buff") if entry.has(key)]
    if len(subjects) != 1:
        raise entry.error("speaks of exactly one of units, ability, buff")
    if entry.has("ability"):
        ability = check_name(
            entry, entry.text("ability"), "ability", "ability", known.all_abilities
        )
        _check_strike(entry, known.abilities.get(ability))
        return "ability", (ability,)
    if entry.has("buff"):
        return "buff", (check_name(entry, entry.text("buff"), "buff", "buff", known.all_buffs),)
    units = tuple(_units(entry, "units", known))
    if not units:
        raise entry.error("names no unit", "units")
    if not entry.has("weapon"):
        return "unit", units
    for name in units:
        if unit := known.units.get(name):
            weapons = [weapon.name for weapon in unit.weapons]
            check_name(entry, entry.text("weapon"), "weapon", f"weapon of {name}", weapons)
    return "weapon", units


def _check_strike(entry: Layers, ability: Ability | None) -> None:
    if entry.has("strike") and ability is not None:
        strikes = [strike.name for strike in ability.strikes]
        check_name(entry, entry.text("strike"), "strike", f"strike of {ability.name}", strikes)


def _kept(change: Change, known: Known) -> Change | None:
    """What is left of a change in a rule set that lacks some of what it speaks of."""
    here: Mapping[str, Collection[str]] = {
        "unit": known.units,
        "weapon": known.units,
        "ability": known.abilities,
        "buff": known.buffs,
    }
    names = tuple(name for name in change.names if name in here[change.of])
    return replace(change, names=names) if names else None


def _of_level(family: str | None, units: Mapping[str, Unit]) -> Iterator[Change]:
    """The changes of one level, as the units state them; equal ones are put together."""
    if family is None:
        return
    users: dict[tuple[str | None, str, str | None, float], list[str]] = {}
    for unit in units.values():
        if value := unit.armor_upgrades_per_level.get(family, 0.0):
            field = "shield_armor" if family == SHIELDS_FAMILY else "armor"
            users.setdefault((None, field, None, value), []).append(unit.name)
        for weapon in unit.weapons:
            if step := weapon.per_upgrade_level.get(family):
                amounts: dict[tuple[str, str | None], float] = {
                    ("damage", None): step.damage,
                    ("damage_vs_structures", None): step.vs_structures,
                    **{("bonus", attribute): value for attribute, value in step.bonus.items()},
                }
                for (field, attribute), value in amounts.items():
                    if value:
                        key = (weapon.name, field, attribute, value)
                        users.setdefault(key, []).append(unit.name)
    for (weapon_name, field, attribute, value), names in users.items():
        yield Change(
            of="unit" if weapon_name is None else "weapon",
            names=tuple(names),
            weapon=weapon_name,
            strike=None,
            field=field,
            attribute=attribute,
            op="add",
            value=value,
        )
