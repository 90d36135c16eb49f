"""From facts to tables: abilities, the tables of their mechanics, and which type has which."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.data import vocabulary as words
from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.data.mechanics import MECHANICS as WORDS
from terrarium.engine import codes
from terrarium.engine.battle import N_COOLDOWNS
from terrarium.engine.records import Records, records
from terrarium.engine.tables.mechanics.impact import IMPACT, has_impact, impact_row
from terrarium.engine.tables.mechanics.registry import MECHANICS
from terrarium.engine.tables.mechanics.table import mechanic_tables
from terrarium.engine.tables.mechanics.teleport import phases_of_teleport
from terrarium.engine.tables.names import RowNames, record, traits
from terrarium.engine.tables.rules import ABILITY

_PHASES = {
    "approach": 1 << codes.APPROACH,
    "prep": 1 << codes.PREP,
    "cast": 1 << codes.INTRO | 1 << codes.OUTRO,
    "channel": 1 << codes.CHANNELING,
    "finish": 1 << codes.FINISH,
}


def compile_abilities(
    facts: RuleSet,
    names: RowNames,
    first_hits: Mapping[str, int],
    spans: list[tuple[int, int]],
) -> dict[str, Any]:
    """The tables of abilities, by the field of `Rules`.

    `first_hits` says where the hits of each lie, `spans` where the changes.
    """
    tables = _Tables(facts, names)
    slots = _cooldown_slots(facts)
    abilities = records(max(1, len(facts.abilities)), ABILITY)
    for row, ability in enumerate(facts.abilities.values()):
        values = _row(ability, names) | {
            "params": tables.params(ability),
            "impact": tables.impact(ability),
            "cooldown_slot": slots[ability.name],
            "first_hit": first_hits.get(f"ability {ability.name}", -1),
            "first_change": spans[row][0],
            "n_changes": spans[row][1],
        }
        abilities[row] = record(ABILITY, values)
    return {"abilities": abilities, **tables.compiled()}


class _Tables:
    """Collects the rows of all mechanics, a table for each field of `Rules`."""

    def __init__(self, facts: RuleSet, names: RowNames) -> None:
        self._facts, self._names = facts, names
        tables = [mechanic.table for mechanic in MECHANICS.values() if mechanic.table]
        self._layouts = {table.field: table.layout for table in tables} | {"impacts": IMPACT}
        self._rows: dict[str, list[Any]] = {field: [] for field in self._layouts}

    def params(self, ability: Ability) -> int:
        """The row of an ability in the table of its mechanic; -1 = it has no table."""
        table = MECHANICS[ability.kind].table
        if table is None:
            return -1
        return self._add(table.field, table.row(ability, self._facts, self._names))

    def impact(self, ability: Ability) -> int:
        return self._add("impacts", impact_row(ability)) if has_impact(ability) else -1

    def _add(self, field: str, values: Mapping[str, Any]) -> int:
        rows = self._rows[field]
        rows.append(record(self._layouts[field], values))
        return len(rows) - 1

    def compiled(self) -> dict[str, Any]:
        tables: dict[str, Records] = {}
        for field, rows in self._rows.items():
            tables[field] = records(max(1, len(rows)), self._layouts[field])
            for k, row in enumerate(rows):
                tables[field][k] = row
        return {"impacts": tables.pop("impacts"), "mechanics": mechanic_tables()(**tables)}


def _row(ability: Ability, names: RowNames) -> dict[str, Any]:
    """What all abilities have, whatever their mechanic."""
    return {
        "id": ability.id or 0,
        "mechanic": codes.code(WORDS, ability.kind),
        "aim": codes.code(words.ABILITY_TARGETS, ability.target),
        "of": names.abilities.get(ability.of or "", codes.NO_ABILITY),
        "flag_bits": codes.bits(words.ABILITY_FLAGS, ability.flags),
        "energy": ability.energy,
        "life": ability.life,
        "minerals": ability.minerals,
        "nukes": int(ability.uses_up is not None),
        "needs": 0,  # follows from the needs of products
        "cooldown": ability.cooldown_loops,
        "cooldown_from": codes.code(words.COOLDOWN_STARTS, ability.cooldown_from),
        "prep": ability.prep_loops or 0.0,
        "intro": ability.cast_intro_loops or 0.0,
        "outro": ability.cast_outro_loops or 0.0,
        "channel": ability.channel_loops or 0.0,
        "finish": ability.finish_loops or 0.0,
        "delay": ability.delay_loops or 0.0,
        "fall": ability.fall_loops or 0.0,
        **phases_of_teleport(ability),
        "locked": sum(_PHASES[phase] for phase in ability.uninterruptible),
        "range": ability.range or 0.0,
        "slop": ability.range_slop or 0.0,
        "break_range": ability.break_range or 0.0,
        "autocast": codes.code(words.AUTOCASTS, ability.autocast),
        "autocast_range": ability.autocast_range or 0.0,
        "must_be": traits(ability.must_be),
        "must_not_be": traits(ability.must_not_be),
        "n_hits": len(ability.strikes),
        "buff": names.buffs.get(ability.buff or "", -1),
        "user_buff": names.buffs.get(ability.user_buff or "", -1),
        "area": names.areas.get(ability.effect or "", -1),
    }


@dataclass(frozen=True)
class Kits:
    """[T, K] the abilities of each type, and the upgrades that each of them needs."""

    kit: NDArray[np.int64]
    kit_needs: NDArray[np.int64]


def compile_kits(facts: RuleSet, names: RowNames) -> Kits:
    """Which type has which abilities, in the order of the facts."""
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
    return Kits(rows, needs)


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
