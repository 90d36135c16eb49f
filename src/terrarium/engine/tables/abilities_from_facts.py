"""From facts to tables, second part: abilities, buffs, areas, and what upgrades change."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.data import vocabulary as words
from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.buff_facts import Buff, Effect, Strike
from terrarium.data.facts.unit_facts import RuleSet, Unit
from terrarium.data.facts.upgrade_facts import Change
from terrarium.engine import codes
from terrarium.engine.records import Records, records
from terrarium.engine.state import N_COOLDOWNS, N_FAMILIES
from terrarium.engine.tables.rules import ABILITY, AREA, BUFF_ROW, CHANGE, UPGRADE

TICKS_PER_S = 16.0
NO_FAMILY = N_FAMILIES
"""The place of a player's levels that is always 0."""
UNKNOWN_MISSILE_SPEED = 16.0
"""Where the sources say that something flies and not how fast (docs/fidelity.md)."""
UNKNOWN_UNLOAD_LOOPS = 8.0
"""Bunkers and Command Centers let their passengers out in a rhythm that nobody has written down."""
TELEPORT_RADIUS_OF_USER = 0.0

_STATUS_OF_STATE = {
    "cloaked": codes.CLOAKED,
    "revealed": codes.REVEALED,
    "decloaked": codes.REVEALED,
    "lifted": codes.LIFTED,
    "stasis": codes.UNTOUCHABLE,
    "stunned": codes.STUNNED,
    "controlled": codes.CONTROLLED,
    "holds_fire": codes.HOLDS_FIRE,
    "weapon_on": codes.ARMED,
}
_STATUS_OF_PREVENTION = {
    "move": codes.ROOTED,
    "attack": codes.DISARMED,
    "abilities": codes.SILENCED,
    "energy_regeneration": codes.STARVED,
    "teleport": codes.GROUNDED,
    "load": codes.GROUNDED,
    "detection": codes.BLINDED,
}
_FIELDS = {
    "hp": codes.CHANGES_HP,
    "armor": codes.CHANGES_ARMOR,
    "shield_armor": codes.CHANGES_SHIELD_ARMOR,
    "speed": codes.CHANGES_SPEED,
    "acceleration": codes.CHANGES_ACCELERATION,
    "energy_start": codes.CHANGES_ENERGY_START,
    "energy_regen_per_s": codes.CHANGES_ENERGY_REGEN,
    "cargo_capacity": codes.CHANGES_CARGO,
    "range": codes.CHANGES_RANGE,
    "attack_rate_multiplier": codes.CHANGES_RATE,
    "cooldown_loops": codes.CHANGES_COOLDOWN,
    "max_units": codes.CHANGES_MAX_UNITS,
    "morph_loops": codes.CHANGES_MORPH,
    "circle_radius": codes.CHANGES_CIRCLE,
    "speed_multiplier": codes.CHANGES_SPEED,
    "acceleration_multiplier": codes.CHANGES_ACCELERATION,
}
_SCALES = {
    codes.CHANGES_SPEED: 1.0 / TICKS_PER_S,
    codes.CHANGES_ACCELERATION: 1.0 / TICKS_PER_S**2,
    codes.CHANGES_ENERGY_REGEN: 1.0 / TICKS_PER_S,
}
_ELSEWHERE = {"damage", "bonus", "damage_vs_structures"}  # in the damage tables
_NOT_YET = {"scan_range", "line.steps", "speed_creep_multiplier"}
"""A longer range lengthens the look-out anyway; creep and longer spines await their turn."""


@dataclass(frozen=True)
class Tables:
    """The part of `Rules` that abilities and upgrades fill."""

    abilities: Records
    buffs: Records
    areas: Records
    changes: Records
    upgrades: Records
    kit: NDArray[np.int64]
    kit_needs: NDArray[np.int64]


@dataclass(frozen=True)
class Names:
    """Which row is which."""

    types: Mapping[str, int]
    abilities: Mapping[str, int]
    buffs: Mapping[str, int]
    areas: Mapping[str, int]
    upgrades: Mapping[str, int]
    techs: Mapping[str, int]
    """the bit of each upgrade without levels"""


def names_of(facts: RuleSet) -> Names:
    single = [name for name, upgrade in facts.upgrades.items() if upgrade.family is None]
    assert len(single) < 63, "the upgrades of a player are the bits of one number"
    return Names(
        types=_rows(facts.units),
        abilities=_rows(facts.abilities),
        buffs=_rows(facts.buffs),
        areas=_rows(facts.effects),
        upgrades=_rows(facts.upgrades),
        techs={name: 1 << bit for bit, name in enumerate(single)},
    )


def _rows(facts: Iterable[str]) -> dict[str, int]:
    return {name: row for row, name in enumerate(facts)}


def traits(words_used: Iterable[str]) -> int:
    """A bit for each trait."""
    return sum(1 << words.TRAITS.index(word) for word in words_used)


def attributes(words_used: Iterable[str]) -> int:
    """A bit for each attribute."""
    return sum(1 << words.ATTRIBUTES.index(word) for word in words_used)


def traits_of_unit(unit: Unit, abilities: Mapping[str, Ability]) -> int:
    """What a type is whoever asks; the rest depends on the moment (casting.py)."""
    has = set(unit.attributes)
    frenzied = abilities.get("frenzied")
    claims = {
        "air": "air" in unit.targetable_as,
        "ground": "ground" in unit.targetable_as,
        "biological": "Biological" in has,
        "mechanical": "Mechanical" in has,
        "mechanical_or_psionic": bool(has & {"Mechanical", "Psionic"}),
        "massive": "Massive" in has,
        "structure": "Structure" in has,
        "heroic": "Heroic" in has,
        "burrowed": "buried" in unit.flags,
        "can_have_energy": unit.energy_max > 0.0,
        "frenzied": frenzied is not None and unit.name in frenzied.users,
        "invulnerable": "invulnerable" in unit.flags,
        "terran": unit.race == "Terran",
        "townhall": unit.name in words.TOWNHALLS,
        "supply_depot": unit.name.startswith("supply_depot"),
        "widow_mine_of_player": unit.name.startswith("widow_mine"),
    }
    return traits(name for name, holds in claims.items() if holds)


def compile_abilities(
    facts: RuleSet, names: Names, first_strikes: Mapping[str, int]
) -> tuple[Tables, dict[str, list[tuple[int, int]]]]:
    """The tables, and for each of types, abilities and buffs where the changes of a row lie.

    `first_strikes` says at which row of the hits the strikes of an ability, buff or area begin.
    """
    changes, spans = _changes(facts, names)
    slots = _cooldown_slots(facts)
    abilities = records(max(1, len(facts.abilities)), ABILITY)
    for row, ability in enumerate(facts.abilities.values()):
        values = _ability_row(ability, facts, names, slots[ability.name])
        first = first_strikes.get(f"ability {ability.name}", -1)
        span = spans["ability"][row]
        values |= {"first_hit": first, "first_change": span[0], "n_changes": span[1]}
        abilities[row] = record(ABILITY, values)
    buffs = records(max(1, len(facts.buffs)), BUFF_ROW)
    for row, buff in enumerate(facts.buffs.values()):
        values = _buff_row(buff, first_strikes.get(f"buff {buff.name}", -1))
        values["drain"] = _drain(facts, buff)
        span = spans["buff"][row]
        buffs[row] = record(BUFF_ROW, values | {"first_change": span[0], "n_changes": span[1]})
    areas = records(max(1, len(facts.effects)), AREA)
    for row, area in enumerate(facts.effects.values()):
        areas[row] = record(
            AREA, _area_row(area, names, facts.buffs, first_strikes.get(f"area {area.name}", -1))
        )
    upgrades = records(max(1, len(facts.upgrades)), UPGRADE)
    for row, upgrade in enumerate(facts.upgrades.values()):
        family = words.UPGRADES.index(upgrade.family) if upgrade.family else NO_FAMILY
        upgrades[row] = (names.techs.get(upgrade.name, 0), family, upgrade.level or 0)
    kit, needs = _kits(facts, names)
    return Tables(abilities, buffs, areas, changes, upgrades, kit, needs), spans


def record(dtype: np.dtype[Any], values: dict[str, Any]) -> Any:
    """A row with every field stated: a forgotten one is our mistake, not a zero."""
    assert dtype.names is not None
    assert set(values) == set(dtype.names), set(values) ^ set(dtype.names)
    return tuple(values[name] for name in dtype.names)


def _kits(facts: RuleSet, names: Names) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    kits: list[list[Ability]] = [[] for _ in facts.units]
    for ability in facts.abilities.values():
        for user in ability.users:
            kits[names.types[user]].append(ability)
    width = max(1, *(len(kit) for kit in kits))
    rows = np.full((len(kits), width), codes.NO_ABILITY, np.int64)
    needs = np.zeros((len(kits), width), np.int64)
    for t, (user, kit) in enumerate(zip(facts.units, kits, strict=True)):
        for k, ability in enumerate(kit):
            rows[t, k] = names.abilities[ability.name]
            needed = (*ability.requires, *ability.requires_of.get(user, ()))
            needs[t, k] = sum(names.techs[name] for name in set(needed))
    return rows, needs


def _cooldown_slots(facts: RuleSet) -> dict[str, int]:
    """A place for the cooldown of each ability. Forms of one unit share their places, so that a
    mine that burrows again finds its missile no readier than before."""
    family = {name: name for name in facts.units}

    def root(name: str) -> str:
        return name if family[name] == name else root(family[name])

    for ability in facts.abilities.values():
        for user in ability.users if ability.morph else ():
            if ability.morph and ability.morph.becomes in family:
                family[root(ability.morph.becomes)] = root(user)
    taken: dict[str, int] = {}
    slots = dict.fromkeys(facts.abilities, 0)
    for ability in facts.abilities.values():
        if ability.cooldown_loops > 0.0:
            roots = {root(user) for user in ability.users}
            slots[ability.name] = max(taken.get(name, 0) for name in roots)
            taken |= dict.fromkeys(roots, slots[ability.name] + 1)
            assert slots[ability.name] < N_COOLDOWNS, ability.name
    return slots


def _changes(facts: RuleSet, names: Names) -> tuple[Records, dict[str, list[tuple[int, int]]]]:
    """Every number that an upgrade changes, sorted by what it belongs to."""
    subjects: dict[str, Sequence[str]] = {
        "unit": list(facts.units),
        "ability": list(facts.abilities),
        "buff": list(facts.buffs),
    }
    lists: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
    for upgrade in facts.upgrades.values():
        for change in upgrade.changes:
            if _is_elsewhere(change, upgrade.family):
                continue
            field = _FIELDS[change.field]
            scale = (
                _SCALES.get(field, 1.0) if change.op != "multiply" and change.of != "buff" else 1.0
            )
            of = "unit" if change.of == "weapon" else change.of
            family = words.UPGRADES.index(upgrade.family) if upgrade.family else NO_FAMILY
            row = (
                names.techs.get(upgrade.name, 0),
                family,
                upgrade.level or 0,
                field,
                words.CHANGE_OPS.index(change.op),
                change.value * scale,
            )
            for name in change.names:
                lists.setdefault((of, name), []).append(row)
    table = records(max(1, sum(map(len, lists.values()))), CHANGE)
    spans: dict[str, list[tuple[int, int]]] = {}
    n = 0
    for of, all_names in subjects.items():
        spans[of] = []
        for name in all_names:
            rows = lists.get((of, name), [])
            spans[of].append((n, len(rows)))
            for row in rows:
                table[n] = row
                n += 1
    return table, spans


def _is_elsewhere(change: Change, family: str | None) -> bool:
    if change.field in _ELSEWHERE or change.field in _NOT_YET:
        return True
    # Levels of armor are a step in the type's own row.
    return family is not None and change.field in ("armor", "shield_armor")


def _mask(names: Iterable[str], of: Iterable[str]) -> int:
    order = list(of)
    return sum(1 << order.index(name) for name in names)


def _sides(who: str) -> int:
    return list(words.SIDES).index(who)


def _ability_row(ability: Ability, facts: RuleSet, names: Names, slot: int) -> dict[str, Any]:
    phases = {
        "approach": 1 << codes.APPROACH,
        "prep": 1 << codes.PREP,
        "cast": 1 << codes.INTRO | 1 << codes.OUTRO,
        "channel": 1 << codes.CHANNELING,
        "finish": 1 << codes.FINISH,
    }
    strike = ability.strikes[0] if ability.strikes else None
    return {
        "id": ability.id or 0,
        "kind": list(words.ABILITY_KINDS).index(ability.kind),
        "aim": words.ABILITY_TARGETS.index(ability.target),
        "of": names.abilities.get(ability.of or "", codes.NO_ABILITY),
        "energy": ability.energy,
        "life": ability.life,
        "minerals": ability.minerals,
        "nukes": int(ability.uses_up is not None),
        "cooldown": ability.cooldown_loops,
        "cooldown_slot": slot,
        "cooldown_from": words.COOLDOWN_STARTS.index(ability.cooldown_from),
        "prep": ability.prep_loops or 0.0,
        "intro": ability.cast_intro_loops or 0.0,
        "outro": ability.cast_outro_loops or 0.0,
        "channel": ability.channel_loops or 0.0,
        "finish": ability.finish_loops or 0.0,
        "delay": ability.delay_loops or 0.0,
        "fall": ability.fall_loops or 0.0,
        "locked": sum(phases[phase] for phase in ability.uninterruptible),
        "habits": _mask(ability.flags, words.ABILITY_FLAGS),
        "range": ability.range or 0.0,
        "slop": ability.range_slop or 0.0,
        "break_range": ability.break_range or 0.0,
        "autocast": {"never": 0, "off": 1, "on": 2}[ability.autocast],
        "autocast_range": ability.autocast_range or 0.0,
        "must_be": traits(ability.must_be),
        "must_not_be": traits(ability.must_not_be),
        "n_hits": len(ability.strikes),
        "times": (strike.times or 1) if strike else 0,
        "period": (strike.period_loops or 0.0) if strike else 0.0,
        "buff": names.buffs.get(ability.buff or "", -1),
        "user_buff": names.buffs.get(ability.user_buff or "", -1),
        "area": names.areas.get(ability.effect or "", -1),
        **_flight(ability),
        **_circle(ability),
        **_morph(ability, names),
        **_summon(ability, names),
        **_jump(ability),
        **_jump_times(ability),
        **_cargo(ability, facts),
        **_restore(ability),
    }


def _flight(ability: Ability) -> dict[str, Any]:
    flight = ability.flight
    if flight is None:
        return {"missile_speed": 0.0, "missile_accel": 0.0, "lost_after": 0.0}
    return {
        "missile_speed": (flight.max_speed or UNKNOWN_MISSILE_SPEED) / TICKS_PER_S,
        "missile_accel": (flight.accel or 0.0) / TICKS_PER_S**2,
        "lost_after": flight.lost_after_loops or 0.0,
    }


def _circle(ability: Ability) -> dict[str, Any]:
    circle = ability.circle
    return {
        "circle": circle.radius if circle else 0.0,
        "circle_who": _sides(circle.who) if circle else 0,
        "circle_must_be": traits(circle.only) if circle else 0,
        "circle_must_not_be": traits(circle.never) if circle else 0,
    }


def _morph(ability: Ability, names: Names) -> dict[str, Any]:
    morph = ability.morph
    low, high = (morph.random_extra_loops if morph else None) or (0.0, 0.0)
    return {
        "becomes": names.types[morph.becomes] if morph else -1,
        "morph_ticks": (morph.loops or 0.0) if morph else 0.0,
        "morph_low": low,
        "morph_high": high,
        "acts_after": (morph.acts_after_loops or 0.0) if morph else 0.0,
    }


def _summon(ability: Ability, names: Names) -> dict[str, Any]:
    summon = ability.summon
    return {
        "summons": names.types[summon.unit] if summon else -1,
        "n_summons": summon.count if summon else 0,
        "summon_ticks": (summon.loops or 0.0) if summon else 0.0,
    }


def _jump(ability: Ability) -> dict[str, Any]:
    jump = ability.teleport
    return {
        "jump_distance": (jump.distance or 0.0) if jump else 0.0,
        "jump_radius": (jump.radius or TELEPORT_RADIUS_OF_USER) if jump else 0.0,
        "leave": (jump.leave_loops or 0.0) if jump else 0.0,
        "travel": (jump.travel_loops or 0.0) if jump else 0.0,
        "settle": (jump.settle_loops or 0.0) if jump else 0.0,
    }


def _jump_times(ability: Ability) -> dict[str, Any]:
    """A long jump is a channel in which nobody can touch the user; before it may come a wind-up."""
    jump = ability.teleport
    if jump is None or not jump.travel_loops:
        return {}
    return {
        "outro": (ability.cast_outro_loops or 0.0) if ability.finish_loops else 0.0,
        "channel": (jump.leave_loops or 0.0) + jump.travel_loops + (jump.settle_loops or 0.0),
        "finish": 0.0,
    }


def _cargo(ability: Ability, facts: RuleSet) -> dict[str, Any]:
    cargo = ability.cargo
    if cargo is None and ability.of:
        cargo = facts.abilities[ability.of].cargo
    if cargo is None:
        names = ("max_units", "max_size", "cargo_must_be")
        numbers = ("load_range", "load_radius", "unload_range", "unload_period", "cargo_range_add")
        return {
            **dict.fromkeys(names, 0),
            **dict.fromkeys(numbers, 0.0),
            "cargo_dies": False,
            "cargo_shoots": False,
        }
    return {
        "max_units": cargo.max_units,
        "max_size": cargo.max_unit_size,
        "load_range": cargo.load_range,
        "load_radius": cargo.load_all_radius or 0.0,
        "unload_range": cargo.unload_range,
        "unload_period": cargo.unload_period_loops or UNKNOWN_UNLOAD_LOOPS,
        "cargo_dies": cargo.dies_with_carrier,
        "cargo_range_add": cargo.weapon_range_add,
        "cargo_shoots": cargo.weapon_range_add > 0.0,
        "cargo_must_be": traits(cargo.only),
    }


def _restore(ability: Ability) -> dict[str, Any]:
    restore, drain, push = ability.restore, ability.drain, ability.push
    return {
        "heal_life": restore.life if restore else 0.0,
        "shield_rate": (restore.shields_per_s or 0.0) / TICKS_PER_S if restore else 0.0,
        "energy_per_shield": (restore.energy_per_shield or 0.0) if restore else 0.0,
        "cost_share": (restore.cost_fraction or 0.0) if restore else 0.0,
        "energy_gain": restore.energy_gain if restore else 0.0,
        "drain_shields": drain.shields if drain else 0.0,
        "drain_energy": drain.energy if drain else 0.0,
        "drain_all": drain.all_energy if drain else False,
        "damage_per_energy": drain.damage_per_energy if drain else 0.0,
        "push": push.distance if push else 0.0,
        "push_ticks": (push.loops or 1.0) if push else 0.0,
        "push_never": traits(push.never) if push else 0,
    }


def _buff_row(buff: Buff, strike: int) -> dict[str, Any]:
    status = sum(_STATUS_OF_STATE.get(state, 0) for state in set(buff.states))
    for prevented in buff.prevents:
        status |= _STATUS_OF_PREVENTION.get(prevented, 0)
    if buff.damage_taken_add or buff.damage_taken_multiplier != 1.0 or buff.absorbs:
        status |= codes.WARDED
    if buff.first_hit_damage or buff.damage_add:
        status |= codes.EMPOWERED
    first = buff.strikes[0] if buff.strikes else None
    ticks = buff.duration_loops or 0.0
    return {
        "id": buff.id or 0,
        "ticks": ticks,
        "never": traits(buff.never),
        "status": status | codes.BUFFED,
        "speed_mult": buff.speed_multiplier,
        "speed_add": buff.speed_add / TICKS_PER_S,
        "accel_mult": buff.acceleration_multiplier,
        "accel_add": buff.acceleration_add / TICKS_PER_S**2,
        "rate": buff.attack_rate_multiplier,
        "range_add": buff.weapon_range_add,
        "damage_add": sum(buff.damage_add.values()),
        "damage_vs": attributes(buff.damage_add),
        "first_hit_damage": buff.first_hit_damage,
        "armor_add": buff.armor_add,
        "shield_armor_add": buff.shield_armor_add,
        "taken_add": buff.damage_taken_add,
        "taken_mult": buff.damage_taken_multiplier,
        "taken_manners": _mask(buff.damage_kinds or words.HIT_KINDS, words.HIT_KINDS),
        "taken_from": traits(buff.damage_from),
        "absorbs": buff.absorbs,
        "life_rate": buff.life_add / ticks if ticks else 0.0,
        "hp_add": buff.life_max_add,
        "strike": strike,
        "times": (first.times or 0) if first else 0,
        "period": (first.period_loops or 0.0) if first else 0.0,
    }


def _drain(facts: RuleSet, buff: Buff) -> float:
    """The energy that a toggle takes for as long as its buff is there."""
    users = (ability for ability in facts.abilities.values() if ability.buff == buff.name)
    return max((-ability.energy_per_s / TICKS_PER_S for ability in users), default=0.0)


def _guess(area: Effect, buffs: Mapping[str, Buff]) -> str:
    """Where the sources do not say whom an area concerns: what helps is for friends."""
    buff = buffs.get(area.buff or "")
    return "friend" if buff and buff.damage_taken_multiplier < 1.0 else "enemy"


def _area_row(area: Effect, names: Names, buffs: Mapping[str, Buff], strike: int) -> dict[str, Any]:
    first: Strike | None = area.strikes[0] if area.strikes else None
    return {
        "id": area.id or 0,
        "radius": area.radius,
        "ticks": area.duration_loops or 0.0,
        "delay": area.delay_loops or 0.0,
        "who": _sides(area.who if area.who != "unknown" else _guess(area, buffs)),
        "must_be": traits(area.only),
        "must_not_be": traits(area.never),
        "follows": {None: 0, "user": 1, "target": 2}[area.follows],
        "reveals": area.reveals,
        "buff": names.buffs.get(area.buff or "", -1),
        "strike": strike,
        "times": (first.times or 0) if first else 0,
        "period": (first.period_loops or 0.0) if first else 0.0,
        "then": names.areas.get(area.then or "", -1),
    }
