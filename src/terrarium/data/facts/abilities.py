"""Abilities, read from tables: keys are the fields of `ability_facts.Ability`.

What units say already is not said again: the time, price and requirements of a change into another
unit, or of a summons, come from that unit's `production`, the reach of a healing beam from `heal`.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from terrarium.data import vocabulary as words
from terrarium.data.facts.ability_facts import Ability, Circle
from terrarium.data.facts.buffs import check_name, named, read_strikes
from terrarium.data.facts.layers import Layers
from terrarium.data.facts.outcomes import (
    read_cargo,
    read_drain,
    read_flight,
    read_morph,
    read_push,
    read_restore,
    read_summon,
    read_teleport,
)
from terrarium.data.facts.unit_facts import Production, Unit
from terrarium.data.mechanics import MECHANICS

_MORPH_KEYS = (
    "becomes",
    "loops",
    "random_extra_loops",
    "stats_over_loops",
    "acts_after_loops",
    "search_radius",
)
_NOT_KEYS = {"name", "strikes", "morph", "summon", "numbers"}
_KEYS = [
    "strike",
    "summons",
    "count",
    *_MORPH_KEYS,
    *(f.name for f in fields(Ability) if f.name not in _NOT_KEYS),
]
_NUMBERS = tuple(key for mechanic in MECHANICS.values() for key in mechanic.numbers)
_OWNED = dict.fromkeys(key for mechanic in MECHANICS.values() for key in mechanic.owns)


@dataclass(frozen=True)
class KnownNames:
    """What an ability may mention, in this rule set or not, and the units that are really in it."""

    units: Mapping[str, Unit]
    all_units: Collection[str]
    abilities: Collection[str]
    buffs: Collection[str]
    effects: Collection[str]
    upgrades: Collection[str]
    upgrade_names: Mapping[int, str]


def read_ability(name: str, table: Layers, names: KnownNames) -> Ability | None:
    """One ability from its table; none if nobody in the rule set can use it."""
    table.only([*_KEYS, *_NUMBERS])
    kind = table.choice("kind", MECHANICS)
    _check_keys(table, kind)
    identity = table.integer_or_none("id", 1)
    if (identity is None) != (kind == "passive"):
        raise table.error('a "passive" ability has no id, any other needs one', "kind")
    users = tuple(_units(table, "users", names))
    if not users:
        raise table.error("names no unit", "users")
    made = [
        table.unit_name(table.text(key), names.all_units, key)
        for key in ("becomes", "summons")
        if table.has(key)
    ]
    present = tuple(user for user in users if user in names.units)
    if not present or any(unit not in names.units for unit in made):
        return None
    way = _way(names.units[made[0]], identity, names.units[present[0]]) if made else None
    return Ability(
        name=name,
        id=identity,
        general_id=table.integer_or_none("general_id", 1),
        link=table.text("link") if kind != "passive" else "",
        index=table.integer_or("index", 0, 0),
        race=table.choice("race", words.RACES),
        kind=kind,
        users=present,
        target=table.choice_or("target", "none", words.ABILITY_TARGETS),
        of=named(table, "of", "ability", names.abilities),
        grants=_grants(table, kind),
        **_price(table, way, names),
        **_times(table),
        **_reach(table, kind, names.units[present[0]]),
        **_requirements(table, way, names),
        **_outcome(table, kind, way, names),
    )


def _check_keys(table: Layers, kind: str) -> None:
    """Has an ability what its mechanic needs, and nothing that only others have?"""
    mechanic = MECHANICS[kind]
    for key in (*mechanic.needs, *mechanic.owns, *mechanic.numbers):
        if not table.has(key):
            raise table.error(f'kind "{kind}" needs the key "{key}"', "kind")
    for key in (*_OWNED, *_NUMBERS):
        if table.has(key) and key not in (*mechanic.owns, *mechanic.numbers):
            raise table.error(f'means nothing to kind "{kind}"', key)


def _grants(table: Layers, kind: str) -> tuple[str, ...]:
    if table.has("grants") and kind != "passive":
        raise table.error('only a "passive" ability gives its users traits', "grants")
    return table.words("grants", (), words.TRAITS)


def _units(table: Layers, key: str, names: KnownNames) -> Iterator[str]:
    for name in table.array(key):
        yield table.unit_name(name, names.all_units, key)


def _way(made: Unit, ability: int | None, user: Unit) -> Production | None:
    """How the unit that is made says that this user makes it."""
    ways = (way for way in made.production if (way.by, way.ability) == (user.id, ability))
    return next(ways, None)


def _price(table: Layers, way: Production | None, names: KnownNames) -> dict[str, Any]:
    energy = way.pays_energy if way else None
    if energy is not None and table.has("energy"):
        raise table.error("is said by the production of the unit already", "energy")
    uses_up = None
    if table.has("uses_up"):
        uses_up = table.unit_name(table.text("uses_up"), names.all_units, "uses_up")
    return {
        "energy": table.number_or("energy", energy or 0.0, 0),
        "energy_per_s": table.number_or("energy_per_s", 0.0),
        "life": table.number_or("life", 0.0, 0),
        "minerals": table.number_or("minerals", 0.0),
        "uses_up": uses_up,
        "cooldown_loops": table.number_or("cooldown_loops", 0.0, 0),
        "cooldown_from": table.choice_or("cooldown_from", "cast", words.COOLDOWN_STARTS),
        "cooldown_shared": table.boolean_or("cooldown_shared", False),
    }


def _times(table: Layers) -> dict[str, Any]:
    phases = ("prep", "cast_intro", "cast_outro", "channel", "finish", "delay", "fall")
    times: dict[str, Any] = {f"{p}_loops": table.number_or_none(f"{p}_loops", 0) for p in phases}
    return times | {
        "uninterruptible": table.words("uninterruptible", (), words.ABILITY_PHASES),
        "flags": table.words("flags", (), words.ABILITY_FLAGS),
    }


def _reach(table: Layers, kind: str, user: Unit) -> dict[str, Any]:
    heal = user.heal if kind == "heal" else None
    for key in ("range", "autocast_range") if heal else ():
        if table.has(key):
            raise table.error(f"is said by heal of {user.name} already", key)
    autocast = table.choice_or("autocast", "never", words.AUTOCASTS)
    if autocast == "never" and table.has("autocast_range"):
        raise table.error('means nothing without "autocast"', "autocast_range")
    return {
        "range": heal.range if heal else table.number_or_none("range", 0),
        "range_slop": table.number_or_none("range_slop", 0),
        "break_range": table.number_or_none("break_range", 0),
        "autocast": autocast,
        "autocast_range": heal.autocast_range
        if heal
        else table.number_or_none("autocast_range", 0),
        "must_be": table.words("must_be", (), words.TRAITS),
        "must_not_be": table.words("must_not_be", (), words.TRAITS),
    }


def _requirements(table: Layers, way: Production | None, names: KnownNames) -> dict[str, Any]:
    upgrades = list(_upgrades(table, "requires", names))
    units = list(_units(table, "requires_units", names)) if table.has("requires_units") else []
    by_id = {unit.id: unit.name for unit in names.units.values()}
    for need in way.requires if way else ():
        known: Mapping[int, str] = names.upgrade_names if need.kind == "upgrade" else by_id
        # A rule set of few units lacks the structure, and with it the way to fulfil the need.
        if need.id in known:
            (upgrades if need.kind == "upgrade" else units).append(known[need.id])
    special = table.table_or_empty("requires_of")
    return {
        "requires": tuple(upgrades),
        "requires_units": tuple(units),
        "requires_of": {
            special.unit_name(user, names.all_units, user): tuple(_upgrades(special, user, names))
            for user in special.values
        },
    }


def _upgrades(table: Layers, key: str, names: KnownNames) -> Iterator[str]:
    for name in table.array(key) if table.has(key) else ():
        yield check_name(table, name, key, "upgrade", names.upgrades)


def _outcome(table: Layers, kind: str, way: Production | None, names: KnownNames) -> dict[str, Any]:
    outcome: dict[str, Any] = {
        "flight": read_flight(table),
        "strikes": tuple(read_strikes(table)),
        "circle": _circle(table),
        "buff": named(table, "buff", "buff", names.buffs),
        "user_buff": named(table, "user_buff", "buff", names.buffs),
        "effect": named(table, "effect", "effect", names.effects),
        "morph": read_morph(table, way),
        "summon": read_summon(table, way),
        "teleport": read_teleport(table),
        "cargo": read_cargo(table, names.all_units),
        "restore": read_restore(table),
        "drain": read_drain(table),
        "push": read_push(table),
        "numbers": {key: table.number(key) for key in MECHANICS[kind].numbers},
    }
    if kind == "lock_on" and len(outcome["strikes"]) != 1:
        raise table.error('kind "lock_on" needs one strike', "kind")
    return outcome


def _circle(table: Layers) -> Circle | None:
    if not table.has("circle"):
        return None
    circle = table.table("circle")
    circle.only([field.name for field in fields(Circle)])
    return Circle(
        radius=circle.number("radius", 0),
        who=circle.choice("who", words.SIDES),
        only=circle.words("only", (), words.TRAITS),
        never=circle.words("never", (), words.TRAITS),
    )
