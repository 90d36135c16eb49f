"""Relaxed choices: samples with the right frequencies, and gradients that lead somewhere."""

import math
from collections.abc import Callable

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from terrarium.marl.actions.relaxed import (
    bits_st,
    categorical_st,
    gumbel,
    gumbel_softmax,
    logistic,
    one_hot_of,
    relaxed_bits,
    straight_through,
)
from terrarium.marl.batch import LOWEST, mask_unavailable

N_SAMPLES = 20_000
TEMPERATURES = (0.1, 0.5, 1.0, 2.0, 10.0)
ONCE_IN_A_THOUSAND = {1: 10.83, 2: 13.82, 3: 16.27, 4: 18.47}
"""What chi-square exceeds so rarely, by its degrees of freedom"""
LAST_BELOW_1 = 1.0 - 2.0**-24
"""The largest uniform number in float32"""

LOGITS = {
    "even": [0.0, 0.0, 0.0, 0.0],
    "skewed": [3.0, 0.0, -1.0, 1.0, -2.0],
    "far from zero": [101.0, 100.0, 99.5],
    "masked": [LOWEST, 0.5, LOWEST, -0.5, 1.0],
    "masked and skewed": [2.0, LOWEST, -2.0],
    "one is left": [LOWEST, -7.0, LOWEST],
}

seeds = st.integers(0, 2**32)
temperatures = st.sampled_from(TEMPERATURES)
logit = st.floats(-20.0, 20.0, width=32)
extreme = st.sampled_from([LOWEST, -LOWEST, 1e30, -1e30, 100.0, -100.0, 0.0]) | logit
uniform = st.sampled_from([0.0, 2.0**-24, LAST_BELOW_1, 1.0]) | st.floats(0.0, 1.0, width=32)


def uniform_like(x: Tensor, seed: int) -> Tensor:
    return torch.rand(x.shape, generator=torch.Generator().manual_seed(seed), dtype=x.dtype)


def many(logits: list[float]) -> Tensor:
    return torch.tensor(logits).expand(N_SAMPLES, -1)


def misfit(counts: Tensor, chances: Tensor) -> tuple[float, int]:
    """Chi-square of what can happen at all, and its degrees of freedom."""
    possible = chances > 0.0
    assert int(counts[~possible].sum()) == 0
    expected = counts.sum() * chances[possible]
    errors = (counts[possible] - expected).square() / expected
    return float(errors.sum()), int(possible.sum()) - 1


@pytest.mark.parametrize("name", LOGITS)
@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_categories_come_as_often_as_softmax_says(name: str, temperature: float) -> None:
    logits = many(LOGITS[name])
    counts = categorical_st(logits, uniform_like(logits, 1), temperature).double().sum(0)
    error, freedom = misfit(counts, logits[0].double().softmax(-1))
    assert freedom == 0 or error < ONCE_IN_A_THOUSAND[freedom]


def test_the_test_of_frequencies_notices_wrong_chances() -> None:
    logits = many(LOGITS["skewed"])
    drawn = categorical_st(logits, uniform_like(logits, 1), 1.0).double().sum(0)
    error, freedom = misfit(drawn, (logits[0].double() / 1.1).softmax(-1))
    assert error > ONCE_IN_A_THOUSAND[freedom]


@pytest.mark.parametrize("temperature", TEMPERATURES)
@pytest.mark.parametrize("value", [0.0, -3.0, 1.5, 5.0])
def test_bits_come_as_often_as_sigmoid_says(value: float, temperature: float) -> None:
    logits = torch.full((N_SAMPLES,), value)
    ones = bits_st(logits, uniform_like(logits, 2), temperature).double().sum()
    chance = logits[0].double().sigmoid()
    counts = torch.stack((ones, N_SAMPLES - ones))
    error, freedom = misfit(counts, torch.stack((chance, 1.0 - chance)))
    assert error < ONCE_IN_A_THOUSAND[freedom]


@given(st.lists(logit, min_size=1, max_size=6), seeds)
def test_the_temperature_does_not_change_what_is_drawn(row: list[float], seed: int) -> None:
    logits = torch.tensor(row).expand(50, -1)
    u = uniform_like(logits, seed)
    cold, *others = (categorical_st(logits, u, temperature) for temperature in TEMPERATURES)
    assert torch.equal(cold, one_hot_of(logits + gumbel(u)))  # Gumbel-max
    assert all(torch.equal(cold, other) for other in others)
    bits = [bits_st(logits, u, temperature) for temperature in TEMPERATURES]
    assert all(torch.equal(bits[0], other) for other in bits)


@given(st.lists(extreme, min_size=1, max_size=6), st.data(), temperatures)
def test_samples_are_exact_and_gradients_finite_for_any_numbers(
    row: list[float], data: st.DataObject, temperature: float
) -> None:
    u = torch.tensor(data.draw(st.lists(uniform, min_size=len(row), max_size=len(row))))
    weights = torch.linspace(-2.0, 3.0, len(row))
    samples: tuple[Callable[..., Tensor], ...] = (categorical_st, bits_st)
    for sample in samples:
        logits = torch.tensor(row, requires_grad=True)
        drawn = sample(logits, u, temperature)
        assert set(drawn.tolist()) <= {0.0, 1.0}
        assert sample is bits_st or drawn.sum() == 1.0
        (drawn * weights).sum().backward()
        assert logits.grad is not None
        assert logits.grad.isfinite().all()


@given(st.lists(logit, min_size=2, max_size=6), seeds, temperatures)
def test_the_gradient_is_that_of_the_relaxed_sample(
    row: list[float], seed: int, temperature: float
) -> None:
    logits = torch.tensor(row, requires_grad=True)
    u = uniform_like(logits, seed)
    weights = uniform_like(logits, seed + 1)
    pairs: tuple[tuple[Callable[..., Tensor], Callable[..., Tensor]], ...] = (
        (categorical_st, gumbel_softmax),
        (bits_st, relaxed_bits),
    )
    for hard, soft in pairs:
        slopes = [
            torch.autograd.grad((sample(logits, u, temperature) * weights).sum(), logits)[0]
            for sample in (hard, soft)
        ]
        assert torch.equal(*slopes)


def test_the_slope_of_what_follows_is_taken_at_the_hard_sample() -> None:
    logits = torch.tensor([0.3, -0.2, 0.1], dtype=torch.float64, requires_grad=True)
    u = uniform_like(logits, 5)
    soft = gumbel_softmax(logits, u, 0.7)
    hard = one_hot_of(soft.detach())
    weights = torch.tensor([1.0, -2.0, 0.5], dtype=torch.float64)
    through = categorical_st(logits, u, 0.7)
    (slope,) = torch.autograd.grad((through @ weights) ** 2, logits)
    by_hand = 2.0 * (hard @ weights) * weights  # of the square, where the one-hot is
    (expected,) = torch.autograd.grad(soft, logits, by_hand)
    torch.testing.assert_close(slope, expected)


@given(seeds, st.sampled_from([0.3, 0.5, 1.0, 2.0]))
def test_the_gradient_is_the_slope_of_the_relaxed_sample(seed: int, temperature: float) -> None:
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(4, generator=generator, dtype=torch.float64, requires_grad=True)
    u = torch.rand(4, generator=generator, dtype=torch.float64)
    assert torch.autograd.gradcheck(lambda x: gumbel_softmax(x, u, temperature), (logits,))
    assert torch.autograd.gradcheck(lambda x: relaxed_bits(x, u, temperature), (logits,))


@given(st.lists(st.tuples(logit, st.booleans()), min_size=1, max_size=6), seeds, temperatures)
def test_what_is_masked_is_never_drawn_and_has_no_gradient(
    row: list[tuple[float, bool]], seed: int, temperature: float
) -> None:
    logits = torch.tensor([value for value, _ in row], requires_grad=True)
    avail = torch.tensor([free for _, free in row])
    masked = mask_unavailable(logits, avail).expand(30, -1)  # a row may be masked as a whole
    u = uniform_like(masked, seed)
    drawn = categorical_st(masked, u, temperature)
    assert set(drawn.unique().tolist()) <= {0.0, 1.0}
    assert (drawn.sum(-1) == 1.0).all()
    assert not avail.any() or (drawn * ~avail).sum() == 0.0
    (slope,) = torch.autograd.grad((drawn * uniform_like(masked, seed + 1)).sum(), logits)
    assert slope.isfinite().all()
    assert (slope[~avail] == 0.0).all()


@pytest.mark.parametrize("temperature", TEMPERATURES)
def test_the_lowest_number_gets_no_gradient_without_any_mask(temperature: float) -> None:
    logits = torch.tensor(LOGITS["masked"], requires_grad=True)
    drawn = categorical_st(logits, uniform_like(logits, 0), temperature)
    (slope,) = torch.autograd.grad(drawn @ torch.arange(5.0), logits)
    assert (slope[[0, 2]] == 0.0).all()
    assert temperature == 0.1 or (slope[[1, 3, 4]] != 0.0).all()  # when cold, one takes all


def test_the_noise_has_the_moments_of_gumbels_and_of_the_logistic_distribution() -> None:
    u = uniform_like(torch.empty(200_000, dtype=torch.float64), 3)
    # Within four standard errors: the deviation is 1.28 and 1.81, the root of 200,000 is 447.
    assert gumbel(u).mean().item() == pytest.approx(0.577216, abs=0.0115)
    assert gumbel(u).std().item() == pytest.approx(math.pi / math.sqrt(6.0), abs=0.02)
    assert logistic(u).mean().item() == pytest.approx(0.0, abs=0.0163)
    assert logistic(u).std().item() == pytest.approx(math.pi / math.sqrt(3.0), abs=0.02)


def test_a_colder_sample_is_nearer_to_a_one_hot() -> None:
    logits = many(LOGITS["skewed"])
    u = uniform_like(logits, 4)
    tops = [gumbel_softmax(logits, u, t).amax(-1).mean().item() for t in TEMPERATURES]
    assert tops == sorted(tops, reverse=True)
    assert tops[0] > 0.95


def test_straight_through_has_one_value_and_the_other_gradient() -> None:
    soft = torch.tensor([0.1, 0.2, 0.7], requires_grad=True)
    hard = torch.tensor([0.0, 1.0, 0.0])
    through = straight_through(hard, soft)
    assert torch.equal(through, hard)
    through.backward(torch.tensor([1.0, 2.0, 3.0]))
    assert soft.grad is not None
    assert soft.grad.tolist() == [1.0, 2.0, 3.0]


def ascended(objective: Callable[[Tensor, Tensor], Tensor], n: int) -> Tensor:
    """Logits [n] after 200 steps up the gradient of the mean over 32 samples."""
    logits = torch.zeros(n, requires_grad=True)
    optimizer = torch.optim.Adam([logits], lr=0.05)
    generator = torch.Generator().manual_seed(0)
    for _ in range(200):
        loss = -objective(logits.expand(32, -1), torch.rand(32, n, generator=generator)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return logits.detach()


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("best", range(4))
def test_going_up_the_gradient_finds_the_best_arm(best: int, temperature: float) -> None:
    rewards = torch.tensor([0.2, 0.5, 0.1, 0.4])
    rewards[best] = 1.0
    found = ascended(lambda x, u: categorical_st(x, u, temperature) @ rewards, 4)
    assert found.softmax(-1)[best] > 0.9


def test_going_up_the_gradient_never_finds_a_masked_arm() -> None:
    rewards = torch.tensor([0.2, 0.5, 9.0, 0.4])  # the best one may not be chosen
    avail = torch.tensor([True, True, False, True])
    found = ascended(lambda x, u: categorical_st(mask_unavailable(x, avail), u, 1.0) @ rewards, 4)
    assert found[2] == 0.0
    assert mask_unavailable(found, avail).softmax(-1)[1] > 0.9


def test_going_up_the_gradient_sets_the_bits_that_pay() -> None:
    pays = torch.tensor([1.0, -1.0, 0.5, -0.2])
    found = ascended(lambda x, u: bits_st(x, u, 1.0) @ pays, 4)
    assert torch.equal(found > 0.0, pays > 0.0)
    assert torch.equal(found.sigmoid() > 0.9, pays > 0.0)
