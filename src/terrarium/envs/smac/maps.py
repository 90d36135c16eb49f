"""What SMAC's map registry says, told from our scenarios."""

from typing import Any

from terrarium.data.battles.scenario import Scenario
from terrarium.data.battles.scenarios import load_scenario, scenario_names
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.envs.members import n_members
from terrarium.envs.scenario_tables import smac_of
from terrarium.errors import TerrariumError, nearest

GENERATED = {f"10gen_{race}": f"smacv2/{race}_10_vs_10" for race in ("terran", "protoss", "zerg")}
"""SMACv2's own map names, and the scenario with what its registry says of them: ten against ten,
whatever a configuration makes of it"""


def get_smac_map_registry() -> dict[str, dict[str, Any]]:
    """SMAC's maps by their names."""
    return {name.split("/")[1]: _params(load_scenario(name)) for name in scenario_names("smac")}


def get_smacv2_map_registry() -> dict[str, dict[str, Any]]:
    """SMACv2's maps by their names: SMAC's, and those whose teams are drawn."""
    drawn = {name: _params(load_scenario(scenario)) for name, scenario in GENERATED.items()}
    return get_smac_map_registry() | drawn


def get_map_params(map_name: str) -> dict[str, Any]:
    """Sizes, time limit, races and type bits of a map, with SMAC's keys."""
    registry = get_smacv2_map_registry()
    if map_name not in registry:
        raise TerrariumError(
            f'unknown map "{map_name}".{nearest(map_name, registry)} Allowed: {", ".join(registry)}'
        )
    return registry[map_name]


def map_present(map_name: str) -> bool:
    """Is there a map of this name?"""
    return map_name in get_smacv2_map_registry()


def _params(scenario: Scenario) -> dict[str, Any]:
    smac = smac_of(scenario, load_ruleset(scenario.rules))
    n_agents, n_enemies = n_members(scenario)
    return {
        "n_agents": n_agents,
        "n_enemies": n_enemies,
        "limit": scenario.limit_steps,
        "a_race": smac.ally_race[0],
        "b_race": smac.enemy_race[0],
        "unit_type_bits": smac.unit_type_bits,
        "map_type": smac.map_type,
    }
