"""Evaluation of returns: exactly the episodes that were asked for, whatever the batch."""

import math

import numpy as np
import pytest

from terrarium.envs.pettingzoo.evaluate import PettingZooEvaluation, evaluate_pettingzoo
from terrarium.envs.pettingzoo.players import RandomPettingZooPlayer
from terrarium.envs.pettingzoo.spec import find_spec
from terrarium.envs.pettingzoo.vector import PettingZooVecEnv
from terrarium.errors import TerrariumError
from tests.envs.pettingzoo.playing import zoo


@pytest.mark.parametrize("name", ["mpe/simple_tag", "turns", "every_kind"])
def test_the_answer_does_not_depend_on_the_batch(name: str) -> None:
    spec = find_spec(name, {"max_cycles": 6}) if "/" in name else zoo(name)
    results = [
        evaluate_pettingzoo(RandomPettingZooPlayer(1), spec, 11, seed=5, n_envs=n)
        for n in (1, 4, 16)
    ]
    for other in results[1:]:
        assert np.array_equal(results[0].returns, other.returns)
        assert np.array_equal(results[0].steps, other.steps)


@pytest.mark.slow
def test_the_answer_does_not_depend_on_the_workers() -> None:
    spec = find_spec("mpe/simple_push", {"max_cycles": 6})
    one, two = (
        evaluate_pettingzoo(RandomPettingZooPlayer(1), spec, 7, n_envs=4, workers=workers)
        for workers in (1, 2)
    )
    assert np.array_equal(one.returns, two.returns)


def test_returns_are_those_of_the_episodes() -> None:
    progress: list[int] = []
    spec = zoo("plain")
    result = evaluate_pettingzoo(
        RandomPettingZooPlayer(2), spec, 5, 3, n_envs=2, progress=progress.append
    )
    assert progress[-1] == 5
    assert result.steps.tolist() == [6] * 5
    for k in range(5):
        env = PettingZooVecEnv(spec, seed=3 + k)
        env.reset()
        total = np.zeros((1, 3))
        for _ in range(6):
            env.step(RandomPettingZooPlayer(2).act(env))
            total += env.own_reward
        assert result.returns[k] == pytest.approx(total[0])


def test_teams_and_intervals() -> None:
    result = PettingZooEvaluation(
        scenario="x",
        episodes=4,
        seed=0,
        returns=np.array([[0.0, 2.0, 4.0], [1.0, 3.0, 5.0], [2.0, 4.0, 6.0], [3.0, 5.0, 7.0]]),
        steps=np.full(4, 6),
        agents=("a_0", "a_1", "b_0"),
        teams=(("a", (0, 1)), ("b", (2,))),
        steps_per_s=1.0,
    )
    assert result.mean_return == 3.5
    assert {team: part.mean for team, part in result.by_team().items()} == {"a": 2.5, "b": 5.5}
    # Episodes' means are 2, 3, 4, 5: standard deviation sqrt(5 / 3), of their mean half of that.
    half = 1.959964 * math.sqrt(5.0 / 3.0) / 2.0
    assert result.interval == pytest.approx((3.5 - half, 3.5 + half))


@pytest.mark.parametrize(("episodes", "seed"), [(0, 0), (1, -1)])
def test_odd_numbers_are_refused(episodes: int, seed: int) -> None:
    with pytest.raises(TerrariumError, match=f"is {min(episodes, seed)}; a"):
        evaluate_pettingzoo(RandomPettingZooPlayer(), zoo("plain"), episodes, seed)


@pytest.mark.slow
def test_random_players_choose_all_alike_and_differ_by_their_seed() -> None:
    env = PettingZooVecEnv(zoo("every_kind"), n_envs=400)
    env.reset()
    actions = RandomPettingZooPlayer(0).act(env)
    assert np.array_equal(actions, RandomPettingZooPlayer(0).act(env))
    assert not np.array_equal(actions, RandomPettingZooPlayer(1).act(env))
    # 400 draws: four standard deviations are 4 * sqrt(p (1 - p) / 400), at most 0.1.
    assert actions[:, 0, 1:5].mean(axis=0) == pytest.approx([0.25] * 4, abs=0.1)
    assert actions[:, 3, 1:4].mean(axis=0) == pytest.approx([0.5] * 3, abs=0.1)
    numbers = actions[:, 5, 1:3]
    assert numbers.mean() == pytest.approx(0.0, abs=0.1)
    assert numbers.std() == pytest.approx(1.0 / math.sqrt(3.0), abs=0.05)
