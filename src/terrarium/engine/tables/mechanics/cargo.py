"""Load and unload: a carrier takes units in and lets them out."""

from typing import Any

import numpy as np

from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.engine.tables.mechanics.table import MechanicTable
from terrarium.engine.tables.names import RowNames, traits

CARGO = np.dtype(
    [
        ("max_size", "i8"),  # of one passenger
        ("must_be", "i8"),  # traits of passengers, a bit each
        ("load_range", "f8"),
        ("load_radius", "f8"),  # of loading everything around; 0 = one unit at a time
        ("unload_period", "f8"),  # ticks from one passenger to the next
        ("shared", "?"),  # with all carriers of this kind that the player has
        ("dies", "?"),  # passengers die with their carrier
        ("shoots", "?"),  # passengers shoot from inside
        ("range_add", "f8"),  # this much farther
    ],
    align=True,
)

UNKNOWN_UNLOAD_LOOPS = 8.0
"""The sources do not give the period of Bunkers and Command Centers (docs/fidelity.md)."""


def _row(ability: Ability, facts: RuleSet, names: RowNames) -> dict[str, Any]:
    """An ability that unloads works on the cargo of the one that loaded it."""
    cargo = facts.abilities[ability.of].cargo if ability.of else ability.cargo
    assert cargo is not None, ability.name
    return {
        "max_size": cargo.max_unit_size,
        "must_be": traits(cargo.only),
        "load_range": cargo.load_range,
        "load_radius": cargo.load_all_radius or 0.0,
        "unload_period": cargo.unload_period_loops or UNKNOWN_UNLOAD_LOOPS,
        "shared": cargo.shared,
        "dies": cargo.dies_with_carrier,
        "shoots": cargo.weapon_range_add > 0.0,
        "range_add": cargo.weapon_range_add,
    }


TABLE = MechanicTable("cargo", CARGO, _row)
