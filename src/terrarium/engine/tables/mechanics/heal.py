"""Heal: shields come back over time, for energy. A healing beam stands in the user's type."""

from typing import Any

import numpy as np

from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.engine.tables.mechanics.table import MechanicTable
from terrarium.engine.tables.names import TICKS_PER_S, RowNames

RECHARGE = np.dtype(
    [
        ("shield_rate", "f8"),  # per tick; 0 = it restores life, not shields
        ("energy_per_shield", "f8"),
    ],
    align=True,
)


def _row(ability: Ability, facts: RuleSet, names: RowNames) -> dict[str, Any]:
    restore = ability.restore
    return {
        "shield_rate": (restore.shields_per_s or 0.0) / TICKS_PER_S if restore else 0.0,
        "energy_per_shield": (restore.energy_per_shield or 0.0) if restore else 0.0,
    }


TABLE = MechanicTable("recharges", RECHARGE, _row)
