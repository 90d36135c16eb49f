"""Advantages and returns against a slow twin."""

import pytest
import torch

from terrarium.marl.returns import ValueNorm, generalized_advantages, lambda_returns


def naive_advantage(
    t: int,
    rewards: list[float],
    values: list[float],
    following: list[float],
    terminated: list[bool],
    over: list[bool],
    discount: float,
    trace: float,
) -> float:
    """The sum of all later surprises of the same episode, each discounted."""
    total, weight = 0.0, 1.0
    for k in range(t, len(rewards)):
        bootstrap = 0.0 if terminated[k] else discount * following[k]
        total += weight * (rewards[k] + bootstrap - values[k])
        if over[k]:
            break
        weight *= discount * trace
    return total


def test_advantages_equal_their_definition() -> None:
    generator = torch.Generator().manual_seed(0)
    n_steps, n_rows, n_agents = 20, 6, 3
    rewards = torch.rand(n_steps, n_rows, generator=generator)
    values, following = torch.randn(2, n_steps, n_rows, n_agents, generator=generator)
    terminated = torch.rand(n_steps, n_rows, generator=generator) < 0.1
    over = terminated | (torch.rand(n_steps, n_rows, generator=generator) < 0.1)
    found = generalized_advantages(rewards, values, following, terminated, over, 0.9, 0.8)
    for b in range(n_rows):
        for a in range(n_agents):
            columns = (rewards[:, b], values[:, b, a], following[:, b, a])
            lists = [column.tolist() for column in columns]
            flags = [terminated[:, b].tolist(), over[:, b].tolist()]
            expected = [naive_advantage(t, *lists, *flags, 0.9, 0.8) for t in range(n_steps)]
            torch.testing.assert_close(found[:, b, a], torch.tensor(expected), rtol=0, atol=1e-5)


def test_a_time_limit_bootstraps_and_an_end_does_not() -> None:
    values, following = torch.zeros(1, 2, 1), torch.full((1, 2, 1), 10.0)
    terminated, over = torch.tensor([[True, False]]), torch.tensor([[True, True]])
    found = generalized_advantages(
        torch.zeros(1, 2), values, following, terminated, over, 0.99, 0.95
    )
    assert found.flatten().tolist() == pytest.approx([0.0, 9.9])


def naive_lambda_return(
    t: int,
    rewards: list[float],
    following: list[float],
    terminated: list[bool],
    over: list[bool],
    discount: float,
    trace: float,
) -> float:
    """All returns of 1, 2, ... steps of the same episode, and their mean; the last takes the rest.

    The forward view: weights (1 - trace) trace^k, whatever is left for the longest one.
    """
    total, rewarded, left = 0.0, 0.0, 1.0
    for k in range(t, len(rewards)):
        rewarded += discount ** (k - t) * rewards[k]
        bootstrap = 0.0 if terminated[k] else discount ** (k - t + 1) * following[k]
        longest = over[k] or k == len(rewards) - 1
        weight = left if longest else left * (1.0 - trace)
        total += weight * (rewarded + bootstrap)
        left -= weight
        if longest:
            break
    return total


@pytest.mark.parametrize("trace", [0.0, 0.8, 1.0])
def test_lambda_returns_equal_their_definition(trace: float) -> None:
    generator = torch.Generator().manual_seed(0)
    n_steps, n_rows, n_agents = 20, 6, 3
    rewards = torch.rand(n_steps, n_rows, generator=generator)
    following = torch.randn(n_steps, n_rows, n_agents, generator=generator)
    terminated = torch.rand(n_steps, n_rows, generator=generator) < 0.1
    over = terminated | (torch.rand(n_steps, n_rows, generator=generator) < 0.1)
    assert terminated[:-1].any()
    assert (over & ~terminated)[:-1].any()
    found = lambda_returns(rewards, following, terminated, over, 0.9, trace)
    for b in range(n_rows):
        for a in range(n_agents):
            lists = [rewards[:, b].tolist(), following[:, b, a].tolist()]
            flags = [terminated[:, b].tolist(), over[:, b].tolist()]
            expected = [naive_lambda_return(t, *lists, *flags, 0.9, trace) for t in range(n_steps)]
            torch.testing.assert_close(found[:, b, a], torch.tensor(expected), rtol=0, atol=1e-5)


def test_lambda_returns_bootstrap_at_a_time_limit_and_not_at_an_end() -> None:
    rewards, following = torch.ones(2, 3), torch.full((2, 3, 1), 10.0)
    terminated = torch.tensor([[True, False, False], [False, False, False]])
    over = torch.tensor([[True, True, False], [False, False, False]])
    found = lambda_returns(rewards, following, terminated, over, 0.5, 1.0).squeeze(-1)
    assert found.tolist() == [[1.0, 6.0, 4.0], [6.0, 6.0, 6.0]]


def test_normalized_returns_come_back() -> None:
    norm = ValueNorm()
    assert norm.restore(torch.tensor(2.0)) == 2.0
    generator = torch.Generator().manual_seed(0)
    for _ in range(50):
        norm.update(5.0 + 3.0 * torch.randn(1000, generator=generator))
    assert float(norm.center) == pytest.approx(5.0, abs=0.1)
    assert float(norm.spread) == pytest.approx(3.0, abs=0.1)
    x = torch.tensor([1.0, 7.0])
    torch.testing.assert_close(norm.restore(norm.normalize(x)), x)
    other = ValueNorm()
    other.load_state_dict(norm.state_dict())
    assert other.center == norm.center
