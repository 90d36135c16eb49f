"""From facts to tables: buffs, and areas on the ground."""

from collections.abc import Mapping
from typing import Any

from terrarium.data.facts.buff_facts import Buff, Effect
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.data.vocabulary import FOLLOWS, HIT_KINDS, SIDES
from terrarium.engine import codes
from terrarium.engine.records import Records, records
from terrarium.engine.tables.names import TICKS_PER_S, RowNames, attributes, record, traits
from terrarium.engine.tables.rules import AREA, BUFF_ROW

STATUS_OF_STATE = {
    "cloaked": codes.CLOAKED,
    "revealed": codes.REVEALED,
    "decloaked": codes.REVEALED,
    "lifted": codes.LIFTED,
    "stasis": codes.UNTOUCHABLE,
    "stunned": codes.STUNNED,
    "controlled": codes.CONTROLLED,
    "holds_fire": codes.HOLDS_FIRE,
    "weapon_on": codes.ARMED,
    # The mechanic that puts these on a unit sees to what they mean.
    "locked_on": 0,
    "channeling": 0,
    "spreads_creep": codes.SPREADS_CREEP,
    "hallucination": codes.HALLUCINATED,
    # The rules of the economy see to these.
    "injected": 0,
    "carries_minerals": 0,
    "carries_rich_minerals": 0,
    "carries_gas": 0,
}
STATUS_OF_PREVENTION = {
    "move": codes.ROOTED,
    "attack": codes.DISARMED,
    "abilities": codes.SILENCED,
    "teleport": codes.GROUNDED,
    "load": codes.GROUNDED,
    "detection": codes.BLINDED,
    "production": codes.HALTED,
    "energy_regeneration": codes.STARVED,
}


def compile_buffs(
    facts: RuleSet, first_hits: Mapping[str, int], spans: list[tuple[int, int]]
) -> Records:
    """A row for each buff; `spans` says where the changes of each lie."""
    table = records(max(1, len(facts.buffs)), BUFF_ROW)
    for row, buff in enumerate(facts.buffs.values()):
        values = _buff_row(buff) | {
            "hit": first_hits.get(f"buff {buff.name}", -1),
            "drain": _drain(facts, buff),
            "first_change": spans[row][0],
            "n_changes": spans[row][1],
        }
        table[row] = record(BUFF_ROW, values)
    return table


def compile_areas(facts: RuleSet, names: RowNames, first_hits: Mapping[str, int]) -> Records:
    """A row for each area."""
    table = records(max(1, len(facts.effects)), AREA)
    for row, area in enumerate(facts.effects.values()):
        values = _area_row(area, names, facts.buffs)
        table[row] = record(AREA, values | {"hit": first_hits.get(f"area {area.name}", -1)})
    return table


def _buff_row(buff: Buff) -> dict[str, Any]:
    status = codes.BUFFED
    for state in buff.states:
        status |= STATUS_OF_STATE[state]
    for prevented in buff.prevents:
        status |= STATUS_OF_PREVENTION[prevented]
    if buff.damage_taken_add or buff.damage_taken_multiplier != 1.0 or buff.absorbs:
        status |= codes.WARDED
    if buff.first_hit_damage or buff.damage_add:
        status |= codes.EMPOWERED
    first = buff.strikes[0] if buff.strikes else None
    ticks = buff.duration_loops or 0.0
    if buff.work_rate_multiplier != 1.0:
        ticks += 1.0  # buffs run before production, which would lose the last of them
    return {
        "id": buff.id or 0,
        "ticks": ticks,
        "never": traits(buff.never),
        "status": status,
        "speed_mult": buff.speed_multiplier,
        "speed_add": buff.speed_add / TICKS_PER_S,
        "accel_mult": buff.acceleration_multiplier,
        "accel_add": buff.acceleration_add / TICKS_PER_S**2,
        "rate": buff.attack_rate_multiplier,
        "work": buff.work_rate_multiplier,
        "range_add": buff.weapon_range_add,
        "damage_add": sum(buff.damage_add.values()),
        "damage_vs": attributes(buff.damage_add),
        "first_hit_damage": buff.first_hit_damage,
        "armor_add": buff.armor_add,
        "shield_armor_add": buff.shield_armor_add,
        "taken_add": buff.damage_taken_add,
        "taken_mult": buff.damage_taken_multiplier,
        "taken_manners": codes.bits(HIT_KINDS, buff.damage_kinds or HIT_KINDS),
        "taken_from": traits(buff.damage_from),
        "absorbs": buff.absorbs,
        "life_rate": buff.life_add / ticks if ticks else 0.0,
        "hp_add": buff.life_max_add,
        "supply": buff.supply_add,
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


def _area_row(area: Effect, names: RowNames, buffs: Mapping[str, Buff]) -> dict[str, Any]:
    first = area.strikes[0] if area.strikes else None
    who = area.who if area.who != "unknown" else _guess(area, buffs)
    return {
        "id": area.id or 0,
        "radius": area.radius,
        "ticks": area.duration_loops or 0.0,
        "delay": area.delay_loops or 0.0,
        "who": codes.code(SIDES, who),
        "must_be": traits(area.only),
        "must_not_be": traits(area.never),
        "follows": codes.code(FOLLOWS, area.follows) if area.follows else codes.FOLLOWS_NOBODY,
        "reveals": area.reveals,
        "buff": names.buffs.get(area.buff or "", -1),
        "times": (first.times or 0) if first else 0,
        "period": (first.period_loops or 0.0) if first else 0.0,
        "then": names.areas.get(area.then or "", -1),
    }
