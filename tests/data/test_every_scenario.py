"""What every scenario in the folder must satisfy; a new file is picked up by itself."""

import numpy as np
import pytest

from terrarium.data.rulesets import load_ruleset
from terrarium.data.scenario import Group, Scenario
from terrarium.data.scenarios import MAX_UNITS, load_scenario, scenario_names
from terrarium.data.terrains import regions

every_scenario = pytest.mark.parametrize("name", scenario_names())


def n_units(scenario: Scenario, side: str) -> int:
    if scenario.generator is not None:
        generator = scenario.generator
        return generator.n_allies if side == "ally" else generator.n_enemies
    return sum(sum(group.units.values()) for group in scenario.groups if group.side == side)


def walks(scenario: Scenario, group: Group) -> bool:
    """Whether a unit of the group needs ground all the way: no flyer, cliff walker, structure."""
    units = load_ruleset(scenario.rules).units
    return any(units[name].mover == "ground" for name in group.units)


def cell(at: tuple[float, float]) -> tuple[int, int]:
    return int(at[1]), int(at[0])


def test_the_families_are_complete() -> None:
    assert len(scenario_names("smac")) == 23
    assert len(scenario_names("smacv2")) == 15
    assert set(scenario_names("smac") + scenario_names("smacv2")) <= set(scenario_names())


@every_scenario
def test_it_loads_once_and_has_two_armies(name: str) -> None:
    scenario = load_scenario(name)
    assert scenario.name == name
    assert scenario.title
    assert scenario is load_scenario(name)
    assert n_units(scenario, "ally") >= 1
    assert n_units(scenario, "enemy") >= 1
    assert n_units(scenario, "ally") + n_units(scenario, "enemy") <= MAX_UNITS
    assert (scenario.generator is None) == bool(scenario.groups)


@every_scenario
def test_a_bare_name_means_the_same(name: str) -> None:
    bare = name.split("/")[-1]
    same = [other for other in scenario_names() if other.split("/")[-1] == bare]
    if len(same) == 1:
        assert load_scenario(bare) is load_scenario(name)


@every_scenario
def test_units_start_on_walkable_ground_inside_the_playable_area(name: str) -> None:
    scenario = load_scenario(name)
    x0, y0, x1, y1 = scenario.terrain.playable
    for group in scenario.groups:
        assert x0 <= group.at[0] < x1
        assert y0 <= group.at[1] < y1
        assert scenario.terrain.walkable[cell(group.at)]


@every_scenario
def test_those_who_walk_can_reach_the_other_side(name: str) -> None:
    scenario = load_scenario(name)
    region = regions(scenario.terrain)
    if scenario.generator is not None:
        assert region.max() == 1
    walkers = [group for group in scenario.groups if walks(scenario, group)]
    for walker in walkers:
        for other in scenario.groups:
            if other.side != walker.side:
                assert region[cell(walker.at)] == region[cell(other.at)]


@every_scenario
def test_the_enemy_of_smac_comes_and_the_agents_wait(name: str) -> None:
    scenario = load_scenario(name)
    if scenario.smac is None:
        pytest.skip("not a scenario of SMAC")
    if scenario.generator is not None:
        assert scenario.generator.passive_allies
        assert scenario.trigger is not None
        return
    for group in scenario.groups:
        assert group.passive == (group.side == "ally")
        moves = any(load_ruleset(scenario.rules).units[unit].speed > 0 for unit in group.units)
        assert (group.order is not None) == (group.side == "enemy" and moves)


@every_scenario
def test_the_terrain_is_shared_and_cannot_be_changed(name: str) -> None:
    terrain = load_scenario(name).terrain
    with pytest.raises(ValueError, match="read-only"):
        terrain.walkable[0, 0] = True
    assert terrain.walkable.dtype == np.bool_
