"""Agents come and go, wait for their turn, and choose by their masks."""

import numpy as np
import pytest

from terrarium.envs.pettingzoo.players import RandomPettingZooPlayer
from terrarium.envs.pettingzoo.vector import PettingZooVecEnv
from terrarium.envs.vector import EnvError
from tests.envs.pettingzoo.playing import play, zoo


@pytest.mark.parametrize("factory", ["crowd", "crowd_that_keeps_the_done", "crowd_that_is_silent"])
def test_agents_come_leave_and_come_back(factory: str) -> None:
    env = PettingZooVecEnv(zoo(factory), autoreset=False)
    env.reset()
    log = play(env, 6)
    there = [step["there"][0].tolist() for step in log]
    yes, no = True, False
    assert there == [
        [yes, yes, yes, no],
        [yes, no, yes, yes],
        [yes, no, no, yes],
        [yes, yes, no, yes],
        [yes, yes, no, yes],
        [no, no, no, no],
    ]
    terminated = np.array([step["own/1"][0] for step in log])
    truncated = np.array([step["own/2"][0] for step in log])
    assert np.argwhere(terminated).tolist() == [[1, 1]]
    assert np.argwhere(truncated).tolist() == [[2, 2], [5, 0], [5, 1], [5, 3]]
    assert env.over.tolist() == [True]
    assert (env.truncated.tolist(), env.terminated.tolist()) == ([True], [False])


def test_who_is_cut_off_keeps_what_it_could_do_for_one_step() -> None:
    env = PettingZooVecEnv(zoo("crowd"), autoreset=False)
    env.reset()
    log = play(env, 6)
    may_act = [(~step["now/avail"][0, :, 0]).tolist() for step in log]
    assert [step[1] for step in may_act[:3]] == [True, False, False]  # terminated: gone at once
    assert [step[2] for step in may_act[1:4]] == [True, True, False]  # truncated
    assert not log[2]["there"][0, 2]
    assert may_act[5] == [True, True, False, True]


def test_teams_may_be_paid_together() -> None:
    own, team = (PettingZooVecEnv(zoo("crowd"), reward=reward) for reward in ("own", "team"))
    for env in (own, team):
        env.reset()
        play(env, 3)
    mean = own.own_reward.sum(axis=1) / own.n_agents
    assert np.array_equal(team.own_reward, np.repeat(mean[:, None], own.n_agents, axis=1))
    with pytest.raises(EnvError, match=r'unknown reward "teem". Did you mean "team"\?'):
        PettingZooVecEnv(zoo("crowd"), reward="teem")


def test_who_leaves_keeps_its_last_observation_for_one_step() -> None:
    told, silent = (
        PettingZooVecEnv(zoo(f), autoreset=False) for f in ("crowd", "crowd_that_is_silent")
    )
    for env in (told, silent):
        env.reset()
        log = play(env, 3)
        first, leaves, after = (step["now/obs"][0, 1] for step in log)
        assert leaves.any()
        assert not after.any()
        assert np.array_equal(leaves, first) is (env is silent)
        assert np.array_equal(log[1]["now/state"][0, 3:6], leaves)
        assert not log[2]["now/state"][0, 3:6].any()
        assert log[1]["own/0"][0, 1] != 0.0
        assert log[2]["own/0"][0, 1] == 0.0


def test_the_end_is_told_apart() -> None:
    for factory, decided in (("decided", True), ("plain", False)):
        env = PettingZooVecEnv(zoo(factory), n_envs=2)
        env.reset()
        step = play(env, 6)[-1]
        assert step["terminated"].tolist() == [decided] * 2
        assert step["truncated"].tolist() == [not decided] * 2
        assert step["own/1"].all() == decided
        assert step["own/2"].all() != decided


def test_returns_are_whole_until_the_next_step() -> None:
    env = PettingZooVecEnv(zoo("plain"), n_envs=2)
    env.reset()
    log = play(env, 7)
    rewards = np.array([step["own/0"] for step in log])  # [T, N, A]
    assert log[5]["own/3"] == pytest.approx(rewards[:6].sum(axis=0))
    assert log[5]["episode_return"] == pytest.approx(rewards[:6].sum(axis=(0, 2)) / 3)
    assert log[5]["episode_steps"].tolist() == [6, 6]
    assert log[5]["own/4"].tolist() == [0, 0]
    assert np.array_equal(log[6]["own/3"], rewards[6])
    env.reset()
    assert not env.episode_returns.any()
    assert not env.own_reward.any()


def test_the_final_views_are_those_without_autoreset() -> None:
    going_on, stopping = (PettingZooVecEnv(zoo("crowd"), autoreset=auto) for auto in (True, False))
    for env in (going_on, stopping):
        env.reset()
    log, last = play(going_on, 6)[-1], play(stopping, 6)[-1]
    for view in ("obs", "state", "avail"):
        assert np.array_equal(log[f"final/{view}"], last[f"now/{view}"])
        assert not np.array_equal(log[f"now/{view}"], last[f"now/{view}"])
    assert len(stopping.final.obs) == 0


@pytest.mark.parametrize("factory", ["masked", "masked_in_parts"])
def test_masks_are_kept_apart_and_obeyed(factory: str) -> None:
    env = PettingZooVecEnv(zoo(factory))
    assert env.info.obs_sizes == (3, 3)
    env.reset()
    player = RandomPettingZooPlayer(0)
    for t in range(13):  # the toy refuses what its masks forbid
        phase = t % 6
        first = [k == phase % 3 for k in range(3)]
        expected = [False, *first, True, phase % 2 == 1]
        nothing = [True, False, False, False, False, False]
        assert env.now.avail[0, 0].tolist() == expected
        assert env.now.avail[0, 1].tolist() == (nothing if phase % 3 == 2 else expected)
        env.step(player.act(env))


def test_only_who_has_its_turn_may_choose() -> None:
    env = PettingZooVecEnv(zoo("turns"), autoreset=False)
    env.reset()
    assert env.info.teams == (("a", (0,)), ("b", (1,)))
    for says, turn in ((3, 0), (3, 1), (3, 0)):
        assert env.now.avail[0, :, 0].tolist() == [turn == 1, turn == 0]
        actions = np.zeros((1, 2), np.int64)
        actions[0, turn] = says
        env.step(actions)
    assert env.now.obs[0, 0, 0] == pytest.approx(9.0 / 10.0 - 1.0)
    env.step(np.array([[0, 1]]))
    assert env.own_reward.tolist() == [[-1.0, 1.0]]
    assert env.terminated.tolist() == [True]


def test_columns_become_actions_of_every_kind() -> None:
    env = PettingZooVecEnv(
        zoo("every_kind"), n_envs=2
    )  # the toy refuses what is outside of its spaces
    env.reset()
    for step in play(env, 13):
        assert np.isfinite(step["now/state"]).all()
    given = env.environments[0].given
    assert given["toy_6"].dtype == np.uint8
    assert given["toy_2"].shape == (2, 2)
