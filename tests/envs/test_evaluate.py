"""Evaluation: exactly the battles that were asked for, whatever the batch."""

from dataclasses import asdict, replace

import pytest

from terrarium.data.battles.scenarios import load_scenario
from terrarium.envs.evaluate import BattleEvaluation, evaluate, wilson_interval
from terrarium.envs.options import options_for
from terrarium.envs.players.players import PLAYERS
from terrarium.envs.vector import VecEnv
from terrarium.errors import TerrariumError


@pytest.mark.parametrize(
    ("wins", "episodes", "low", "high"),
    [
        # By hand: center (p + z²/2n) / (1 + z²/n), half z/(1 + z²/n) sqrt(p(1-p)/n + z²/4n²).
        (5, 10, 0.2366, 0.7634),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (81, 263, 0.2553, 0.3662),  # Newcombe (1998), table I
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_interval(wins: int, episodes: int, low: float, high: float) -> None:
    assert wilson_interval(wins, episodes) == pytest.approx((low, high), abs=5e-5)


def outcome(result: BattleEvaluation) -> dict[str, object]:
    return {key: value for key, value in asdict(result).items() if key != "steps_per_s"}


@pytest.mark.slow
@pytest.mark.parametrize("player", PLAYERS)
def test_the_answer_depends_neither_on_the_batch_nor_on_the_threads(player: str) -> None:
    one = outcome(evaluate(PLAYERS[player](), "smac/3m", 23, seed=5, n_envs=1))
    many = outcome(evaluate(PLAYERS[player](), "smac/3m", 23, seed=5, n_envs=64, threads=2))
    some = outcome(evaluate(PLAYERS[player](), "smac/3m", 23, seed=5, n_envs=4))
    assert one == many == some


def test_exactly_the_asked_for_battles_count() -> None:
    for episodes in (1, 7, 16, 33):
        result = evaluate(PLAYERS["heuristic"](), "smac/3m", episodes, n_envs=16)
        assert result.episodes == episodes
        assert result.wins + result.defeats + result.draws + result.timeouts == episodes


def test_battles_of_two_runs_side_by_side_are_those_of_one() -> None:
    player = PLAYERS["heuristic"]()
    whole = evaluate(player, "smac/3m", 30, seed=10)
    first, second = (evaluate(player, "smac/3m", 15, seed=seed) for seed in (10, 25))
    assert whole.wins == first.wins + second.wins
    assert whole.mean_return == pytest.approx((first.mean_return + second.mean_return) / 2)


def test_long_battles_count_as_often_as_short_ones() -> None:
    # The naive twin: one battle after the other, each in an environment of its own.
    steps = []
    for seed in range(12):
        env = VecEnv("smac/3m", views=(), seed=seed)
        env.reset()
        while not (env.terminated | env.truncated)[0]:
            env.step(env.sample_actions())
        steps.append(int(env.outcome.episode_steps[0]))
        env.close()
    result = evaluate(PLAYERS["random"](), "smac/3m", 12, n_envs=5)
    assert result.mean_steps == pytest.approx(sum(steps) / len(steps))


@pytest.mark.parametrize("contract", ["fixed", "exact"])
def test_a_battle_that_runs_out_of_time_is_a_timeout(contract: str) -> None:
    scenario = replace(load_scenario("smac/3m"), limit_steps=5)
    options = options_for(scenario, {"contract": contract})
    result = evaluate(PLAYERS["random"](), scenario, 4, options=options)
    assert result.timeouts == 4
    assert result.mean_steps == 5.0


def test_progress_ends_at_the_number_of_battles() -> None:
    seen: list[int] = []
    evaluate(PLAYERS["heuristic"](), "smac/3m", 9, n_envs=4, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 9


@pytest.mark.parametrize(
    ("episodes", "seed", "message"),
    [(0, 0, "episodes is 0"), (-3, 0, "episodes is -3"), (5, -1, "seed is -1"), (5, 2**63, "seed")],
)
def test_impossible_requests_are_refused(episodes: int, seed: int, message: str) -> None:
    with pytest.raises(TerrariumError, match=message):
        evaluate(PLAYERS["random"](), "smac/3m", episodes, seed=seed)
