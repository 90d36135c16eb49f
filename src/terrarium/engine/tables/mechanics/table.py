"""What a mechanic says of its table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.engine.tables.names import RowNames


@dataclass(frozen=True)
class MechanicTable:
    """A field of `Rules` with one row for each ability of the mechanic."""

    field: str
    layout: np.dtype[Any]
    row: Callable[[Ability, RuleSet, RowNames], Mapping[str, Any]]
