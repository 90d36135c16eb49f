"""PettingZoo's interface: its own checks pass, and agents live and die as they should."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    seed_test,
    state_test,
)
from pettingzoo.utils import parallel_to_aec

import terrarium
from terrarium.data.battles.scenarios import scenario_names
from terrarium.envs.adapters.parallel import BattleParallelEnv
from terrarium.envs.options import OptionError
from terrarium.envs.vector import EnvError
from tests.covering import few_quick, in_turn

CONTRACTS = ("fixed", "exact")
VARIED = [
    *("smac/3m", "smac/MMM", "smac/bane_vs_bane", "smac/27m_vs_30m", "smac/2c_vs_64zg"),
    *("smacv2/terran_5_vs_5", "smacv2/zerg_10_vs_11", "smacv2/protoss_5_vs_5"),
]
STOP = 1


def chosen_at_random(env: BattleParallelEnv, observations: Any) -> dict[str, int]:
    """An available action for each living agent."""
    return {
        agent: int(env.action_space(agent).sample(observations[agent]["action_mask"]))
        for agent in env.agents
    }


def first_death(env: BattleParallelEnv) -> Any:
    """Stand still until somebody dies and others live; what that step brought."""
    env.reset(seed=1)
    while len(env.agents) == len(env.possible_agents):
        answer = env.step(dict.fromkeys(env.agents, STOP))
    assert env.agents
    return answer


# The other contract than that in which Gymnasium's checker looks at a scenario.
@pytest.mark.parametrize(
    ("name", "contract"), few_quick(in_turn(scenario_names(), reversed(CONTRACTS)), 5)
)
def test_every_scenario_passes_the_parallel_check(name: str, contract: str) -> None:
    parallel_api_test(terrarium.parallel_env(name, contract=contract, seed=3), num_cycles=1000)


# The check knows only PettingZoo's own games by name as ones with masks in their observations, ...
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably:UserWarning")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array:UserWarning")
# ... and in SMAC those who have just died see nothing.
@pytest.mark.filterwarnings("ignore:Observation numpy array is all zeros:UserWarning")
@pytest.mark.parametrize(("name", "contract"), in_turn(VARIED, CONTRACTS))
def test_agents_that_take_turns_pass_the_check(name: str, contract: str) -> None:
    env = terrarium.parallel_env(name, contract=contract, seed=3)
    api_test(parallel_to_aec(env), num_cycles=1000)


@pytest.mark.parametrize(("name", "contract"), in_turn(VARIED, reversed(CONTRACTS)))
def test_the_checks_of_seeds_and_limits_pass(name: str, contract: str) -> None:
    # These three sample without the mask, so they are for environments that bear it.
    def unmasked(**options: Any) -> BattleParallelEnv:
        return terrarium.parallel_env(
            name, contract=contract, unavailable="stop", seed=3, **options
        )

    parallel_seed_test(unmasked)
    max_cycles_test(
        SimpleNamespace(
            parallel_env=unmasked, env=lambda **options: parallel_to_aec(unmasked(**options))
        )
    )
    state_test(parallel_to_aec(unmasked()), unmasked())
    seed_test(lambda: parallel_to_aec(terrarium.parallel_env(name, contract=contract)))


@pytest.mark.parametrize("name", ["smac/MMM", "smacv2/terran_5_vs_5"])
def test_the_same_seed_plays_the_same_battles(name: str) -> None:
    # PettingZoo's check of parallel seeds ends after one step: here they are whole battles.
    def story(env: BattleParallelEnv, seed: int | None) -> list[Any]:
        rng = np.random.default_rng(5)
        observations, infos = env.reset(seed=seed)
        told: list[Any] = [infos]
        while env.agents:
            masks = {agent: observations[agent]["action_mask"] for agent in env.agents}
            actions = {a: int(rng.choice(np.flatnonzero(mask))) for a, mask in masks.items()}
            observations, *rest = env.step(actions)
            told += [rest, {a: o["observation"].tobytes() for a, o in observations.items()}]
        return told

    one, other = terrarium.parallel_env(name), terrarium.parallel_env(name)
    first = story(one, 7)
    second = story(one, None)  # the series goes on
    assert first != second
    assert story(other, 7) == first
    assert story(other, None) == second
    assert story(one, 7) == first
    assert story(one, 8) != first


def test_without_a_seed_battles_differ() -> None:
    one, other = (terrarium.parallel_env("smacv2/terran_5_vs_5") for _ in range(2))
    states = []
    for env in (one, other):
        env.reset()
        states.append(env.state().tobytes())
    assert states[0] != states[1]


def test_an_agent_that_dies_is_terminated_once_and_leaves() -> None:
    env = terrarium.parallel_env("smac/8m")
    observations, rewards, terminations, truncations, infos = first_death(env)
    gone = set(env.possible_agents) - set(env.agents)
    for answer in (observations, rewards, terminations, truncations, infos):
        assert list(answer) == env.possible_agents
    assert {agent for agent, ended in terminations.items() if ended} == gone
    assert not any(truncations.values())
    for agent in gone:
        assert observations[agent]["action_mask"].tolist() == [1] + [0] * 13
        assert infos[agent]["dead_allies"] == len(gone)
    later = env.step(dict.fromkeys(env.agents, STOP))
    assert all(not gone & set(answer) for answer in later)


def test_names_of_agents_stay_although_their_units_change() -> None:
    env = terrarium.parallel_env("smacv2/terran_5_vs_5", seed=1)
    armies = set()
    for _ in range(5):
        _, infos = env.reset()
        assert env.agents == env.possible_agents == [f"agent_{a}" for a in range(5)]
        armies.add(tuple(infos[agent]["unit_type"] for agent in env.agents))
    assert len(armies) > 1
    assert {unit for army in armies for unit in army} <= {"marine", "marauder", "medivac"}


@pytest.mark.parametrize("contract", CONTRACTS)
def test_the_end_of_a_battle_ends_every_agent_and_tells_how_it_went(contract: str) -> None:
    env = terrarium.parallel_env("smac/3m", contract=contract, seed=2)
    observations, _ = env.reset()
    total, n_steps = 0.0, 0
    while env.agents:
        team = set(env.agents)
        observations, rewards, terminations, truncations, infos = env.step(
            chosen_at_random(env, observations)
        )
        assert len(set(rewards.values())) == 1
        total += next(iter(rewards.values()))
        n_steps += 1
        assert set(infos) == team
    assert all(terminations[a] or truncations[a] for a in team)
    for info in infos.values():
        assert info["battle_won"] == bool(info["dead_enemies"] == 3)
        assert info["episode_return"] == pytest.approx(total, abs=1e-12)  # summed in another order
        assert info["episode_steps"] == n_steps
    with pytest.raises(EnvError, match="no battle is going on: call reset"):
        env.step({})


@pytest.mark.parametrize(("contract", "terminates"), [("fixed", False), ("exact", True)])
def test_the_time_limit_truncates_except_in_the_exact_contract(
    contract: str, terminates: bool
) -> None:
    # The spine crawler cannot come, and the stalkers do not go.
    env = terrarium.parallel_env("smac/2s_vs_1sc", contract=contract)
    env.reset()
    while env.agents:
        _, _, terminations, truncations, infos = env.step(dict.fromkeys(env.agents, STOP))
    assert set(terminations.values()) == {terminates}
    assert set(truncations.values()) == {not terminates}
    assert infos["agent_0"]["episode_steps"] == 300


def test_max_cycles_cuts_a_battle_off() -> None:
    env = terrarium.parallel_env("smac/3m", max_cycles=2)
    env.reset()
    env.step(dict.fromkeys(env.agents, STOP))
    _, _, terminations, truncations, infos = env.step(dict.fromkeys(env.agents, STOP))
    assert env.agents == []
    assert set(truncations.values()) == {True}
    assert set(terminations.values()) == {False}
    assert infos["agent_0"]["episode_steps"] == 2
    env.reset()
    assert env.agents == env.possible_agents


def test_wrong_actions_are_named() -> None:
    env = terrarium.parallel_env("smac/8m")
    with pytest.raises(EnvError, match="no battle is going on: call reset"):
        env.step({})
    first_death(env)
    living, gone = env.agents, sorted(set(env.possible_agents) - set(env.agents))
    fine = dict.fromkeys(living, STOP)
    who = living[0]
    mistakes = {
        r"agent_\d+: action 0 \(no-op\) is not available now. Available: \[1": fine | {who: 0},
        f"{who}: action 14 does not exist; allowed: 0 to 13": fine | {who: 14},
        f"{who}: action 1.5 is not a whole number": fine | {who: 1.5},
        f"no action for {who};": dict.fromkeys(living[1:], STOP),
        f"{gone[0]} is dead and has left; living are": fine | {gone[0]: 0},
        'there is no agent "marine_0"; possible are agent_0': fine | {"marine_0": 1},
    }
    before = env.state().tobytes()
    for message, actions in mistakes.items():
        with pytest.raises(EnvError, match=message):
            env.step(actions)
    assert env.state().tobytes() == before
    env.step(fine)


def test_unavailable_actions_can_be_replaced() -> None:
    env = terrarium.parallel_env("smac/3m", unavailable="stop", seed=4)
    masked = terrarium.parallel_env("smac/3m", seed=4)
    env.reset()
    masked.reset()
    *_, infos = env.step({"agent_0": 0, "agent_1": 1, "agent_2": 8})
    masked.step(dict.fromkeys(masked.agents, STOP))
    assert [infos[a]["unavailable"] for a in env.possible_agents] == [True, False, True]
    # The states are the same: last actions are those that were played.
    assert env.state().tobytes() == masked.state().tobytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_cycles": 0}, "max_cycles is 0; allowed: 1 or more"),
        ({"unavailable": "stopp"}, 'unavailable is "stopp". Did you mean "stop"?'),
        ({"render_mode": "human"}, 'render_mode is "human". Allowed: rgb_array'),
        ({"obs_last_actions": True}, 'unknown option "obs_last_actions". Did you mean'),
    ],
)
def test_wrong_options_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message.replace("?", r"\?")):
        terrarium.parallel_env("smac/3m", **options)


def test_options_reach_the_battle() -> None:
    env = terrarium.parallel_env("smac/3m", obs_last_action=True)
    assert env.observation_space("agent_0")["observation"].shape == (30 + 2 * 9,)
    assert env.vec.options.obs_last_action


def test_a_battle_can_be_drawn() -> None:
    env = terrarium.parallel_env("smac/3m", render_mode="rgb_array")
    env.reset(seed=1)
    assert env.render().shape[2] == 3
    assert terrarium.parallel_env("smac/3m").render() is None
