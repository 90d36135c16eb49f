"""What units can use now, what they are using, and what of it is on its way."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from terrarium.engine import codes
from terrarium.engine.records import Records
from terrarium.engine.simulator import Simulator
from terrarium.engine.tables.rules import ONLY_WHEN_EMPTY
from terrarium.envs.players.unit_tables import Tables
from terrarium.tactics.view import Bools, Floats, Hazards, Ints

MAX_HAZARDS = 8
"""of one battle; beyond them the last ones are not seen"""
AT_LEISURE = (codes.REPAIR, codes.HEALING)
"""abilities that go on until another order comes: nothing is spoiled by one"""
_BEFORE = ("prep", "intro", "outro", "leave", "morph_ticks")


@dataclass(frozen=True)
class Skills:
    """By the name of an ability, [N, A]."""

    can: Mapping[str, Bools]
    casts: Mapping[str, Bools]
    ranges: Mapping[str, float]
    windups: Mapping[str, float]


def own_abilities(sim: Simulator, kinds: Ints) -> tuple[str, ...]:
    """The names of all abilities that units of these types can be ordered to use."""
    rows = np.unique(sim.rules.kit[np.unique(kinds)])
    names = list(sim.known.abilities)
    return tuple(
        names[row] for row in rows if row >= 0 and sim.rules.abilities["kind"][row] != codes.PASSIVE
    )


def skills_of(sim: Simulator, slots: Ints, units: Records) -> Skills:
    """Whether each unit may use each ability, by the rules of engine/permission.py."""
    at = np.arange(len(slots))[:, None]
    skills = {
        name: sim.games.skills[name][at, slots] for name in ("cast", "ready", "locks", "load")
    }
    orders = {name: sim.games.orders[name][at, slots, 0] for name in ("kind", "ability")}
    player = sim.players[:, :1]
    buffs = sim.games.buffs["row"][at, slots]  # [N, A, B]
    ordered = (units["n_orders"] > 0) & (orders["kind"] == codes.CAST)
    can, casts, ranges, windups = {}, {}, {}, {}
    for name in own_abilities(sim, units["kind"]):
        row = sim.known.abilities[name]
        ability = sim.rules.abilities[row]
        place = sim.rules.kit == row  # [T, K]
        has = place.any(axis=1)[units["kind"]]
        needs = np.where(place, sim.rules.kit_needs, 0).sum(axis=1)[units["kind"]]
        ok = has & ((player["techs"] & needs) == needs)
        if ability["kind"] != codes.END:
            ok &= (units["status"] & codes.SILENCED) == 0
        if ability["cooldown"] > 0.0:
            ready = skills["ready"][..., int(ability["cooldown_slot"])]
            ok &= ready <= sim.ticks[:, None]
        ok &= units["energy"] >= ability["energy"]
        ok &= (ability["life"] <= 0.0) | (units["hp"] > ability["life"])
        ok &= player["minerals"] >= ability["minerals"]
        ok &= player["nukes"] >= ability["nukes"]
        if ability["kind"] == codes.LOCK_ON:
            ok &= ~skills["locks"]
        if ability["kind"] == codes.TOGGLE:
            ok &= ~(buffs == ability["buff"]).any(axis=-1)
        if ability["kind"] == codes.END:
            began = (skills["cast"] == ability["of"]) | skills["locks"]
            buff = int(sim.rules.abilities["buff"][ability["of"]])
            ok &= began | ((buffs == buff).any(axis=-1) & (buff >= 0))
        if ability["kind"] == codes.UNLOAD:
            ok &= skills["load"] > 0
        if int(ability["habits"]) & ONLY_WHEN_EMPTY:
            ok &= skills["load"] == 0
        is_load = ability["kind"] == codes.LOAD
        can[name] = ok
        casts[name] = (skills["cast"] == row) | (ordered & (orders["ability"] == row))
        ranges[name] = float(ability["load_range"] if is_load else ability["range"])
        windups[name] = float(sum(ability[phase] for phase in _BEFORE))
    return Skills(can, casts, ranges, windups)


def busy_units(sim: Simulator, slots: Ints, units: Records) -> Bools:
    """[N, A] who changes its form, or is in a phase of an ability that an order would spoil."""
    cast = sim.games.skills["cast"][np.arange(len(slots))[:, None], slots]
    at_leisure = np.isin(sim.rules.abilities["kind"][cast], AT_LEISURE)
    casting = (units["status"] & codes.CASTING != 0) & (cast >= 0) & ~at_leisure
    return np.asarray(casting | (units["status"] & codes.MORPHING != 0))


def damage_under_way(sim: Simulator) -> Floats:
    """[N, slots] what missiles that are in the air will take from each unit."""
    rules, incoming = sim.rules, np.zeros((sim.n_envs, sim.n_slots))
    effects = sim.games.effects[:, : _n_effects(sim)]
    stage = effects["stage"]
    flies = (stage == codes.FLYING) | (stage == codes.SPELL_FLYING)
    there = np.arange(effects.shape[1]) < sim.games.clock["n_effects"]
    e, k = np.nonzero(there & flies & (effects["target"] >= 0))
    if not len(e):
        return incoming
    effect = effects[e, k]
    spell = effect["stage"] == codes.SPELL_FLYING
    ability = np.maximum(effect["ability"], 0)
    hit = np.where(spell, rules.abilities["first_hit"][ability], effect["hit"])
    strikes = ~spell | (rules.abilities["n_hits"][ability] > 0)
    kind = sim.units["kind"][e, effect["target"]]
    armor = np.where(rules.hits["armor_applies"][hit], sim.units["armor"][e, effect["target"]], 0.0)
    damage = np.maximum(rules.damage[hit, kind] - armor, 0.5) * strikes
    np.add.at(incoming, (e, effect["target"]), damage)
    return incoming


def hazards_for(sim: Simulator, tables: Tables, owner: int) -> Hazards:
    """What lies or falls on the ground and hurts units of a side."""
    rules, n = sim.rules, sim.n_envs
    hazards = Hazards(*(np.zeros((n, MAX_HAZARDS, *tail)) for tail in ((2,), (), (), ())))
    effects = sim.games.effects[:, : _n_effects(sim)]
    there = np.arange(effects.shape[1]) < sim.games.clock["n_effects"]
    slow = (effects["stage"] == codes.LYING) | (effects["stage"] == codes.DELAYED)
    count = np.zeros(n, np.int64)
    for e, k in np.argwhere(there & slow):
        effect = effects[e, k]
        ability, area = int(effect["ability"]), int(effect["area"])
        lies = effect["stage"] == codes.LYING
        strike = int(rules.areas["strike"][area]) if lies and area >= 0 else -1
        blast = float(tables.blast[ability]) if ability >= 0 else 0.0
        radius = float(rules.areas["radius"][area]) if strike >= 0 else blast
        first = int(rules.abilities["first_hit"][ability]) if ability >= 0 else -1
        hit = strike if strike >= 0 else first
        harmless = effect["owner"] == owner and not (hit >= 0 and rules.hits["hits_own"][hit])
        if radius <= 0.0 or hit < 0 or harmless or count[e] == MAX_HAZARDS:
            continue
        times = effect["timer"] / max(float(rules.areas["period"][area]), 1.0) if strike >= 0 else 1
        at = "x" if lies else "aim_x", "y" if lies else "aim_y"
        h = count[e]
        hazards.pos[e, h] = effect[at[0]], effect[at[1]]
        hazards.radius[e, h], hazards.ticks[e, h] = radius, effect["timer"]
        hazards.damage[e, h] = rules.damage[hit].max() * max(times, 1.0)
        count[e] += 1
    return hazards


def _n_effects(sim: Simulator) -> int:
    return max(1, int(sim.games.clock["n_effects"].max()))
