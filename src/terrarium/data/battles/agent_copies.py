"""SMAC's copies of unit types: its maps bring types of their own for the agents."""

from collections.abc import Iterable, Mapping

from terrarium.data.battles.armies import side_units
from terrarium.data.battles.scenario import Scenario
from terrarium.data.facts.rulesets import load_ruleset

FIRST_COPY = 2005
"""Ids of copies come after those of the game's own types: 2005 in version 4.10."""
SMACV2_COPIES = (
    *("baneling", "colossus", "hydralisk", "marauder", "marine"),
    *("medivac", "stalker", "zealot", "zergling"),
)


def agent_copies(scenario: Scenario) -> Mapping[str, int]:
    """Ids of the copies that a map has, in the order of the alphabet: a map of SMAC has those that
    its agents need, one of SMACv2 all nine."""
    names: Iterable[str] = ()
    if scenario.smac:
        names = SMACV2_COPIES
        if scenario.groups:
            rules = load_ruleset(scenario.rules)
            allies = side_units(scenario, rules)["ally"]
            names = sorted({rules.units[name].known_as for name in allies})
    return {name: FIRST_COPY + place for place, name in enumerate(names)}
