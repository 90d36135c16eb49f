"""Which row of a table is which fact, and words as bits: what all table builders need."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from terrarium.data import vocabulary as words
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.engine.codes import bits

TICKS_PER_S = 16.0
NO_FAMILY = len(words.UPGRADES)
"""The place of a player's levels that is always 0."""


@dataclass(frozen=True)
class RowNames:
    """Which row is which."""

    types: Mapping[str, int]
    abilities: Mapping[str, int]
    buffs: Mapping[str, int]
    areas: Mapping[str, int]
    upgrades: Mapping[str, int]
    techs: Mapping[str, int]
    """the bit of each upgrade without levels"""


def names_of(facts: RuleSet) -> RowNames:
    """Number the facts of a rule set."""
    single = [name for name, upgrade in facts.upgrades.items() if upgrade.family is None]
    assert len(single) < 63, "the upgrades of a player are the bits of one number"
    return RowNames(
        types=_rows(facts.units),
        abilities=_rows(facts.abilities),
        buffs=_rows(facts.buffs),
        areas=_rows(facts.effects),
        upgrades=_rows(facts.upgrades),
        techs={name: 1 << bit for bit, name in enumerate(single)},
    )


def _rows(facts: Iterable[str]) -> dict[str, int]:
    return {name: row for row, name in enumerate(facts)}


def family_of(name: str | None) -> int:
    """The place of a family of upgrades among a player's levels."""
    return words.UPGRADES.index(name) if name else NO_FAMILY


def traits(names: Iterable[str]) -> int:
    """A bit for each trait."""
    return bits(words.TRAITS, names)


def attributes(names: Iterable[str]) -> int:
    """A bit for each attribute."""
    return bits(words.ATTRIBUTES, names)


def record(dtype: np.dtype[Any], values: Mapping[str, Any]) -> Any:
    """A row with every field stated: a forgotten one is our mistake, not a zero."""
    assert dtype.names is not None
    assert set(values) == set(dtype.names), set(values) ^ set(dtype.names)
    return tuple(values[name] for name in dtype.names)
