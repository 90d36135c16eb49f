"""Battles with a number of their own: what it is, when they end, and what steps are worth."""

from dataclasses import replace

import numpy as np
import pytest

from terrarium.data.battles.scenario import Measure
from terrarium.data.battles.scenarios import load_scenario
from terrarium.envs.evaluate import evaluate
from terrarium.envs.players.players import RandomPlayer
from terrarium.envs.vector import VecEnv
from tests.envs.skirmish import ENEMY, MARINE, OTHER_MARINE, SKIRMISH, skill, unit, wait
from tests.envs.stage import kill, put, stage

MEASURES = (
    Measure("kills", good=0.5),
    Measure("saves", good=0.5),
    Measure("survives", only=("marine",)),
    Measure("reach", at=(16.0, 16.0), radius=5.0, good=0.3),
    Measure("win", only=("roach",)),
)
ROACHES = (ENEMY, ENEMY + 1)  # the alphabet again


def measured(measure: Measure, **options: object) -> VecEnv:
    return stage(replace(load_scenario(SKIRMISH), measure=measure), **options)


def end(env: VecEnv) -> None:
    """Wait for the end of the battle."""
    while not env.over[0]:
        wait(env, 1)


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.kind)
@pytest.mark.parametrize("seed", range(2))
def test_discounted_rewards_are_the_number_whatever_happens_on_the_way(
    measure: Measure, seed: int
) -> None:
    """gamma^(T - 1) times the number, less the prospect of the start, which nobody can change."""
    env = measured(measure, seed=seed, reward_scale=False, reward_gamma=0.9)
    start = before = float(env._state.episode["prospect"][0, 0])
    total = discounted = 0.0
    n_steps = 0
    while not env.over[0]:
        env.step(env.sample_actions())
        total += float(env.reward[0])
        discounted += 0.9**n_steps * float(env.reward[0])
        n_steps += 1
        after = float(env._state.episode["prospect"][0, 0])
        number = float(env.outcome.measure[0])
        assert env.reward[0] == pytest.approx(0.9 * after - before + number, abs=1e-6)
        before = after
    assert after == 0.0
    assert 0.0 <= number <= 1.0
    assert discounted == pytest.approx(0.9 ** (n_steps - 1) * number - start, abs=1e-5)
    assert env.outcome.episode_return[0] == pytest.approx(total)
    assert env.outcome.won[0] == (number >= measure.good)
    assert env.terminated[0]
    assert not env.truncated[0]


def test_the_number_is_worth_twenty() -> None:
    env = measured(Measure("kills"))
    before = float(env._state.episode["prospect"][0, 0])
    assert before == pytest.approx(0.25)  # nobody hurt: the agents are safe, the rest is to do
    kill(env, *range(ENEMY, 18))
    wait(env, 1)
    assert env.outcome.measure[0] == 1.0
    assert env.outcome.won[0]
    assert env.outcome.episode_return[0] == pytest.approx(20.0 * (1.0 - before))


def test_sparse_rewards_are_the_number_alone() -> None:
    env = measured(Measure("kills", only=("roach",)), reward_sparse=True, reward_scale=False)
    kill(env, *ROACHES)
    wait(env, 1)
    assert env.over[0]
    assert env.reward[0] == 1.0


@pytest.mark.parametrize(
    ("measure", "dead", "over"),
    [
        (Measure("kills"), range(ENEMY), True),  # nobody is left to kill
        (Measure("kills"), range(ENEMY, 18), True),
        (Measure("kills", only=("roach",)), ROACHES, True),
        (Measure("saves"), ROACHES, False),
        (Measure("saves"), range(ENEMY, 18), True),  # nobody can hurt them
        (Measure("saves", only=("marine",)), (MARINE, OTHER_MARINE), True),
        (Measure("reach", at=(28.0, 28.0), radius=1.0), range(ENEMY, 18), False),  # still to walk
        (Measure("reach", at=(12.0, 16.0), radius=30.0), (), True),  # all are there
    ],
    ids=str,
)
def test_a_battle_ends_when_its_number_cannot_get_better(
    measure: Measure, dead: tuple[int, ...], over: bool
) -> None:
    env = measured(measure)
    kill(env, *dead)
    wait(env, 1)
    assert env.over[0] == over
    assert not env.timed_out[0]


def test_the_time_limit_is_an_end_at_which_the_number_is_taken() -> None:
    env = measured(Measure("saves", good=0.1))
    put(env, {m: (28.0, 3.0 + 1.5 * m) for m in range(ENEMY, 18)})
    for m in range(ENEMY, 18):
        unit(env, m)["n_orders"] = 0
    end(env)
    assert env.episode_steps[0] == 60
    assert env.timed_out[0]
    assert env.terminated[0]
    assert env.outcome.won[0]


def test_nearing_a_goal_is_worth_something() -> None:
    reach = Measure("reach", at=(28.0, 16.0), radius=2.0)
    env = measured(reach, reward_scale=False, reward_gamma=1.0)
    put(env, {m: (4.0, 3.0 + 1.5 * m) for m in range(ENEMY, 18)})
    before = float(env._state.episode["prospect"][0, 0])
    put(env, {a: (20.0, 8.0 + 1.5 * a) for a in range(ENEMY)})
    wait(env, 1)
    assert env.reward[0] > 0.1
    assert env._state.episode["prospect"][0, 0] == pytest.approx(before + env.reward[0])


def test_going_on_board_changes_no_prospect() -> None:
    env = stage(load_scenario("skills/medivac_drop"), reward_scale=False)
    assert env._state.episode["own_value"][0, 0] == 2 * 200 + 12 * 50
    assert env._state.episode["prospect"][0, 0] == pytest.approx(0.25)
    env.step(np.where(env.avail[..., 0], 0, skill(env, 1)))  # both unload
    wait(env, 4)
    assert env._state.episode["prospect"][0, 0] == pytest.approx(0.25)
    assert (~env.avail[0, :, 0]).sum() > 2


def test_an_evaluation_tells_the_mean_number() -> None:
    scenario = replace(load_scenario(SKIRMISH), measure=Measure("kills", good=0.4), limit_steps=20)
    result = evaluate(RandomPlayer(), scenario, episodes=12, n_envs=4, seed=3)
    assert 0.0 < result.mean_measure < 1.0
    assert result.wins + result.defeats + result.draws + result.timeouts == 12
    plain = evaluate(RandomPlayer(), "smac/3m", episodes=6, n_envs=3)
    assert plain.mean_measure == plain.win_rate


def test_a_won_battle_of_smac_measures_one() -> None:
    env = stage("smac/3m", heuristic_ai=True)
    while not env.over[0]:
        env.step(env.actions)
    assert env.outcome.measure[0] == float(env.outcome.won[0])
