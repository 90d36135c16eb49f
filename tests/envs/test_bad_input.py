"""What a user can do wrong, and what the environments answer."""

from typing import Any

import numpy as np
import pytest

import terrarium
from terrarium.envs.options import OptionError
from terrarium.envs.smac.env import StarCraft2Env
from terrarium.envs.vector import EnvError
from terrarium.errors import TerrariumError


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"obs_last_actions": True}, 'unknown option "obs_last_actions".*"obs_last_action"'),
        ({"contract": "exakt"}, 'contract is "exakt".*"exact".*fixed, exact'),
        ({"move_amount": 0}, "move_amount is 0; allowed"),
        ({"move_amount": float("nan")}, "move_amount is nan; it must be a finite number"),
        ({"move_amount": "2"}, "move_amount is '2'; it must be a finite number"),
        ({"step_mul": 0}, "step_mul is 0; allowed"),
        ({"step_mul": 8.0}, "step_mul is 8.0; it must be a whole number"),
        ({"reward_scale": 1}, "reward_scale is 1; it must be True or False"),
        ({"prob_obs_enemy": 1.5}, "prob_obs_enemy is 1.5; allowed: 0 to 1"),
        ({"num_fov_actions": 1}, "num_fov_actions is 1; allowed"),
        ({"reward_scale_rate": 0.0}, "reward_scale_rate is 0.0; allowed: above 0"),
        ({"views": ("obs", "stat")}, 'unknown view "stat".*"state"'),
        ({"seed": -1}, "seed -1 is not a whole number"),
        ({"seed": 1.5}, "seed 1.5 is not a whole number"),
        ({"seed": [1, 2, 3]}, "3 seeds for 2 environments"),
        ({"n_envs": 0}, "n_envs is 0"),
        ({"threads": 0}, "threads 0"),
    ],
    ids=str,
)
def test_options_that_do_not_fit(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TerrariumError, match=message):
        terrarium.make_vec("smac/3m", **{"n_envs": 2, **options})


def test_unknown_scenarios_get_the_nearest_name() -> None:
    with pytest.raises(TerrariumError, match=r'unknown scenario "smac/3mm".*"smac/3m"'):
        terrarium.make("smac/3mm")


def test_a_step_needs_a_reset_first() -> None:
    env = terrarium.make_vec("smac/3m", 2)
    for call in (lambda: env.step([[1, 1, 1]] * 2), env.sample_actions, env.refresh):
        with pytest.raises(EnvError, match=r"call reset\(\) first"):
            call()
    single = terrarium.make("smac/3m")
    with pytest.raises(EnvError, match=r"call reset\(\) first"):
        single.step([1, 1, 1])
    with pytest.raises(EnvError, match=r"call reset\(\) first"):
        env.reset(where=[True, False])


@pytest.mark.parametrize("agent", [-1, 5])
def test_agents_that_do_not_exist_observe_nothing(agent: int) -> None:
    env = StarCraft2Env("smacv2/terran_5_vs_5", seed=1)
    env.reset()
    with pytest.raises(EnvError, match=f"agent {agent}: agents are 0 to 4"):
        env.get_obs_agent(agent)


def test_a_battle_that_is_over_takes_no_step() -> None:
    env = terrarium.make("smac/3m", seed=1)
    env.reset()
    over = False
    while not over:
        _, over, _ = env.step([max(np.flatnonzero(mask)) for mask in env.get_avail_actions()])
    with pytest.raises(EnvError, match=r"the battle is over: call reset\(\)"):
        env.step([0, 0, 0])
    env.reset()
    env.step([1, 1, 1])


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([1, 1], "2 actions for 3 agents"),
        ([1, 1, 1, 1], "4 actions for 3 agents"),
        ([1.0, 1.0, 1.0], "one whole number for each"),
        ("111", "one whole number for each"),
        (7, "one whole number for each"),
        (None, "one whole number for each"),
        (np.eye(3), "one whole number for each"),
        ([1, 1, 99], "agent 2: action 99 is not available now"),
        ([1, -1, 1], "agent 1: action -1 is not available now"),
        ([0, 1, 1], r"agent 0: action 0 \(no-op\) is not available now. Available: \[1, 2"),
        ([1, 1, 2**70], "agent 2: action"),
    ],
    ids=str,
)
def test_actions_that_do_not_fit(actions: Any, message: str) -> None:
    env = terrarium.make("smac/3m", seed=1)
    env.reset()
    before = env.vec.sim.digest()
    with pytest.raises(EnvError, match=message):
        env.step(actions)
    assert env.vec.sim.digest() == before
    env.step([1, 1, 1])


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([[1, 1, 1]], r"shape \(1, 3\); smac/3m with 2 environments takes \(2, 3\)"),
        ([1, 1, 1, 1, 1, 1], r"shape \(6,\)"),
        ([[1.0, 1.0, 1.0]] * 2, "actions are float64"),
        ([[True] * 3] * 2, "actions are bool"),
        ([[1, 1, 1], [1, 1, 77]], "environment 1, agent 2: action 77"),
        (np.full((2, 3), 2**64 - 1, np.uint64), "environment 0, agent 0: action"),
    ],
    ids=str,
)
def test_joint_actions_that_do_not_fit(actions: Any, message: str) -> None:
    env = terrarium.make_vec("smac/3m", 2)
    env.reset()
    before = env.sim.digest()
    with pytest.raises(EnvError, match=message):
        env.step(actions)
    assert env.sim.digest() == before


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"difficulty": "3"}, 'difficulty is "3"'),
        ({"game_version": "5.0"}, 'game_version is "5.0"'),
        ({"map_name": "nowhere"}, 'unknown scenario "nowhere"'),
    ],
    ids=str,
)
def test_games_that_there_are_not(given: dict[str, Any], message: str) -> None:
    with pytest.raises(TerrariumError, match=message):
        StarCraft2Env(**given)


def test_parts_of_a_state_that_is_made_of_observations() -> None:
    env = terrarium.make("smac/3m", obs_instead_of_state=True)
    env.reset()
    with pytest.raises(EnvError, match="obs_instead_of_state=False"):
        env.get_state_dict()


def test_a_scenario_without_an_enemy_is_no_environment(tmp_path: Any) -> None:
    file = tmp_path / "alone.toml"
    file.write_text(
        'title = "Alone"\nterrain = "open"\nrules = "liberty"\nlimit_steps = 10\n'
        '[[group]]\nside = "ally"\nat = [16.0, 16.0]\nunits = { marine = 2 }\n'
    )
    with pytest.raises(TerrariumError, match="units on both sides"):
        terrarium.make(file)


def test_seeds_that_are_no_numbers() -> None:
    with pytest.raises(OptionError, match="unknown option"):
        terrarium.make("smac/3m", sead=3)
    with pytest.raises(EnvError, match="seed 'x'"):
        terrarium.make_vec("smac/3m", seed="x")
