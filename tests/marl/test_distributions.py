"""Distributions over actions are those of torch.distributions, part by part."""

import math

import pytest
import torch
from torch import Tensor
from torch.distributions import Bernoulli, Categorical, Normal, TransformedDistribution
from torch.distributions.transforms import TanhTransform

from terrarium.envs.tasks.spec import Spec
from terrarium.marl.net_config import NetConfig
from terrarium.marl.nets.distributions import EDGE, ActionHead, VectorActions

CPU = torch.device("cpu")
PARTS = (
    (("choice", 3), ("choice", 2)),
    (("real", 3),),
    (("flag", 2), ("real", 1)),
)
N = 6
"""Columns: nothing, and five of the widest agent"""
LOWEST = torch.finfo(torch.float32).min


def made(share_params: bool = False, log_std: float = -0.3) -> ActionHead:
    spec = Spec(3, N, N, 4, 4, parts=PARTS)
    head = ActionHead(spec, NetConfig(share_params=share_params), log_std, CPU)
    assert isinstance(head.log_std, torch.nn.Parameter)
    with torch.no_grad():
        head.log_std += 0.1 * torch.arange(head.log_std.numel()).view_as(head.log_std)
    return head


def outputs(n: int = 5) -> tuple[Tensor, Tensor]:
    """Outputs of an actor [n, 3, N], masked as it does, and what is available."""
    avail = torch.zeros((n, 3, N), dtype=torch.bool)
    avail[:, 0, 1:6] = avail[:, 1, 1:4] = avail[:, 2, 1:4] = True
    avail[0, 0, 2] = False  # a choice that a mask forbids
    avail[1, 1] = False  # an agent that is not there
    avail[1, 1, 0] = True
    out = torch.randn((n, 3, N), generator=torch.Generator().manual_seed(3))
    return out.masked_fill(~avail, LOWEST), avail


def policy_of(head: ActionHead, n: int = 5) -> tuple[VectorActions, Tensor, Tensor]:
    out, avail = outputs(n)
    policy = head(out, avail)
    assert isinstance(policy, VectorActions)
    return policy, out, avail


def squashed(mean: Tensor, log_std: Tensor) -> TransformedDistribution:
    return TransformedDistribution(Normal(mean, log_std.exp()), [TanhTransform()])


@pytest.mark.parametrize("share_params", [False, True])
def test_log_probs_are_those_of_torch(share_params: bool) -> None:
    head = made(share_params)
    policy, out, avail = policy_of(head)
    actions = policy.sample(torch.Generator().manual_seed(0)).detach()
    log_std = head.log_std.detach().expand(3, N)
    found = policy.log_prob(actions).detach()
    for e in range(len(out)):
        logits = out[e, 0].double()
        expected = Categorical(logits=logits[1:4]).log_prob(actions[e, 0, 1:4].argmax())
        expected += Categorical(logits=logits[4:6]).log_prob(actions[e, 0, 4:6].argmax())
        assert float(found[e, 0]) == pytest.approx(float(expected), rel=1e-5)
        numbers = squashed(out[e, 1, 1:4].double(), log_std[1, 1:4].double())
        alone = float(numbers.log_prob(actions[e, 1, 1:4].double()).sum()) if avail[e, 1, 1] else 0
        # A float32 near 1 says what was squashed to four digits.
        assert float(found[e, 1]) == pytest.approx(alone, rel=1e-4, abs=1e-3)
        bits = Bernoulli(logits=out[e, 2, 1:3].double()).log_prob(actions[e, 2, 1:3].double())
        number = squashed(out[e, 2, 3].double(), log_std[2, 3].double())
        mixed = float(bits.sum() + number.log_prob(actions[e, 2, 3].double()))
        assert float(found[e, 2]) == pytest.approx(mixed, rel=1e-4, abs=1e-3)


def test_entropies_are_those_of_torch() -> None:
    head = made()
    policy, out, avail = policy_of(head)
    found, log_std = policy.entropy().detach(), head.log_std.detach()
    for e in range(len(out)):
        logits = out[e, 0].double()
        first, second = Categorical(logits=logits[1:4]), Categorical(logits=logits[4:6])
        expected = float(first.entropy() + second.entropy())
        assert float(found[e, 0]) == pytest.approx(expected, rel=1e-5)
        if not avail[e, 1, 1]:
            assert float(found[e, 1]) == 0.0
            continue
        # torch knows no closed form either: the mean of a million samples, within five of its
        # standard errors.
        numbers = squashed(out[e, 1, 1:4].double(), log_std[1, 1:4].double())
        torch.manual_seed(e)
        surprise = -numbers.log_prob(numbers.sample((200_000,))).sum(-1)
        error = 5.0 * float(surprise.std()) / math.sqrt(len(surprise))
        assert float(found[e, 1]) == pytest.approx(float(surprise.mean()), abs=error)


def test_samples_have_the_chances_that_are_told() -> None:
    head = made()
    out, avail = (x[2:3].expand(40_000, -1, -1) for x in outputs())
    policy = head(out, avail)
    actions = policy.sample(torch.Generator().manual_seed(1)).detach()
    # 40,000 draws: four standard deviations are at most 0.01.
    for first, last in ((1, 4), (4, 6)):
        chances = out[0, 0, first:last].softmax(-1)
        torch.testing.assert_close(actions[:, 0, first:last].mean(0), chances, atol=0.01, rtol=0.0)
    bits = out[0, 2, 1:3].sigmoid()
    torch.testing.assert_close(actions[:, 2, 1:3].mean(0), bits, atol=0.01, rtol=0.0)
    before = actions[:, 1, 1:4].atanh()
    torch.testing.assert_close(before.mean(0), out[0, 1, 1:4], atol=0.02, rtol=0.0)
    std = head.log_std.detach()[1, 1:4].exp()
    torch.testing.assert_close(before.std(0), std, atol=0.02, rtol=0.0)


def test_what_is_drawn_is_an_action_of_the_environment() -> None:
    policy, _, avail = policy_of(made())
    for drawn in (policy.sample(torch.Generator().manual_seed(5)), policy.mode()):
        actions = drawn.detach()
        assert not actions[~avail].any()
        assert actions[..., 0].bool().equal(avail[..., 0])
        assert (actions[:, 0, 1:4].sum(-1) == 1.0).all()
        assert (actions[:, 0, 4:6].sum(-1) == 1.0).all()
        assert ((actions[:, 2, 1:3] == 0.0) | (actions[:, 2, 1:3] == 1.0)).all()
        assert (actions.abs() <= 1.0).all()
        assert actions[1, 1].tolist() == [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]


def test_extreme_outputs_stay_finite_and_have_gradients() -> None:
    head = made(log_std=2.0)
    out, avail = outputs()
    out = (out.masked_fill(~avail, 0.0) * 30.0).requires_grad_()
    policy = head(out.masked_fill(~avail, LOWEST), avail)
    actions = policy.sample(torch.Generator().manual_seed(2)).detach()
    assert actions.abs().max() <= 1.0
    assert actions[:, 1, 1:4].abs().max() <= EDGE
    (policy.log_prob(actions).sum() + policy.entropy().sum()).backward()  # type: ignore[no-untyped-call]  # torch does not say
    assert out.grad is not None
    assert torch.isfinite(out.grad).all()
    assert head.log_std.grad is not None
    assert torch.isfinite(head.log_std.grad).all()
