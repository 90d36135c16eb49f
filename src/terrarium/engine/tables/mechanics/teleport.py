"""Teleport: the user, or a group, vanishes and appears elsewhere."""

from typing import Any

import numpy as np

from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.engine.tables.mechanics.table import MechanicTable
from terrarium.engine.tables.names import RowNames

TELEPORT = np.dtype(
    [
        ("distance", "f8"),  # at most this far; 0 = as far as the range
        ("radius", "f8"),  # whom it takes along; 0 = the user goes
        ("leave", "f8"),  # ticks before the journey
        ("settle", "f8"),  # ticks after it
    ],
    align=True,
)


def _row(ability: Ability, facts: RuleSet, names: RowNames) -> dict[str, Any]:
    jump = ability.teleport
    assert jump is not None, ability.name
    return {
        "distance": jump.distance or 0.0,
        "radius": jump.radius or 0.0,
        "leave": jump.leave_loops or 0.0,
        "settle": jump.settle_loops or 0.0,
    }


TABLE = MechanicTable("teleports", TELEPORT, _row)


def phases_of_teleport(ability: Ability) -> dict[str, float]:
    """Phases of the cast: a long jump is a channel in which nothing can touch the user; a wind-up
    may come before it."""
    jump = ability.teleport
    if jump is None or not jump.travel_loops:
        return {}
    return {
        "outro": (ability.cast_outro_loops or 0.0) if ability.finish_loops else 0.0,
        "channel": (jump.leave_loops or 0.0) + jump.travel_loops + (jump.settle_loops or 0.0),
        "finish": 0.0,
    }
