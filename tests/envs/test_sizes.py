"""The sizes of all 38 battles are SMAC's, in both contracts."""

import pytest

import terrarium
from terrarium.data.battles.scenarios import scenario_names
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
