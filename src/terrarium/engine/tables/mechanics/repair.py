"""Repair: life comes back over time, for minerals and gas."""

from typing import Any

import numpy as np

from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.engine.tables.mechanics.table import MechanicTable
from terrarium.engine.tables.names import RowNames

REPAIR = np.dtype([("cost_share", "f8")], align=True)  # of the target's cost, for all of its life


def _row(ability: Ability, facts: RuleSet, names: RowNames) -> dict[str, Any]:
    return {"cost_share": (ability.restore.cost_fraction or 0.0) if ability.restore else 0.0}


TABLE = MechanicTable("repairs", REPAIR, _row)
