"""Morph: the user becomes another type."""

from typing import Any

import numpy as np

from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.engine.tables.mechanics.table import MechanicTable
from terrarium.engine.tables.names import RowNames

MORPH = np.dtype(
    [
        ("becomes", "i8"),  # row of Rules.types
        ("ticks", "f8"),
        ("delay_low", "f8"),  # a delay drawn from this interval comes first
        ("delay_high", "f8"),
        ("acts_after", "f8"),  # ticks from the order to the first shot of the new form
    ],
    align=True,
)


def _row(ability: Ability, facts: RuleSet, names: RowNames) -> dict[str, Any]:
    morph = ability.morph
    assert morph is not None, ability.name
    low, high = morph.random_extra_loops or (0.0, 0.0)
    return {
        "becomes": names.types[morph.becomes],
        "ticks": morph.loops or 0.0,
        "delay_low": low,
        "delay_high": high,
        "acts_after": morph.acts_after_loops or 0.0,
    }


TABLE = MechanicTable("morphs", MORPH, _row)
