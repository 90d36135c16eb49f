"""Buffs, fields on the ground and strikes, read from tables."""

from collections.abc import Collection, Iterator
from dataclasses import fields
from typing import Any

from terrarium.data import vocabulary as words
from terrarium.data.facts.buff_facts import Buff, Effect, Ring, Strike
from terrarium.data.facts.layers import Layers
from terrarium.data.facts.weapons import camel_case
from terrarium.data.tables import Lines, Table
from terrarium.errors import nearest

# The numbers of a buff that changes nothing.
_FACTORS = (
    "speed_multiplier",
    "acceleration_multiplier",
    "attack_rate_multiplier",
    "damage_taken_multiplier",
    "work_rate_multiplier",
)
_TERMS = (
    "speed_add",
    "acceleration_add",
    "weapon_range_add",
    "first_hit_damage",
    "armor_add",
    "shield_armor_add",
    "damage_taken_add",
    "absorbs",
    "life_add",
    "life_max_add",
    "supply_add",
)
_STRIKE_KEYS = ["radius", *(field.name for field in fields(Strike) if field.name != "name")]
_BUFF_KEYS = [
    "strike",
    *(field.name for field in fields(Buff) if field.name not in {"name", "strikes"}),
]
_EFFECT_KEYS = [
    "strike",
    *(field.name for field in fields(Effect) if field.name not in {"name", "strikes"}),
]


def named(table: Layers, key: str, what: str, known: Collection[str]) -> str | None:
    """The name of another thing of this rule set, if `key` is there."""
    if not table.has(key):
        return None
    return check_name(table, table.text(key), key, what, known)


def check_name(table: Layers, name: object, key: str, what: str, known: Collection[str]) -> str:
    """`name` if it is one of the `known` names; else an error."""
    if not isinstance(name, str):
        raise table.error(f"{name!r} is not a name; it must be that of one {what}", key)
    if name not in known:
        raise table.error(f'unknown {what} "{name}".{nearest(name, known)}', key)
    return name


def read_buff(name: str, table: Layers) -> Buff:
    """One buff from its table."""
    table.only(_BUFF_KEYS)
    numbers: dict[str, Any] = {key: table.number_or(key, 1.0, 0) for key in _FACTORS}
    numbers |= {key: table.number_or(key, 0.0) for key in _TERMS}
    return Buff(
        name=name,
        api_name=_api_name(name, table),
        id=table.integer_or_none("id", 1),
        never=table.words("never", (), words.TRAITS),
        **_duration(table),
        **numbers,
        damage_add=table.amounts("damage_add", words.ATTRIBUTES),
        damage_kinds=table.words("damage_kinds", (), words.HIT_KINDS),
        damage_from=table.words("damage_from", (), words.PLANES),
        states=table.words("states", (), words.BUFF_STATES),
        prevents=table.words("prevents", (), words.BUFF_PREVENTS),
        strikes=tuple(read_strikes(table)),
    )


def read_effect(
    name: str, table: Layers, buffs: Collection[str], effects: Collection[str]
) -> Effect:
    """One field on the ground from its table."""
    table.only(_EFFECT_KEYS)
    radius, api_name = table.number("radius", 0), _api_name(name, table)
    identity = table.integer_or_none("id", 1)
    if identity is None and table.has("api_radius"):
        raise table.error("means nothing without an id", "api_radius")
    return Effect(
        name=name,
        api_name=api_name,
        friendly_name=table.text("friendly_name") if table.has("friendly_name") else api_name,
        id=identity,
        radius=radius,
        api_radius=None if identity is None else table.number_or("api_radius", radius, 0),
        **_duration(table),
        delay_loops=table.number_or_none("delay_loops", 0),
        who=table.choice_or("who", "enemy", words.SIDES),
        only=table.words("only", (), words.TRAITS),
        never=table.words("never", (), words.TRAITS),
        follows=table.choice("follows", words.FOLLOWS) if table.has("follows") else None,
        reveals=table.boolean_or("reveals", False),
        buff=named(table, "buff", "buff", buffs),
        strikes=tuple(read_strikes(table, table)),
        then=named(table, "then", "effect", effects),
    )


def _api_name(name: str, table: Layers) -> str:
    return table.text("api_name") if table.has("api_name") else camel_case(name)


def _duration(table: Layers) -> dict[str, Any]:
    """How long something lasts: a number, or a word for why there is none."""
    duration = table.number_or_none("duration_loops", 0)
    if duration is not None:
        if table.has("lasts"):
            raise table.error('means nothing next to "duration_loops"', "lasts")
        return {"lasts": "timed", "duration_loops": duration}
    lasts = table.choice("lasts", words.LASTS)
    if lasts == "timed":
        raise table.error('"timed" needs the key "duration_loops"', "lasts")
    return {"lasts": lasts, "duration_loops": None}


def read_strikes(table: Layers, field: Layers | None = None) -> Iterator[Strike]:
    """The strikes of an ability, buff or field: the tables inside its table `strike`.

    Those of a `field` fall on whom the field is meant for, unless they say otherwise.
    """
    victims = {k: field.values[k] for k in ("who", "only", "never") if field and field.has(k)}
    for name, said in table.named_tables("strike"):
        said.only(_STRIKE_KEYS)
        strike = Layers([Table(said.file, victims, Lines(), said.path), said])
        period = strike.number_or_none("period_loops", 0)
        times = strike.integer_or_none("times", 2)
        if period is None and times is not None:
            raise strike.error('means nothing without "period_loops"', "times")
        rings = tuple(_rings(strike))
        yield Strike(
            name=name,
            damage=strike.number("damage", 0),
            bonus=strike.amounts("bonus", words.ATTRIBUTES),
            bonus_vs_shields=strike.number_or("bonus_vs_shields", 0.0, 0),
            armor_applies=strike.boolean("armor_applies") if strike.has("armor_applies") else None,
            rings=rings,
            who=strike.choice_or("who", "enemy", words.SIDES),
            only=strike.words("only", (), words.TRAITS),
            never=strike.words("never", (), words.TRAITS),
            spares_target=strike.boolean_or("spares_target", False),
            times=1 if period is None else times,
            period_loops=period,
        )


def _rings(strike: Layers) -> Iterator[Ring]:
    """`radius`: all within it in full; `rings`: fractions, from the inside out."""
    if strike.has("radius"):
        if strike.has("rings"):
            raise strike.error('means nothing next to "rings"', "radius")
        yield Ring(strike.number("radius", 0), 1.0)
    inner = 0.0
    for ring in strike.tables("rings") if strike.has("rings") else ():
        ring.only(["radius", "fraction"])
        if ring.number("radius", 0) <= inner:
            raise ring.error(f"{ring.number('radius'):g} is not outside the ring before", "radius")
        inner = ring.number("radius")
        yield Ring(inner, ring.number("fraction", 0, 1))
