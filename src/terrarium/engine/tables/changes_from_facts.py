"""From facts to tables: upgrades, and the numbers that they change."""

from collections.abc import Iterator, Mapping
from typing import Any

from terrarium.data.facts.unit_facts import RuleSet
from terrarium.data.facts.upgrade_facts import Change, Upgrade
from terrarium.data.vocabulary import CHANGE_OPS
from terrarium.engine import codes
from terrarium.engine.records import Records, records
from terrarium.engine.tables.names import TICKS_PER_S, RowNames, family_of
from terrarium.engine.tables.rules import CHANGE, UPGRADE

Spans = Mapping[str, list[tuple[int, int]]]
"""For each row of types, abilities and buffs: its first change, and how many there are."""

FIELDS = {
    "hp": codes.CHANGES_HP,
    "armor": codes.CHANGES_ARMOR,
    "shield_armor": codes.CHANGES_SHIELD_ARMOR,
    "speed": codes.CHANGES_SPEED,
    "acceleration": codes.CHANGES_ACCELERATION,
    "energy_start": codes.CHANGES_ENERGY_START,
    "cargo_capacity": codes.CHANGES_CARGO,
    "range": codes.CHANGES_RANGE,
    "attack_rate_multiplier": codes.CHANGES_RATE,
    "cooldown_loops": codes.CHANGES_COOLDOWN,
    "morph_loops": codes.CHANGES_MORPH,
    "circle_radius": codes.CHANGES_CIRCLE,
    "speed_creep_multiplier": codes.CHANGES_CREEP_SPEED,
    "speed_multiplier": codes.CHANGES_SPEED,
    "acceleration_multiplier": codes.CHANGES_ACCELERATION,
}
_SCALES = {
    codes.CHANGES_SPEED: 1.0 / TICKS_PER_S,
    codes.CHANGES_ACCELERATION: 1.0 / TICKS_PER_S**2,
}
IN_DAMAGE_TABLES = frozenset({"damage", "bonus", "damage_vs_structures"})
NOT_YET = frozenset({"scan_range", "line.steps", "max_units", "energy_regen_per_s"})
"""Fields that no rule reads. A longer range lengthens the look-out anyway, and the room of a
carrier limits its passengers; longer spines and faster energy await their turn."""


def compile_upgrades(facts: RuleSet, names: RowNames) -> Records:
    """A row for each upgrade."""
    table = records(max(1, len(facts.upgrades)), UPGRADE)
    for row, upgrade in enumerate(facts.upgrades.values()):
        table[row] = (*_key(upgrade, names), upgrade.minerals, upgrade.vespene)
    return table


def compile_changes(facts: RuleSet, names: RowNames) -> tuple[Records, Spans]:
    """Every number that an upgrade changes, sorted by what it belongs to."""
    lists: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
    for subject, row in _changes(facts, names):
        lists.setdefault(subject, []).append(row)
    table = records(max(1, sum(map(len, lists.values()))), CHANGE)
    spans: dict[str, list[tuple[int, int]]] = {}
    n = 0
    subjects = {"unit": facts.units, "ability": facts.abilities, "buff": facts.buffs}
    for of, all_names in subjects.items():
        spans[of] = []
        for name in all_names:
            rows = lists.get((of, name), [])
            spans[of].append((n, len(rows)))
            for row in rows:
                table[n] = row
                n += 1
    return table, spans


def _changes(facts: RuleSet, names: RowNames) -> Iterator[tuple[tuple[str, str], tuple[Any, ...]]]:
    for upgrade in facts.upgrades.values():
        for change in upgrade.changes:
            if _is_elsewhere(change, upgrade.family):
                continue
            field = FIELDS[change.field]
            scaled = change.op != "multiply" and change.of != "buff"
            value = change.value * (_SCALES.get(field, 1.0) if scaled else 1.0)
            of = "unit" if change.of == "weapon" else change.of
            row = (*_key(upgrade, names), field, codes.code(CHANGE_OPS, change.op), value)
            for name in change.names:
                yield (of, name), row


def _key(upgrade: Upgrade, names: RowNames) -> tuple[int, int, int]:
    """What tells whether a player has an upgrade: its bit, or the level of its family."""
    return names.techs.get(upgrade.name, 0), family_of(upgrade.family), upgrade.level or 0


def _is_elsewhere(change: Change, family: str | None) -> bool:
    if change.field in IN_DAMAGE_TABLES or change.field in NOT_YET:
        return True
    # Levels of armor are a step in the type's own row.
    return family is not None and change.field in ("armor", "shield_armor")
