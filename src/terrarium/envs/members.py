"""Who may take part in a scenario's battles, as its file says before any has begun."""

from terrarium.data.battles.armies import side_units
from terrarium.data.battles.groups import group_size
from terrarium.data.battles.scenario import Scenario
from terrarium.data.facts.forms import forms_of
from terrarium.data.facts.rulesets import load_ruleset


def n_members(scenario: Scenario) -> tuple[int, int]:
    """How many agents and enemies there are, at most where armies are drawn."""
    if armies := scenario.armies:
        return armies.max_units, armies.max_units
    if generator := scenario.generator:
        return generator.n_allies, generator.n_enemies
    counts = {"ally": 0, "enemy": 0}
    for group in scenario.groups:
        counts[group.side] += group_size(group)
    return counts["ally"], counts["enemy"]


def possible_allies(scenario: Scenario) -> set[str]:
    """Unit types that agents may have, in all of their forms."""
    rules = load_ruleset(scenario.rules)
    names = side_units(scenario, rules)["ally"]
    return {form for name in names for form in forms_of(rules, name)}
