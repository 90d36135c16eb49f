"""The mechanics that abilities may have, read from `mechanics.toml`."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path

from terrarium.data.tables import Table


@dataclass(frozen=True)
class MechanicFacts:
    """What the data of an ability has to say for its mechanic."""

    meaning: str
    needs: tuple[str, ...]
    """keys that its abilities cannot do without"""
    owns: tuple[str, ...]
    """such keys that abilities of other mechanics do not have"""
    numbers: tuple[str, ...]
    """keys of its own for numbers, which it needs too (`Ability.numbers`)"""


def _read(file: Path) -> Mapping[str, MechanicFacts]:
    tables = Table.read(file)
    mechanics = {}
    for word in tables.values:
        table = tables.table(word)
        table.only(field.name for field in fields(MechanicFacts))
        mechanics[word] = MechanicFacts(
            meaning=table.text("meaning"),
            needs=_keys(table, "needs"),
            owns=_keys(table, "owns"),
            numbers=_keys(table, "numbers"),
        )
    return mechanics


def _keys(table: Table, key: str) -> tuple[str, ...]:
    return tuple(str(name) for name in table.array(key)) if table.has(key) else ()


MECHANICS: Mapping[str, MechanicFacts] = _read(Path(__file__).with_name("mechanics.toml"))
"""By the word that an ability's `kind` uses."""
