"""Structures as tables: what they ask of the place where they stand, and what add-ons turn into."""

from typing import Any

import numpy as np

from terrarium.data.facts.unit_facts import RuleSet, Unit
from terrarium.engine.records import Records, records
from terrarium.engine.tables.names import RowNames, record

NONE = -1
STRUCTURE = np.dtype(
    [
        ("shuns_creep", "?"),  # may not be placed on it
        ("keeps_off", "?"),  # resources, by the cells around them
        ("bare", "?"),  # has no armor before it is finished
        ("burns", "?"),  # below a third of its life
        ("lab", "i8"),  # row of Rules.types that a tech lab beside it is; -1 = has no add-ons
        ("reactor", "i8"),
        ("alone", "i8"),  # what this add-on is without a producer; -1 = it is no add-on
    ],
    align=True,
)


def compile_structures(facts: RuleSet, names: RowNames) -> Records:
    """A row for each unit type."""
    table = records(len(facts.units), STRUCTURE)
    addons = _addons(facts)
    for row, unit in enumerate(facts.units.values()):
        values = _row(unit, addons.get(unit.id, []), names)
        table[row] = record(STRUCTURE, values | {"alone": _alone(unit, facts, names)})
    return table


def _addons(facts: RuleSet) -> dict[int, list[Unit]]:
    """What is built onto a structure, by its id."""
    addons: dict[int, list[Unit]] = {}
    for unit in facts.units.values():
        for by in dict.fromkeys(way.by for way in unit.production if way.how == "addon"):
            addons.setdefault(by, []).append(unit)
    return addons


def _row(unit: Unit, addons: list[Unit], names: RowNames) -> dict[str, Any]:
    stands = unit.footprint is not None and unit.footprint.size is not None
    on_geyser = any(way.how == "build_on_geyser" for way in unit.production)
    is_townhall = "townhall" in unit.traits
    labs = [names.types[u.name] for u in addons if "reactor" not in u.traits]
    reactors = [names.types[u.name] for u in addons if "reactor" in u.traits]
    return {
        "shuns_creep": stands and not on_geyser and unit.race in ("Terran", "Protoss"),
        "keeps_off": stands and is_townhall,
        "bare": "no_armor_while_constructing" in unit.flags,
        "burns": unit.race == "Terran" and "counts_against_defeat" in unit.flags,
        "lab": labs[0] if labs else NONE,
        "reactor": reactors[0] if reactors else NONE,
    }


def _alone(unit: Unit, facts: RuleSet, names: RowNames) -> int:
    """Add-ons count as the generic one that they become when they are left alone."""
    if unit.kind != "addon":
        return NONE
    generic = [u for u in facts.units.values() if u.id in unit.api.tech_alias]
    return names.types[generic[0].name if generic else unit.name]
