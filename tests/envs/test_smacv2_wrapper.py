"""SMACv2's wrapper: its configurations become battles, and what is not supported is refused."""

from copy import deepcopy
from typing import Any

import numpy as np
import pytest

import terrarium
from terrarium.data.battles.scenarios import load_scenario
from terrarium.envs.options import OptionError
from terrarium.envs.smac.env import StarCraft2Env
from terrarium.envs.smac.smacv2 import StarCraftCapabilityEnvWrapper, scenario_of

TEAMS = {
    "terran": (["marine", "marauder", "medivac"], ["medivac"]),
    "protoss": (["stalker", "zealot", "colossus"], []),
    "zerg": (["zergling", "hydralisk", "baneling"], ["baneling"]),
}


def config_of(race: str = "terran", n_units: int = 5, n_enemies: int = 5) -> dict[str, Any]:
    """The configuration that SMACv2 publishes for a race."""
    unit_types, exceptions = TEAMS[race]
    return {
        "n_units": n_units,
        "n_enemies": n_enemies,
        "team_gen": {
            "dist_type": "weighted_teams",
            "unit_types": unit_types,
            "exception_unit_types": exceptions,
            "weights": [0.45, 0.45, 0.1],
            "observe": True,
        },
        "start_positions": {
            "dist_type": "surrounded_and_reflect",
            "p": 0.5,
            "n_enemies": n_enemies,
            "map_x": 32,
            "map_y": 32,
        },
    }


def changed(path: str, value: Any) -> dict[str, Any]:
    """The published configuration with one entry that is different."""
    config = deepcopy(config_of())
    *parts, key = path.split(".")
    place = config
    for part in parts:
        place = place[part]
    place[key] = value
    return config


@pytest.mark.parametrize("sizes", [(5, 5), (10, 11), (20, 23)])
@pytest.mark.parametrize("race", TEAMS)
def test_the_published_configurations_are_our_scenarios(race: str, sizes: tuple[int, int]) -> None:
    ours = load_scenario(f"smacv2/{race}_{sizes[0]}_vs_{sizes[1]}")
    theirs = scenario_of(f"10gen_{race}", config_of(race, *sizes))
    assert theirs.generator == ours.generator
    assert (theirs.name, theirs.title, theirs.smac, theirs.triggers) == (
        ours.name,
        ours.title,
        ours.smac,
        ours.triggers,
    )


def test_it_plays_the_battles_of_the_scenario() -> None:
    published = {"obs_own_pos": True, "use_unit_ranges": True}
    wrapper = StarCraftCapabilityEnvWrapper(
        capability_config=config_of(), map_name="10gen_terran", seed=4, **published
    )
    plain = StarCraft2Env("smacv2/terran_5_vs_5", seed=4)
    for _ in range(3):
        (obs, state), (plain_obs, plain_state) = wrapper.reset(), plain.reset()
        assert np.array_equal(obs, plain_obs)
        assert np.array_equal(state, plain_state)
        over = False
        while not over:
            actions = [int(np.flatnonzero(row)[-1]) for row in wrapper.get_avail_actions()]
            answer = wrapper.step(actions)
            assert answer == plain.step(actions)
            over = answer[1]
    assert wrapper.get_stats() == plain.get_stats()


def test_options_are_those_of_the_constructor() -> None:
    bare = StarCraftCapabilityEnvWrapper(capability_config=config_of())
    given = StarCraftCapabilityEnvWrapper(capability_config=config_of(), obs_own_pos=True)
    assert (bare.get_obs_size(), given.get_obs_size()) == (80, 82)
    assert not bare.options.use_unit_ranges
    assert (bare.options.contract, bare.map_name) == ("exact", "10gen_terran")
    assert bare.env is bare
    assert len(given.get_obs_feature_names()) == 82
    assert len(given.get_state_feature_names()) == given.get_state_size()
    # By its name the same battle comes with the published options.
    assert terrarium.make("smacv2/terran_5_vs_5").get_obs_size() == 82


def test_sizes_teams_and_places_follow_the_configuration() -> None:
    config = config_of("zerg", 3, 7)
    config["team_gen"] |= {"unit_types": ["zergling", "baneling"], "weights": [1.0, 0.0]}
    config["start_positions"] = {"dist_type": "surrounded", "map_x": 32, "map_y": 32}
    env = StarCraftCapabilityEnvWrapper(capability_config=config, map_name="10gen_zerg", seed=1)
    env.reset()
    units = [*env.agents.values(), *env.enemies.values()]
    assert (len(env.agents), len(env.enemies)) == (3, 7)
    assert {unit.name for unit in units} == {"zergling"}
    for unit in env.agents.values():
        assert np.hypot(unit.pos.x - 16.0, unit.pos.y - 16.0) < 2.0


@pytest.mark.parametrize(
    ("dist_type", "p", "expected"),
    [
        ("surrounded", None, ("surrounded", 0.0)),
        ("reflect_position", None, ("reflect", 1.0)),
        ("surrounded_and_reflect", 0.25, ("surrounded_and_reflect", 0.25)),
    ],
)
def test_each_way_to_draw_positions_is_known(
    dist_type: str, p: float | None, expected: tuple[str, float]
) -> None:
    part: dict[str, Any] = {"dist_type": dist_type, "map_x": 32, "map_y": 32}
    if p is not None:
        part["p"] = p
    generator = scenario_of("10gen_terran", changed("start_positions", part)).generator
    assert generator is not None
    assert (generator.positions, generator.reflect_probability) == expected


REFUSED = [
    ("team_gen.dist_type", "all_teams", "team_gen: dist_type is 'all_teams', which is not supp"),
    ("team_gen.dist_type", "fixed", "team_gen: dist_type is 'fixed', which is not supported"),
    ("team_gen.items", [], 'team_gen: "items" is not supported'),
    ("team_gen.observe", False, "team_gen: observe is False"),
    ("team_gen.unit_types", ["marin", "marauder", "medivac"], 'unknown unit type "marin". Did you'),
    ("team_gen.unit_types", ["zealot", "marauder", "medivac"], 'unknown unit type "zealot".'),
    ("team_gen.unit_types", ["marine", "marine", "medivac"], "each type needs one weight"),
    ("team_gen.weights", [0.5, 0.5], "2 weights for the unit types marine, marauder, medivac"),
    ("team_gen.weights", [0.5, 0.5, 0.5], "they must be 0 or more and sum to 1"),
    ("team_gen.weights", [1.5, -0.5, 0.0], "they must be 0 or more and sum to 1"),
    ("team_gen.weights", "abc", "weights is 'abc'; it must be a list"),
    ("team_gen.exception_unit_types", ["marine", "marauder", "medivac"], "leaves no team"),
    ("start_positions.dist_type", "per_agent_uniform", "'per_agent_uniform', which is not supp"),
    ("start_positions.p", 1.5, "start_positions: p is 1.5; allowed: 0 to 1"),
    ("start_positions.p", None, "start_positions: p: None is not a number"),
    ("start_positions.map_x", 64, "start_positions: map_x is 64; the map has 32"),
    ("start_positions.n_enemies", 6, "start_positions: n_enemies is 6, outside of it 5"),
    ("start_positions", None, "start_positions is None; it must be a table"),
    ("enemy_mask", {"dist_type": "mask"}, '"enemy_mask" is not supported'),
    ("attack", {"dist_type": "per_agent_uniform"}, '"attack" is not supported'),
    ("health", {"dist_type": "per_agent_uniform"}, '"health" is not supported'),
    ("n_units", 0, "n_units is 0; it must be a whole number from 1 on"),
    ("n_enemies", 2.5, "n_enemies is 2.5; it must be a whole number from 1 on"),
    ("n_units", 600, "n_units and n_enemies are 605 together; at most 512"),
]


@pytest.mark.parametrize(("path", "value", "message"), REFUSED)
def test_what_is_not_supported_is_refused(path: str, value: Any, message: str) -> None:
    with pytest.raises(OptionError) as caught:
        StarCraftCapabilityEnvWrapper(capability_config=changed(path, value))
    assert message in str(caught.value)


def test_other_maps_are_refused() -> None:
    with pytest.raises(OptionError, match=r'"10gen_teran"\. Did you mean "10gen_terran"'):
        StarCraftCapabilityEnvWrapper(capability_config=config_of(), map_name="10gen_teran")
    with pytest.raises(OptionError, match="for the other maps use StarCraft2Env"):
        StarCraftCapabilityEnvWrapper(capability_config=config_of(), map_name="3m")


def test_a_configuration_can_be_used_again_and_is_left_as_it_was() -> None:
    config = config_of()
    before = deepcopy(config)
    StarCraftCapabilityEnvWrapper(capability_config=config)
    assert config == before
    # SMACv2 itself writes into the parts; such a configuration is fine too.
    for key in ("team_gen", "start_positions"):
        config[key] |= {"env_key": key, "n_units": 5, "n_enemies": 5}
    assert scenario_of("10gen_terran", config) == scenario_of("10gen_terran", before)
