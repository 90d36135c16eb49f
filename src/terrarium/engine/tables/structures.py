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
    for row, unit in enumerate(facts.units.values()):
        table[row] = record(STRUCTURE, _row(unit, facts, names))
    return table


def _row(unit: Unit, facts: RuleSet, names: RowNames) -> dict[str, Any]:
    stands = unit.footprint is not None and unit.footprint.size is not None
    on_geyser = any(way.how == "build_on_geyser" for way in unit.production)
    is_townhall = "townhall" in unit.traits
    addons = [
        u for u in facts.units.values() if any(_adds(w.how, w.by, unit) for w in u.production)
    ]
    labs = [names.types[u.name] for u in addons if "reactor" not in u.traits]
    reactors = [names.types[u.name] for u in addons if "reactor" in u.traits]
    return {
        "shuns_creep": stands and not on_geyser and unit.race in ("Terran", "Protoss"),
        "keeps_off": stands and is_townhall,
        "bare": "no_armor_while_constructing" in unit.flags,
        "burns": unit.race == "Terran" and "counts_against_defeat" in unit.flags,
        "lab": labs[0] if labs else NONE,
        "reactor": reactors[0] if reactors else NONE,
        "alone": _alone(unit, facts, names),
    }


def _adds(how: str, by: int, unit: Unit) -> bool:
    return how == "addon" and by == unit.id


def _alone(unit: Unit, facts: RuleSet, names: RowNames) -> int:
    """Add-ons count as the generic one that they become when they are left alone."""
    if unit.kind != "addon":
        return NONE
    generic = [u for u in facts.units.values() if u.id in unit.api.tech_alias]
    return names.types[generic[0].name if generic else unit.name]
