"""What a mechanic says of its table, and the bundle of all of these tables."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, NamedTuple

import numpy as np

from terrarium.data.facts.ability_facts import Ability
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.engine.records import Records
from terrarium.engine.tables.names import RowNames


@dataclass(frozen=True)
class MechanicTable:
    """A field of `Rules.mechanics` with one row for each ability of the mechanic."""

    field: str
    layout: np.dtype[Any]
    row: Callable[[Ability, RuleSet, RowNames], Mapping[str, Any]]


@cache
def mechanic_tables() -> Any:
    """The bundle of all tables of mechanics, a field for each that the registry has.

    It is made when it is first asked for: the registry names kernels, and these name `Rules`.
    """
    from terrarium.engine.tables.mechanics.registry import MECHANICS

    tables = [mechanic.table for mechanic in MECHANICS.values() if mechanic.table]
    fields = {table.field: Annotated[Records, table.layout, "M"] for table in tables}
    return NamedTuple("MechanicTables", list(fields.items()))
