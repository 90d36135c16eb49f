"""The kernels against a slow twin: every number of observation, state, mask and reward."""

from typing import Any

import numpy as np
import pytest

from terrarium.data.battles.scenarios import load_scenario, scenario_names
from terrarium.envs.options import options_for
from terrarium.envs.vector import VecEnv
from tests.covering import few_quick
from tests.envs.naive import NaiveReward, NaiveSmac

# float32 of a float64 computed the same way: one rounding.
NEARLY: dict[str, Any] = {"rtol": 1e-6, "atol": 1e-7}

EVERYTHING = {
    "obs_last_action": True,
    "obs_pathing_grid": True,
    "obs_terrain_height": True,
    "obs_timestep_number": True,
    "state_timestep_number": True,
}
LITTLE = {"obs_all_health": False, "obs_own_health": False, "state_last_action": False}
OPTIONS = (EVERYTHING, LITTLE, {"reward_only_positive": False})


def compare(name: str, n_steps: int, seed: int, **options: Any) -> None:
    """Play at random and compare every number of every step."""
    scenario = load_scenario(name)
    env = VecEnv(
        scenario,
        seed=seed,
        views=("obs", "state"),
        autoreset=False,
        options=options_for(scenario, options),
    )
    env.reset()
    naive = NaiveSmac(env)
    rewards = NaiveReward(naive)
    best = rewards.best
    # SMACv2's exact observations also depend on who saw what first: tested for themselves.
    whole_obs = not (naive.later and env.options.exact)
    steps, last = 0, None
    for _ in range(n_steps):
        for a in range(env.n_agents):
            assert env.avail[0, a].astype(int).tolist() == naive.avail(a)
            if whole_obs:
                np.testing.assert_allclose(env.obs[0, a], naive.obs(a, steps, last), **NEARLY)
        np.testing.assert_allclose(env.state[0], naive.state(steps, last), **NEARLY)
        env.step(env.sample_actions())
        reward, *ending = rewards.step(steps + 1)
        assert [env.terminated[0], env.truncated[0], env.outcome.won[0]] == ending
        assert env.reward[0] == pytest.approx(reward, rel=1e-9, abs=1e-12)
        steps, last = steps + 1, env.actions[0].copy()
        if any(ending[:2]):
            env.reset()
            steps, last = 0, None
            rewards = NaiveReward(naive, best if env.options.exact else None)


@pytest.mark.parametrize("contract", ["exact", "fixed"])
@pytest.mark.parametrize("name", few_quick(scenario_names("smac")))
def test_smac_number_by_number(name: str, contract: str) -> None:
    large = any(word in name for word in ("27m", "64zg", "25m", "bane"))
    compare(name, 12 if large else 50, seed=5, contract=contract)


@pytest.mark.parametrize("contract", ["exact", "fixed"])
@pytest.mark.parametrize(
    "name", ["smacv2/protoss_5_vs_5", "smacv2/terran_10_vs_11", "smacv2/zerg_5_vs_5"]
)
def test_smacv2_number_by_number(name: str, contract: str) -> None:
    compare(name, 70, seed=6, contract=contract)


@pytest.mark.parametrize(
    ("options", "contract", "name"),
    [
        *((options, "exact", "smac/MMM") for options in OPTIONS),
        *((options, "fixed", "smac/corridor") for options in OPTIONS),
        *((EVERYTHING, contract, "smac/3m") for contract in ("exact", "fixed")),
        (EVERYTHING, "exact", "smac/2c_vs_64zg"),  # with a cliff
    ],
    ids=str,
)
def test_every_option(name: str, options: dict[str, Any], contract: str) -> None:
    compare(name, 25, seed=7, contract=contract, **options)


@pytest.mark.parametrize("contract", ["exact", "fixed"])
def test_other_rewards(contract: str) -> None:
    compare("smac/2s3z", 150, seed=8, contract=contract, reward_sparse=True)
    compare("smac/2m_vs_1z", 150, seed=9, contract=contract, reward_scale=False)
