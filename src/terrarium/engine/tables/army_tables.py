"""Tables of what armies are drawn from: recruits by race, and the upgrades that serve them."""

from collections.abc import Mapping
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrarium.data.battles.scenario import Armies
from terrarium.data.facts.forms import fighting_value, users_of_upgrade
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.data.vocabulary import RACES
from terrarium.engine.records import Records, records

NONE = -1

RECRUIT = np.dtype([("kind", "i8"), ("race", "i8"), ("weight", "f8"), ("cost", "f8")], align=True)
RESEARCH = np.dtype(
    [("upgrade", "i8"), ("race", "i8"), ("needs", "i8")],  # `needs`: the level below, or NONE
    align=True,
)
TERMS = np.dtype(
    [
        ("max_units", "i8"),
        ("least_value", "f8"),
        ("most_value", "f8"),
        ("handicap", "f8"),
        ("upgrade_chance", "f8"),
    ],
    align=True,
)


class ArmyTables(NamedTuple):
    """Random armies, for kernels; all empty where a scenario draws none."""

    terms: Annotated[Records, TERMS, "1"]
    recruits: Annotated[Records, RECRUIT, "M"]
    races: Annotated[NDArray[np.int64], "i8", "2 3"]  # which races a side may have; NONE fills up
    research: Annotated[Records, RESEARCH, "R"]  # lower levels first
    useful: Annotated[NDArray[np.bool_], "?", "R T"]  # to which unit types


def compile_armies(armies: Armies | None, facts: RuleSet, rows: Mapping[str, int]) -> ArmyTables:
    """Turn what a scenario says of its random armies into tables."""
    weights = armies.weights if armies else {}
    upgrades = _upgrades(armies, facts)
    tables = ArmyTables(
        terms=records(1, TERMS),
        recruits=records(len(weights), RECRUIT),
        races=np.full((2, len(RACES)), NONE, np.int64),
        research=records(len(upgrades), RESEARCH),
        useful=np.zeros((len(upgrades), len(rows)), np.bool_),
    )
    if armies is None:
        return tables
    tables.terms[0] = (
        armies.max_units,
        *armies.value,
        armies.handicap,
        armies.upgrade_chance,
    )
    for m, (name, weight) in enumerate(weights.items()):
        race = RACES.index(facts.units[name].race)
        tables.recruits[m] = (rows[name], race, weight, fighting_value(facts, name))
    for side, army in enumerate((armies.ally, armies.enemy)):
        tables.races[side, : len(army.races)] = [RACES.index(race) for race in army.races]
    order = list(facts.upgrades)
    for r, name in enumerate(upgrades):
        upgrade = facts.upgrades[name]
        below = upgrade.requires[0] if upgrade.requires else None
        needs = upgrades.index(below) if below else NONE
        tables.research[r] = (order.index(name), RACES.index(upgrade.race), needs)
        for unit in users_of_upgrade(facts, name):
            tables.useful[r, rows[unit]] = True
    return tables


def _upgrades(armies: Armies | None, facts: RuleSet) -> list[str]:
    """Those that one of the units that may be drawn could use."""
    if armies is None or armies.upgrade_chance == 0.0:
        return []
    drawn = set(armies.weights)
    return [name for name in facts.upgrades if users_of_upgrade(facts, name) & drawn]
