"""The sizes of all 38 battles are SMAC's, in both contracts."""

from typing import Any

import pytest

import terrarium
from terrarium.data.battles.scenarios import scenario_names
from terrarium.envs.smac.env import StarCraft2Env
from tests.envs.tables import NAMES, SMAC, SMACV2, SMACV2_LIMIT


def test_the_tables_name_every_built_in_battle() -> None:
    assert sorted(NAMES) == sorted([*scenario_names("smac"), *scenario_names("smacv2")])


@pytest.mark.parametrize("contract", ["exact", "fixed"])
@pytest.mark.parametrize("name", SMAC)
def test_smac_sizes(name: str, contract: str) -> None:
    n_agents, n_enemies, limit, n_actions, obs, state, max_reward = SMAC[name]
    env = terrarium.make(f"smac/{name}", contract=contract, seed=1)
    first_obs, first_state = env.reset()
    info = env.get_env_info()
    assert (info["n_agents"], env.n_enemies, info["episode_limit"]) == (n_agents, n_enemies, limit)
    assert (info["n_actions"], info["obs_shape"], info["state_shape"]) == (n_actions, obs, state)
    assert [row.shape for row in first_obs] == [(obs,)] * n_agents
    assert first_state.shape == (state,)
    assert env.max_reward == max_reward


@pytest.mark.parametrize("contract", ["exact", "fixed"])
@pytest.mark.parametrize("name", SMACV2)
def test_smacv2_sizes(name: str, contract: str) -> None:
    n_agents, n_enemies, n_actions, obs, state = SMACV2[name]
    env = terrarium.make(f"smacv2/{name}", contract=contract, seed=1)
    first_obs, first_state = env.reset()
    info = env.get_env_info()
    assert (info["n_agents"], env.n_enemies) == (n_agents, n_enemies)
    assert info["episode_limit"] == SMACV2_LIMIT
    assert (info["n_actions"], info["obs_shape"], info["state_shape"]) == (n_actions, obs, state)
    assert [row.shape for row in first_obs] == [(obs,)] * n_agents
    assert first_state.shape == (state,)
    worth = sum(unit.health_max + unit.shield_max for unit in env.enemies.values())
    assert env.max_reward == 10 * n_enemies + 200 + worth


EVERYTHING = {
    "obs_last_action": True,
    "obs_pathing_grid": True,
    "obs_terrain_height": True,
    "obs_timestep_number": True,
}


def blocks(env: StarCraft2Env) -> tuple[Any, ...]:
    """Sizes of moves, enemies, allies, the agent itself; attributes of units in the state."""
    return (
        env.get_obs_move_feats_size(),
        env.get_obs_enemy_feats_size(),
        env.get_obs_ally_feats_size(),
        env.get_obs_own_feats_size(),
        env.get_ally_num_attributes(),
        env.get_enemy_num_attributes(),
    )


@pytest.mark.parametrize("contract", ["exact", "fixed"])
@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("smac/3m", {}, (4, (3, 5), (2, 5), 1, 4, 3)),
        (
            "smac/3m",
            {"obs_all_health": False, "obs_own_health": False},
            (4, (3, 4), (2, 4), 0, 4, 3),
        ),
        ("smac/2s3z", {}, (4, (5, 8), (4, 8), 4, 7, 6)),
        ("smac/2s3z", {"obs_all_health": False}, (4, (5, 6), (4, 6), 4, 7, 6)),
        ("smac/2s3z", EVERYTHING, (21, (5, 8), (4, 19), 5, 7, 6)),
        ("smac/6h_vs_8z", {}, (4, (8, 6), (5, 5), 1, 4, 4)),
        ("smacv2/protoss_5_vs_5", {}, (4, (5, 9), (4, 9), 7, 8, 7)),
        ("smacv2/protoss_5_vs_5", EVERYTHING, (21, (5, 9), (4, 20), 7, 8, 7)),
        ("smacv2/zerg_10_vs_11", {"conic_fov": True}, (4, (11, 8), (9, 8), 8, 9, 6)),
        (
            "smacv2/terran_5_vs_5",
            {"obs_starcraft": False, "obs_timestep_number": True},
            (4, (5, 8), (4, 8), 3, 7, 6),
        ),
    ],
    ids=str,
)
def test_sizes_of_blocks(
    name: str, options: dict[str, Any], expected: tuple[Any, ...], contract: str
) -> None:
    env = terrarium.make(name, contract=contract, seed=1, **options)
    assert blocks(env) == expected
    if not options.get("obs_starcraft", True):
        return
    move, enemies, allies, own = expected[:4]
    time = "smacv2" in name and options.get("obs_timestep_number", False)
    whole = move + enemies[0] * enemies[1] + allies[0] * allies[1] + own + time
    assert env.get_obs_size() == whole
