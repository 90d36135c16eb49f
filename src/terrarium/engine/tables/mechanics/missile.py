"""Missile: something flies to a unit or a point and has its outcome there."""

from typing import Any

import numpy as np

from terrarium.data.facts.ability_facts import Ability, Flight
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.engine.tables.mechanics.table import MechanicTable
from terrarium.engine.tables.names import TICKS_PER_S, RowNames

MISSILE = np.dtype(
    [
        ("speed", "f8"),  # per tick
        ("accel", "f8"),  # per tick and tick
        ("lost_after", "f8"),  # ticks of flight; 0 = never
    ],
    align=True,
)

UNKNOWN_SPEED = 16.0
"""Where the sources say that something flies and not how fast (docs/fidelity.md)."""


def flight_speed(flight: Flight | None) -> float:
    """Per tick; 0 without a flight."""
    return (flight.max_speed or UNKNOWN_SPEED) / TICKS_PER_S if flight else 0.0


def _row(ability: Ability, facts: RuleSet, names: RowNames) -> dict[str, Any]:
    flight = ability.flight
    assert flight is not None, ability.name
    return {
        "speed": flight_speed(flight),
        "accel": (flight.accel or 0.0) / TICKS_PER_S**2,
        "lost_after": flight.lost_after_loops or 0.0,
    }


TABLE = MechanicTable("missiles", MISSILE, _row)
