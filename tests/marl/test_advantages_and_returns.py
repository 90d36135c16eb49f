"""Advantages and returns against a slow twin."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from terrarium.marl.advantages_and_returns import (
    ValueNorm,
    generalized_advantages,
    lambda_returns,
    n_step_returns,
)
from tests.naive import lambda_return, n_step_return

N_STEPS, N_ROWS, N_AGENTS = 20, 8, 3
JUNK = 1e6
"""What padding holds: nothing that could be overlooked"""


def naive_advantage(
    t: int,
    rewards: list[float],
    values: list[float],
    following: list[float],
    terminated: list[bool],
    over: list[bool],
    gamma: float,
    trace: float,
) -> float:
    """The sum of all later surprises of the same episode, each discounted."""
    total, weight = 0.0, 1.0
    for k in range(t, len(rewards)):
        bootstrap = 0.0 if terminated[k] else gamma * following[k]
        total += weight * (rewards[k] + bootstrap - values[k])
        if over[k]:
            break
        weight *= gamma * trace
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


def episodes(n_agents: int, padded: bool) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Rewards, values of what followed, ends, and ends or time limits, some of them in the middle.

    Padded, each row is one episode, whose last step is an end or a time limit; rows of all lengths
    are followed by junk.
    """
    generator = torch.Generator().manual_seed(1)
    rewards = torch.randn(N_STEPS, N_ROWS, generator=generator, dtype=torch.float64)
    shape = (N_STEPS, N_ROWS, n_agents) if n_agents else (N_STEPS, N_ROWS)
    following = torch.randn(shape, generator=generator, dtype=torch.float64)
    if padded:
        lengths = torch.tensor([1, 2, 5, 9, 14, 18, 19, 20])
        steps = torch.arange(N_STEPS).unsqueeze(1)
        over = steps == lengths - 1
        terminated = over & (torch.arange(N_ROWS) % 2 == 0)
        rewards[steps >= lengths] = JUNK
        following[steps >= lengths] = JUNK
        return rewards, following, terminated | (steps > lengths), over
    terminated = torch.rand(N_STEPS, N_ROWS, generator=generator) < 0.1
    over = terminated | (torch.rand(N_STEPS, N_ROWS, generator=generator) < 0.1)
    assert terminated[:-1].any()
    assert (over & ~terminated)[:-1].any()
    return rewards, following, terminated, over


def check(
    returns: Callable[..., Tensor],
    naive: Callable[..., float],
    reach: float,
    n_agents: int,
    padded: bool,
) -> None:
    """Compare a row at a time; of padded ones, what comes before the end."""
    rewards, following, terminated, over = episodes(n_agents, padded)
    found = returns(rewards, following, terminated, over, 0.9, reach)
    assert found.shape == following.shape
    for b in range(N_ROWS):
        n = int(over[:, b].nonzero()[0]) + 1 if padded else N_STEPS
        flags = (terminated[:n, b].tolist(), over[:n, b].tolist())
        for a in range(max(n_agents, 1)):
            of_agent = (slice(0, n), b, a) if n_agents else (slice(0, n), b)
            lists = (rewards[:n, b].tolist(), following[of_agent].tolist())
            expected = [naive(t, *lists, *flags, 0.9, reach) for t in range(n)]
            assert found[of_agent].tolist() == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n_agents", [0, N_AGENTS])
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("trace", [0.0, 0.3, 0.6, 1.0])
def test_lambda_returns_equal_their_forward_view(trace: float, padded: bool, n_agents: int) -> None:
    check(lambda_returns, lambda_return, trace, n_agents, padded)


@pytest.mark.parametrize("n_agents", [0, N_AGENTS])
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("n", [1, 2, 5, 50])
def test_n_step_returns_equal_their_definition(n: int, padded: bool, n_agents: int) -> None:
    check(n_step_returns, n_step_return, n, n_agents, padded)


def test_both_kinds_of_returns_meet_at_their_ends() -> None:
    rest = episodes(N_AGENTS, padded=False)
    one, all_of_them = (n_step_returns(*rest, 0.9, n) for n in (1, N_STEPS))
    torch.testing.assert_close(lambda_returns(*rest, 0.9, 0.0), one)
    torch.testing.assert_close(lambda_returns(*rest, 0.9, 1.0), all_of_them)


def test_normalized_returns_come_back() -> None:
    norm = ValueNorm()
    assert norm.denormalize(torch.tensor(2.0)) == 2.0
    generator = torch.Generator().manual_seed(0)
    for _ in range(50):
        norm.update(5.0 + 3.0 * torch.randn(1000, generator=generator))
    assert float(norm.center) == pytest.approx(5.0, abs=0.1)
    assert float(norm.spread) == pytest.approx(3.0, abs=0.1)
    x = torch.tensor([1.0, 7.0])
    torch.testing.assert_close(norm.denormalize(norm.normalize(x)), x)
    other = ValueNorm()
    other.load_state_dict(norm.state_dict())
    assert other.center == norm.center


def test_statistics_of_returns_are_debiased_averages() -> None:
    """As in the authors' program: exponential averages with a decay of 0.99999."""
    norm, generator = ValueNorm(), torch.Generator().manual_seed(1)
    mean = square = bias = 0.0
    for k in range(20):
        returns = k + torch.randn(30, generator=generator)
        norm.update(returns)
        mean = 0.99999 * mean + 0.00001 * float(returns.mean())
        square = 0.99999 * square + 0.00001 * float(returns.square().mean())
        bias = 0.99999 * bias + 0.00001
        spread = max(square / bias - (mean / bias) ** 2, 0.01) ** 0.5
        x = torch.tensor([-3.0, 40.0])
        torch.testing.assert_close(norm.normalize(x), ((x - mean / bias) / spread).float())
        torch.testing.assert_close(norm.denormalize(x), (x * spread + mean / bias).float())
