"""Summon: new units appear at a point."""

from typing import Any

import numpy as np

from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.engine.tables.mechanics.missile import flight_speed
from terrarium.engine.tables.mechanics.table import MechanicTable
from terrarium.engine.tables.names import RowNames

SUMMON = np.dtype(
    [
        ("kind", "i8"),  # row of Rules.types
        ("count", "i8"),
        ("ticks", "f8"),  # from the cast until they are there
        ("missile_speed", "f8"),  # per tick, of what brings them to the point; 0 = nothing flies
    ],
    align=True,
)


def _row(ability: Ability, facts: RuleSet, names: RowNames) -> dict[str, Any]:
    summon = ability.summon
    assert summon is not None, ability.name
    return {
        "kind": names.types[summon.unit],
        "count": summon.count,
        "ticks": summon.loops or 0.0,
        "missile_speed": flight_speed(ability.flight),
    }


TABLE = MechanicTable("summons", SUMMON, _row)
