"""Lock-on: the user hits one target again and again, and may move meanwhile."""

from typing import Any

import numpy as np

from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.engine.tables.mechanics.table import MechanicTable
from terrarium.engine.tables.names import RowNames

LOCK = np.dtype(
    [
        ("times", "i8"),  # how often it hits
        ("period", "f8"),  # ticks from one hit to the next
    ],
    align=True,
)


def _row(ability: Ability, facts: RuleSet, names: RowNames) -> dict[str, Any]:
    (strike,) = ability.strikes
    return {"times": strike.times or 1, "period": strike.period_loops or 0.0}


TABLE = MechanicTable("locks", LOCK, _row)
