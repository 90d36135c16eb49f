"""What every scenario in the folder must satisfy; a new file is picked up by itself."""

from pathlib import Path

import numpy as np
import pytest

import terrarium.data
from terrarium.data.battles.armies import of_race
from terrarium.data.battles.groups import MAX_UNITS, group_size
from terrarium.data.battles.scenario import Group, Measure, Scenario
from terrarium.data.battles.scenarios import load_scenario, scenario_names
from terrarium.data.battles.terrains import regions
from terrarium.data.facts.forms import fighting_value, forms_of, users_of_upgrade
from terrarium.data.facts.rulesets import load_ruleset

SKILLS = (
    *("stim_timing", "baneling_split", "kite_zealots", "focus_fire", "siege_line"),
    *("siege_leapfrog", "ghost_emp", "ghost_snipe", "ghost_infiltrate", "nuke_dodge"),
    *("banshee_raid", "bc_yamato", "bc_jump_in", "bc_jump_home", "medivac_drop"),
    *("medivac_pickup", "mine_field", "mine_drag", "hellbat_wall", "hellion_run"),
    *("cyclone_kite", "viking_flip", "liberator_zone", "raven_support", "thor_modes"),
    *("reaper_grenade", "scv_repair", "bunker_hold"),
)
MAX_AGENTS = 16
SCENARIOS = Path(terrarium.data.__file__).parent / "scenarios"

every_scenario = pytest.mark.parametrize("name", scenario_names())
every_drill = pytest.mark.parametrize("name", scenario_names("skills"))
every_arena = pytest.mark.parametrize("name", scenario_names("arena"))


def n_units(scenario: Scenario, side: str) -> int:
    if armies := scenario.armies:
        return armies.max_units
    if generator := scenario.generator:
        return generator.n_allies if side == "ally" else generator.n_enemies
    return sum(group_size(group) for group in scenario.groups if group.side == side)


def walks(scenario: Scenario, group: Group) -> bool:
    """Whether a unit of the group needs ground all the way: no flyer, cliff walker, structure."""
    units = load_ruleset(scenario.rules).units
    return any(units[name].mover == "ground" for name in group.units)


def cell(at: tuple[float, float]) -> tuple[int, int]:
    return int(at[1]), int(at[0])


def test_the_families_are_complete() -> None:
    assert len(scenario_names("smac")) == 23
    assert len(scenario_names("smacv2")) == 15
    assert {name.split("/")[1] for name in scenario_names("skills")} == set(SKILLS)
    assert len(scenario_names("arena")) >= 7
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
    assert [bool(scenario.groups), bool(scenario.generator), bool(scenario.armies)].count(True) == 1


def test_a_bare_name_means_the_same_where_only_one_scenario_has_it() -> None:
    bare = [name.split("/")[-1] for name in scenario_names()]
    unique = {b: name for b, name in zip(bare, scenario_names(), strict=True) if bare.count(b) == 1}
    assert unique
    assert [b for b, name in unique.items() if load_scenario(b) is not load_scenario(name)] == []


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
    units = load_ruleset(scenario.rules).units
    region = regions(scenario.terrain)
    if scenario.terrain.name == "islands":
        # There they are meant to fly, or to be flown.
        allies = {name for g in scenario.groups if g.side == "ally" for name in g.units}
        assert any(units[name].flying for name in allies)
        return
    if not scenario.groups:
        assert region.max() == 1
    walkers = [group for group in scenario.groups if walks(scenario, group)]
    for walker in walkers:
        for other in scenario.groups:
            if other.side != walker.side:
                assert region[cell(walker.at)] == region[cell(other.at)]


@pytest.mark.parametrize("name", [*scenario_names("smac"), *scenario_names("smacv2")])
def test_the_enemy_of_smac_comes_and_the_agents_wait(name: str) -> None:
    scenario = load_scenario(name)
    assert scenario.smac is not None
    if scenario.generator is not None:
        assert scenario.generator.passive_allies
        assert len(scenario.triggers) == 1
        return
    for group in scenario.groups:
        assert group.passive == (group.side == "ally")
        moves = any(load_ruleset(scenario.rules).units[unit].speed > 0 for unit in group.units)
        assert (group.order is not None) == (group.side == "enemy" and moves)


def test_terrains_cannot_be_changed() -> None:
    """Scenarios share them."""
    terrains = [load_scenario(name).terrain for name in scenario_names()]
    assert {terrain.walkable.dtype for terrain in terrains} == {np.dtype(np.bool_)}
    assert [terrain.name for terrain in terrains if terrain.walkable.flags.writeable] == []


@every_scenario
def test_the_measure_is_about_units_that_are_there(name: str) -> None:
    scenario = load_scenario(name)
    measure, rules = scenario.measure, load_ruleset(scenario.rules)
    assert 0.0 < measure.good <= 1.0
    if scenario.smac:
        assert measure == Measure("win")
    if not scenario.groups:
        return
    side = "enemy" if measure.kind in ("win", "kills") else "ally"
    counted = {form for only in measure.only for form in forms_of(rules, only)}
    value = sum(
        fighting_value(rules, unit) * count
        for group in scenario.groups
        if group.side == side
        for unit, count in group.units.items()
        if not counted or unit in counted
    )
    assert value > 0.0
    if measure.kind == "reach":
        assert measure.at is not None
        assert scenario.terrain.walkable[cell(measure.at)]
        for group in scenario.groups:  # nobody is there from the start
            if group.side == "ally":
                gap = np.hypot(group.at[0] - measure.at[0], group.at[1] - measure.at[1])
                assert gap > (measure.radius or 0.0) + group.spread


@every_scenario
def test_upgrades_are_known_and_serve_the_side_that_has_them(name: str) -> None:
    scenario = load_scenario(name)
    upgrades = load_ruleset(scenario.rules).upgrades
    for side, names in scenario.upgrades.items():
        units = {unit for g in scenario.groups if g.side == side for unit in (*g.units, *g.inside)}
        for upgrade in names:
            assert set(upgrades[upgrade].requires) <= set(names)
            assert users_of_upgrade(load_ruleset(scenario.rules), upgrade) & units


@every_drill
def test_a_drill_has_a_few_terran_agents_and_little_time(name: str) -> None:
    scenario = load_scenario(name)
    assert scenario.rules == "lotv-4.10"
    assert scenario.fog
    assert 1 <= n_units(scenario, "ally") <= MAX_AGENTS
    assert scenario.limit_steps <= 200
    assert scenario.ticks_per_step in (4, 8)
    units = load_ruleset(scenario.rules).units
    sides = [group.side for group in scenario.groups]
    assert sides == sorted(sides)  # agents take the first slots
    for group in scenario.groups:
        assert not group.passive
        if group.side == "ally":
            assert {units[unit].race for unit in (*group.units, *group.inside)} == {"Terran"}
    # Every battle is another one.
    assert any(group.spread > 0.0 for group in scenario.groups)
    # It says what it teaches and how it is measured.
    text = (SCENARIOS / f"{name}.toml").read_text(encoding="utf-8")
    assert text.startswith("# ")
    assert "\n# Measured: " in text


@every_arena
def test_armies_of_the_arena_are_terran_against_the_races_of_the_name(name: str) -> None:
    scenario = load_scenario(name)
    armies = scenario.armies
    assert armies is not None
    assert armies.ally.races == ("Terran",)
    against = name.split("_vs_")[1].split("_")[0]
    assert {"any": 3}.get(against, 1) == len(armies.enemy.races)
    rules = load_ruleset(scenario.rules)
    for race in armies.enemy.races:
        assert len(of_race(armies.weights, race, rules)) >= 10
