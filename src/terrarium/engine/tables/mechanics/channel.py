"""Channel: the user is bound for a time, and the outcome comes meanwhile or at the end."""

from typing import Any

import numpy as np

from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.engine.tables.mechanics.table import MechanicTable
from terrarium.engine.tables.names import RowNames

CHANNEL = np.dtype([("energy_gain", "f8")], align=True)  # of the user, if nothing breaks it


def _row(ability: Ability, facts: RuleSet, names: RowNames) -> dict[str, Any]:
    return {"energy_gain": ability.restore.energy_gain if ability.restore else 0.0}


TABLE = MechanicTable("channels", CHANNEL, _row)
