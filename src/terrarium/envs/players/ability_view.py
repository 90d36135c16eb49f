"""What units can use now, what they are using, and what of it is on its way."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from terrarium.engine import codes
from terrarium.engine.handles import handle
from terrarium.engine.kernels.orders.permission import Usable, find_usable
from terrarium.engine.records import Records
from terrarium.engine.simulator import Simulator
from terrarium.engine.tables.rules import Rules
from terrarium.envs.players.unit_tables import Tables
from terrarium.tactics.view import Bools, Floats, Hazards, Ints

MAX_HAZARDS = 8
"""of one battle; beyond them the last ones are not seen"""
AT_LEISURE = (codes.REPAIR, codes.HEALING)
"""abilities that go on until another order comes: nothing is spoiled by one"""


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
        names[row]
        for row in rows
        if row >= 0 and sim.rules.abilities["mechanic"][row] != codes.PASSIVE
    )


def skills_of(sim: Simulator, slots: Ints, units: Records) -> Skills:
    """Whether each unit may be ordered to use each ability now, and whether it does."""
    at = np.arange(len(slots))[:, None]
    usable = np.zeros((sim.n_envs, sim.n_slots, sim.rules.kit.shape[1]), np.bool_)
    find_usable(sim.handles, handle(Usable(usable)))
    may_use, kits = usable[at, slots], sim.rules.kit[units["kind"]]  # [N, A, K]
    cast = sim.games.skills["cast"][at, slots]
    first = sim.games.orders[at, slots, 0]
    ordered = (units["n_orders"] > 0) & (first["kind"] == codes.CAST)
    can, casts, ranges, windups = {}, {}, {}, {}
    for name in own_abilities(sim, units["kind"]):
        row = sim.known.abilities[name]
        can[name] = (may_use & (kits == row)).any(axis=-1)
        casts[name] = (cast == row) | (ordered & (first["ability"] == row))
        ranges[name], windups[name] = _range(sim.rules, row), _windup(sim.rules, row)
    return Skills(can, casts, ranges, windups)


def _range(rules: Rules, row: int) -> float:
    ability = rules.abilities[row]
    if ability["mechanic"] == codes.LOAD:
        return float(rules.mechanics.cargo["load_range"][ability["params"]])
    return float(ability["range"])


def _windup(rules: Rules, row: int) -> float:
    """Ticks from the order to the moment that counts."""
    ability = rules.abilities[row]
    ticks = float(ability["prep"] + ability["intro"] + ability["outro"])
    if ability["mechanic"] == codes.TELEPORT:
        ticks += float(rules.mechanics.teleports["leave"][ability["params"]])
    elif ability["mechanic"] == codes.MORPH:
        ticks += float(rules.mechanics.morphs["ticks"][ability["params"]])
    return ticks


def busy_units(sim: Simulator, slots: Ints, units: Records) -> Bools:
    """[N, A] who changes its form, or is in a phase of an ability that an order would spoil."""
    cast = sim.games.skills["cast"][np.arange(len(slots))[:, None], slots]
    at_leisure = np.isin(sim.rules.abilities["mechanic"][cast], AT_LEISURE)
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
    hurts = ~spell | (rules.abilities["n_hits"][ability] > 0)
    kind = sim.units["kind"][e, effect["target"]]
    armor = np.where(rules.hits["armor_applies"][hit], sim.units["armor"][e, effect["target"]], 0.0)
    damage = np.maximum(rules.damage[hit, kind] - armor, 0.5) * hurts
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
        hit = int(rules.areas["hit"][area]) if lies and area >= 0 else -1
        blast = float(tables.blast[ability]) if ability >= 0 else 0.0
        repeats = hit >= 0
        radius = float(rules.areas["radius"][area]) if repeats else blast
        if not repeats and ability >= 0:
            hit = int(rules.abilities["first_hit"][ability])
        harmless = effect["owner"] == owner and not (hit >= 0 and rules.hits["hits_own"][hit])
        if radius <= 0.0 or hit < 0 or harmless or count[e] == MAX_HAZARDS:
            continue
        times = effect["timer"] / max(float(rules.areas["period"][area]), 1.0) if repeats else 1
        at = "x" if lies else "aim_x", "y" if lies else "aim_y"
        h = count[e]
        hazards.pos[e, h] = effect[at[0]], effect[at[1]]
        hazards.radius[e, h], hazards.ticks[e, h] = radius, effect["timer"]
        hazards.damage[e, h] = rules.damage[hit].max() * max(times, 1.0)
        count[e] += 1
    return hazards


def _n_effects(sim: Simulator) -> int:
    return max(1, int(sim.games.clock["n_effects"].max()))
