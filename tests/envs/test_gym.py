"""Gymnasium's interface: its checker passes, and its vector environment is what ours is."""

import copy
import subprocess
import sys
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv

from terrarium.data.battles.scenarios import scenario_names
from terrarium.envs.adapters import registration
from terrarium.envs.adapters.gym import TeamEnv, TeamVectorEnv
from terrarium.envs.adapters.registration import env_id
from terrarium.envs.options import OptionError
from terrarium.envs.vector import EnvError
from tests.covering import few_quick, in_turn

CONTRACTS = ("fixed", "exact")
STOP = 1


def made(scenario: str, **options: Any) -> TeamEnv:
    env = gymnasium.make(env_id(scenario), **options).unwrapped
    assert isinstance(env, TeamEnv)
    return env


def made_vector(scenario: str, num_envs: int, central: bool = False, **options: Any) -> VectorEnv:
    return gymnasium.make_vec(env_id(scenario, central), num_envs=num_envs, **options)


@pytest.mark.parametrize(
    ("scenario", "central", "contract"),
    few_quick(in_turn(scenario_names(), (False, True), CONTRACTS), 5),
)
def test_every_registered_environment_passes_the_checker(
    scenario: str, central: bool, contract: str
) -> None:
    check_env(gymnasium.make(env_id(scenario, central), contract=contract).unwrapped)


def test_there_is_an_id_for_each_scenario_and_view() -> None:
    ids = [name for name in gymnasium.registry if name.startswith("terrarium/")]
    assert len(ids) == 2 * len(scenario_names())
    assert {"terrarium/smac-3m-v0", "terrarium/smac-3m-central-v0"} <= set(ids)
    assert "terrarium/smacv2-terran_5_vs_5-v0" in ids
    registration.register_scenarios()  # a second time is no mistake


def test_importing_terrarium_is_enough_and_loads_no_compiler() -> None:
    code = (
        "import sys, terrarium, gymnasium as g\n"
        "print('numba' in sys.modules, 'terrarium.engine' in sys.modules)\n"
        "env = g.make('terrarium/smac-3m-v0', render_mode='rgb_array')\n"
        "print(env.reset(seed=1)[0]['obs'].shape, env.render().shape[2])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n(3, 30) 3\n"


def test_the_team_sees_observations_state_and_mask() -> None:
    env = made("smac/MMM")
    obs, info = env.reset(seed=1)
    assert {name: value.shape for name, value in obs.items()} == {
        "obs": (10, 160),
        "state": (290,),
        "action_mask": (10, 16),
    }
    assert env.action_space.nvec.tolist() == [16] * 10
    assert "action_mask" not in info


def test_the_central_learner_sees_the_state_and_finds_the_mask_in_the_info() -> None:
    central = gymnasium.make(env_id("smac/MMM", central=True))
    team = made("smac/MMM")
    state, info = central.reset(seed=1)
    obs, _ = team.reset(seed=1)
    for _ in range(3):
        assert np.array_equal(state, obs["state"])
        assert np.array_equal(info["action_mask"], obs["action_mask"])
        action = [STOP] * 10
        state, *_, info = central.step(action)
        obs, *_ = team.step(action)


def test_unavailable_actions_become_stop_and_are_counted() -> None:
    env, twin = made("smac/3m"), made("smac/3m")
    env.reset(seed=4)
    twin.reset(seed=4)
    obs, *rest, info = env.step(np.array([0, STOP, 8]))
    same, *same_rest, _ = twin.step(np.array([STOP] * 3))
    assert info["n_unavailable"] == 2
    assert rest == same_rest
    assert data_equivalence(obs, same, exact=True)


def test_the_dead_do_nothing_whatever_is_asked_of_them() -> None:
    env = made("smac/8m")
    env.reset(seed=1)
    info: dict[str, Any] = {"dead_allies": 0}
    while info["dead_allies"] == 0:
        obs, _, terminated, _, info = env.step([STOP] * 8)
    assert not terminated
    n_dead = int(obs["action_mask"][:, 0].sum())
    assert n_dead == info["dead_allies"]
    *_, info = env.step([STOP] * 8)
    assert info["n_unavailable"] == n_dead


def test_unavailable_actions_can_be_refused() -> None:
    env = made("smac/3m", unavailable="error")
    env.reset(seed=1)
    with pytest.raises(EnvError, match=r"agent 0: action 0 \(no-op\) is not available now"):
        env.step([0, STOP, STOP])


def test_wrong_actions_are_named() -> None:
    env = made("smac/3m")
    with pytest.raises(EnvError, match=r"no battle has begun: call reset\(\) first"):
        env.step([STOP] * 3)
    env.reset()
    for action, message in [
        ([STOP] * 4, r"actions have shape \(1, 4\)"),
        ([STOP, STOP, 9], "action 9 does not exist; allowed: 0 to 8"),
        ([STOP, STOP, -1], "action -1 does not exist; allowed: 0 to 8"),
        ([1.0, 1.0, 1.0], "actions are float64; they must be whole numbers"),
    ]:
        with pytest.raises(EnvError, match=message):
            env.step(action)


@pytest.mark.parametrize(
    ("contract", "ended"), [("fixed", (False, True)), ("exact", (True, False))]
)
def test_the_time_limit_truncates_except_in_the_exact_contract(
    contract: str, ended: tuple[bool, bool]
) -> None:
    env = made("smac/2s_vs_1sc", contract=contract)
    env.reset()
    terminated = truncated = False
    n_steps = 0
    while not (terminated or truncated):
        _, _, terminated, truncated, info = env.step([STOP] * 2)
        n_steps += 1
    assert ((terminated, truncated), n_steps) == (ended, 300)
    assert info["battle_won"] is False
    with pytest.raises(EnvError, match="the battle is over: call reset"):
        env.step([STOP] * 2)


def test_seeds_start_a_series_of_battles_anew() -> None:
    def states(env: TeamEnv, *seeds: int | None) -> list[bytes]:
        return [env.reset(seed=seed)[0]["state"].tobytes() for seed in seeds]

    env = made("smacv2/terran_5_vs_5")
    series = states(env, 7, None, None)
    assert len(set(series)) == 3
    assert states(env, 7, None, None) == series
    assert states(made("smacv2/terran_5_vs_5"), 7) == series[:1]
    unseeded = [states(made("smacv2/terran_5_vs_5"), None)[0] for _ in range(2)]
    assert len(set(unseeded)) == 2


def test_options_reach_the_battle_and_wrong_ones_are_named() -> None:
    env = made("smac/3m", contract="exact", obs_last_action=True)
    assert env.observation_space["obs"].shape == (3, 48)
    assert env.vec.options.exact
    with pytest.raises(OptionError, match=r'unknown option "contact"\. Did you mean "contract"'):
        made("smac/3m", contact="exact")
    with pytest.raises(OptionError, match='unavailable is "none"'):
        made("smac/3m", unavailable="none")
    with pytest.raises(OptionError, match="num_envs is 0; allowed: 1 or more"):
        made_vector("smac/3m", num_envs=0)


@pytest.mark.parametrize(
    ("scenario", "central", "contract"),
    [
        ("smac/3m", False, "fixed"),
        ("smac/3m", True, "exact"),
        ("smac/MMM", False, "exact"),
        ("smacv2/zerg_5_vs_5", True, "fixed"),
    ],
)
def test_the_vector_environment_is_gymnasiums_own_over_single_ones(
    scenario: str, central: bool, contract: str
) -> None:
    ours = made_vector(scenario, 3, central, contract=contract)
    theirs = gymnasium.make_vec(
        env_id(scenario, central),
        num_envs=3,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP},
        contract=contract,
    )
    assert isinstance(ours, TeamVectorEnv)
    assert isinstance(theirs, SyncVectorEnv)
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    assert ours.observation_space == theirs.observation_space
    assert ours.single_observation_space == theirs.single_observation_space
    assert (ours.action_space, ours.single_action_space) == (
        theirs.action_space,
        theirs.single_action_space,
    )
    ours.action_space.seed(1)
    n_ended = 0
    answers: tuple[Any, Any] = (ours.reset(seed=5), theirs.reset(seed=5))
    for _ in range(150):
        assert data_equivalence(*answers, exact=True)
        assert answers[0][0] in ours.observation_space
        actions = ours.action_space.sample()
        answers = (ours.step(actions), theirs.step(actions))
        n_ended += int(answers[0][4].get("_final_obs", np.zeros(1)).sum())
    assert n_ended >= 2
    assert data_equivalence(ours.reset(), theirs.reset(), exact=True)
    mask = np.array([False, True, False])
    options = {"reset_mask": mask}  # Gymnasium's takes it out of the dict
    answers = (ours.reset(options=copy.copy(options)), theirs.reset(options=options))
    assert data_equivalence(*answers, exact=True)
    assert data_equivalence(ours.reset(seed=[4, 5, 6]), theirs.reset(seed=[4, 5, 6]), exact=True)


def test_what_a_vector_environment_gave_is_not_overwritten() -> None:
    env = made_vector("smac/3m", 2)
    first, _ = env.reset(seed=1)
    kept = copy.deepcopy(first)
    second, reward, *_ = env.step(env.action_space.sample())
    kept_reward = reward.copy()
    env.step(env.action_space.sample())
    assert data_equivalence(first, kept, exact=True)
    assert np.array_equal(reward, kept_reward)
    assert not np.shares_memory(first["obs"], second["obs"])


def test_threads_do_not_change_a_vector_environment() -> None:
    one, two = made_vector("smac/3m", 6), made_vector("smac/3m", 6, threads=2)
    one.action_space.seed(1)
    answers: tuple[Any, Any] = (one.reset(seed=5), two.reset(seed=5))
    for _ in range(30):
        assert data_equivalence(*answers, exact=True)
        actions = one.action_space.sample()
        answers = (one.step(actions), two.step(actions))
    two.close()
    two.close()
