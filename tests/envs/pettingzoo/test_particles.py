"""Particle environments are mpe2's own, only faster."""

import sys
from typing import Any

import numpy as np
import pytest

from terrarium.envs.pettingzoo.particles import COOPERATIVE, particle_module, particle_modules
from terrarium.envs.pettingzoo.spec import find_spec, spec_names
from terrarium.envs.pettingzoo.vector import PettingZooVecEnv
from terrarium.errors import TerrariumError
from tests.envs.pettingzoo.playing import play

SPECS = spec_names()


def assert_equal(ours: Any, theirs: Any) -> None:
    assert list(ours) == list(theirs)
    for agent in theirs:
        assert np.asarray(ours[agent]).dtype == np.asarray(theirs[agent]).dtype
        assert np.array_equal(ours[agent], theirs[agent])


@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize("name", SPECS)
def test_episodes_equal_those_of_mpe2_to_the_bit(name: str, continuous: bool) -> None:
    options = {"continuous_actions": continuous, "max_cycles": 7}
    ours = find_spec(name, options).make()
    theirs = particle_module(name.removeprefix("mpe/")).parallel_env(**options)
    rng = np.random.default_rng(5)
    for seed in (3, 4, None):
        (seen, infos), (their_seen, their_infos) = ours.reset(seed=seed), theirs.reset(seed=seed)
        if seed is None:  # the series of episodes goes on alike, too
            assert ours.agents == theirs.agents
        assert_equal(seen, their_seen)
        assert infos == their_infos
        while theirs.agents:
            actions = {}
            for agent in theirs.agents:
                space = theirs.action_space(agent)
                drawn = rng.integers(space.n) if not continuous else rng.random(space.shape)
                actions[agent] = drawn if not continuous else drawn.astype(np.float32)
            (seen, *ours_rest), (their_seen, *their_rest) = ours.step(actions), theirs.step(actions)
            assert_equal(seen, their_seen)
            for left, right in zip(ours_rest, their_rest, strict=True):
                assert dict(left) == dict(right)
            assert ours.agents == theirs.agents
        assert np.array_equal(ours.state(), theirs.state())


def test_success_terminates_and_the_time_limit_truncates() -> None:
    env = find_spec("mpe/simple_spread", {"terminate_on_success": True, "N": 1}).make()
    env.reset(seed=0)
    spec = env.unwrapped.world
    spec.agents[0].state.p_pos = spec.landmarks[0].state.p_pos.copy()
    _, _, terminated, truncated, _ = env.step({"agent_0": 0})
    assert (terminated, truncated, env.agents) == ({"agent_0": True}, {"agent_0": False}, [])


def test_actions_out_of_bounds_are_clipped() -> None:
    spec = find_spec("mpe/simple_spread", {"continuous_actions": True})
    seen = []
    for factor in (1.0, 100.0):
        env = spec.make()
        env.reset(seed=0)
        push = factor * np.ones(5, np.float32) * np.array([0, 0, 1, 0, 0], np.float32)
        seen.append(env.step(dict.fromkeys(env.agents, push))[0])
    assert_equal(seen[0], seen[1])


def test_an_array_given_as_action_is_not_changed() -> None:
    env = find_spec("mpe/simple_reference", {}).make()
    env.reset(seed=0)
    actions = {agent: np.array(17) for agent in env.agents}
    env.step(actions)
    assert all(int(action) == 17 for action in actions.values())


def test_the_table_of_worlds_is_that_of_mpe2() -> None:
    assert {name.rpartition("_v")[0] for name in particle_modules()} == set(COOPERATIVE)


@pytest.mark.parametrize("name", SPECS)
def test_cooperation_is_known(name: str) -> None:
    rivals = {"adversary", "crypto", "push", "tag", "world_comm"}
    expected = name.removeprefix("mpe/").removeprefix("simple_") not in rivals
    assert find_spec(name, {}).cooperative is expected


@pytest.mark.parametrize("continuous", [False, True])
@pytest.mark.parametrize("name", SPECS)
def test_every_environment_keeps_the_contract(name: str, continuous: bool) -> None:
    spec = find_spec(name, {"continuous_actions": continuous, "max_cycles": 4})
    env = PettingZooVecEnv(spec, n_envs=2)
    assert spec.limit_steps == 4
    assert bool(env.action_columns) is continuous
    env.reset()
    info = env.info
    assert env.now.obs.shape == (2, info.n_agents, info.obs_width)
    assert env.now.state.shape == (2, info.state_size)
    assert env.now.avail.shape == (2, info.n_agents, info.n_actions)
    assert sorted(a for _, places in info.teams for a in places) == list(range(info.n_agents))
    for t, step in enumerate(play(env, 9), start=1):
        assert (step["truncated"] == (t % 4 == 0)).all()
        assert not step["terminated"].any()
        assert np.isfinite(step["now/state"]).all()
        own = step["own/0"]
        assert step["reward"] == pytest.approx(own.sum(axis=1) / info.n_agents)
        for e in range(2):
            rows = [step["now/obs"][e, a, :size] for a, size in enumerate(info.obs_sizes)]
            assert np.array_equal(np.concatenate(rows), step["now/state"][e])
    env.close()


def test_a_version_may_be_named() -> None:
    named, plain = (find_spec(f"mpe/simple_spread{end}", {}) for end in ("_v3", ""))
    assert named.info.agents == plain.info.agents
    with pytest.raises(TerrariumError, match="has no simple_spread_v2"):
        find_spec("mpe/simple_spread_v2", {}).make()


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mpe2.all_modules", None)
    with pytest.raises(TerrariumError, match=r'pip install "terrarium-sc2\[mpe\]"'):
        find_spec("mpe/simple_spread", {}).make()
