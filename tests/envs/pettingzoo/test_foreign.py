"""Environments that nobody here wrote, unchanged, from their beginning to their end."""

from typing import Any

import numpy as np
import pytest

from terrarium.envs.pettingzoo.spec import find_spec
from terrarium.envs.pettingzoo.vector import PettingZooVecEnv
from tests.envs.pettingzoo.playing import play

FOREIGN: list[tuple[str, dict[str, Any]]] = [
    ("butterfly.knights_archers_zombies_v11:parallel_env", {"max_cycles": 250, "spawn_delay": 4}),
    ("classic.tictactoe_v3:env", {}),
    ("classic.connect_four_v3:env", {}),
    ("classic.rps_v2:env", {}),
    ("sisl.pursuit_v5:parallel_env", {"max_cycles": 12, "n_evaders": 5}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("path", "options"), FOREIGN, ids=[path for path, _ in FOREIGN])
def test_episodes_run_to_their_end(path: str, options: dict[str, Any]) -> None:
    env = PettingZooVecEnv(find_spec(f"pettingzoo:pettingzoo.{path}", options), n_envs=2)
    env.reset()
    n_ended = 0
    for _ in range(300):
        (step,) = play(env, 1)
        assert np.isfinite(step["now/state"]).all()
        assert step["now/avail"].any(axis=2).all()
        n_ended += int((step["terminated"] | step["truncated"]).sum())
        if n_ended >= 3:
            break
    assert n_ended >= 3
    before = env.now.state.copy()
    env.load(env.save())
    assert np.array_equal(before, env.now.state)
    env.close()


def test_knights_and_archers_leave_one_by_one() -> None:
    path, options = FOREIGN[0]
    # With this seed three are caught, one after another, before the zombies are through.
    env = PettingZooVecEnv(
        find_spec(f"pettingzoo:pettingzoo.{path}", options), seed=11, autoreset=False
    )
    env.reset()
    assert env.info.teams == (("archer", (0, 1)), ("knight", (2, 3)))
    n_there = [4]
    while not env.over.all():
        (step,) = play(env, 1)
        left = (step["own/1"] | step["own/2"]).sum()
        n_there.append(int(step["there"][0].sum()))
        assert n_there[-2] - n_there[-1] == left
    assert set(n_there) == {4, 3, 2, 1, 0}


def test_the_board_decides_who_may_choose_what() -> None:
    env = PettingZooVecEnv(find_spec("pettingzoo:pettingzoo.classic.tictactoe_v3:env", {}))
    env.reset()
    assert env.now.avail[0].tolist() == [[False, *[True] * 9], [True, *[False] * 9]]
    env.step([[5, 0]])  # the middle
    assert env.now.avail[0, 0].tolist() == [True, *[False] * 9]
    assert np.flatnonzero(~env.now.avail[0, 1]).tolist() == [0, 5]
    for actions in ([0, 1], [2, 0], [0, 3], [8, 0]):  # 2, 5 and 8 are in a row
        env.step([actions])
    assert env.terminated.tolist() == [True]
    assert env.own_reward.tolist() == [[1.0, -1.0]]
    env.close()
