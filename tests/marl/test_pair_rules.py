"""Sharing rules that weigh experience for each receiver, beside naive twins."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from torch import Tensor

from terrarium.config import layer_from_words
from terrarium.marl.batch import pick
from terrarium.marl.settings import resolve
from terrarium.marl.sharing.embedding import MAX_WEIGHT, Embedding
from terrarium.marl.sharing.exchange import Exchange
from terrarium.marl.sharing.mutual_information import (
    MutualInformation,
    returns_of,
    shared_information,
)
from terrarium.marl.sharing.scorer import LearnedScorer
from terrarium.marl.sharing.sharing_rule import Offer, help_of, in_deviations
from tests.marl.experience import (
    N_AGENTS,
    NET,
    learner_of,
    made_up_rows,
    obs_of,
    seeded,
    share_config,
)

PAIR_RULES = ("scorer", "mutual_information", "embedding")
R, L, A, H = 5, 4, 3, 6


def offer_of(seed: int, there: float = 0.8) -> Offer:
    """Rows of two sequences, one behind the other; some agents are dead."""
    generator = seeded(seed)
    return Offer(
        features=torch.randn((R, L, A, H), generator=generator),
        errors=torch.randn((R, L, A), generator=generator),
        rewards=torch.randn((R, L, A), generator=generator),
        there=torch.rand((R, L, A), generator=generator) < there,
        owner=torch.arange(R).unsqueeze(1) * 2 + torch.tensor([0, 0, 1, 1]),
    )


def pairs_of(offer: Offer) -> list[tuple[int, int, int, int]]:
    there = offer.there
    return [
        (r, t, i, j)
        for r, t, i, j in np.ndindex(R, L, A, A)
        if i != j and there[r, t, i] and there[r, t, j]
    ]


def inputs_of(offer: Offer, r: int, t: int, a: int) -> Tensor:
    told = [float(offer.errors[r, t, a]), float(offer.rewards[r, t, a])]
    small = [math.copysign(math.log(1.0 + abs(x)), x) for x in told]
    return torch.cat((offer.features[r, t, a], torch.tensor(small)))


def test_a_scorer_predicts_pair_by_pair() -> None:
    torch.manual_seed(0)
    rule, offer = LearnedScorer(share_config("scorer", rule_dim=7), A, H), offer_of(1)
    score, weights = rule.weigh(offer, seeded())
    best: dict[tuple[int, int, int], float] = {}
    n_wanted = 0
    for r, t, i, j in pairs_of(offer):
        hidden = rule.net.sender(inputs_of(offer, r, t, i)) + rule.net.receiver(
            offer.features[r, t, j]
        )
        expected = float(rule.net.out(hidden.relu()).detach())
        assert bool(weights[r, t, i, j]) == (expected > 0.0)
        n_wanted += expected > 0.0
        best[r, t, i] = max(best.get((r, t, i), -math.inf), expected)
    assert 0 < n_wanted < len(pairs_of(offer))
    for at, expected in best.items():
        assert float(score[at]) == pytest.approx(expected, abs=1e-5)


def taught(offer: Offer) -> Tensor:
    """Help [R, L, A, A] that follows from what is experienced and by whom it is received."""
    return offer.features[..., :1] * (offer.features[..., 1] > 0.0).unsqueeze(-2)


@pytest.mark.parametrize("name", ["scorer", "embedding"])
def test_rules_learn_what_helps(name: str) -> None:
    """After some batches what is sent helps more than what is not, in a batch that is new."""
    torch.manual_seed(0)
    kind = {"scorer": LearnedScorer, "embedding": Embedding}[name]
    rule = kind(share_config(name, rule_lr=0.01), A, H)

    def gain(seed: int) -> float:
        offer = offer_of(seed)
        weights = rule.weigh(offer, seeded())[1][offer.pairs]
        helped = taught(offer)[offer.pairs]
        return float((helped * weights).sum() / weights.sum() - helped.mean())

    before = float(np.mean([gain(seed) for seed in range(1000, 1010)]))
    for seed in range(150):
        offer = offer_of(seed)
        rule.learn(offer, taught(offer))
    after = float(np.mean([gain(seed) for seed in range(1000, 1010)]))
    assert after > before + 0.2


def naive_information(x: list[float], y: list[float], n_bins: int) -> tuple[float, float]:
    """Mutual information of two lists, by counting, without its bias; and the entropy of y."""
    n = len(x)

    def bins(values: list[float]) -> list[int]:
        return [sum(other < value for other in values) * n_bins // n for value in values]

    def entropy(things: list[object]) -> float:
        counts = [things.count(thing) for thing in set(things)]
        return -sum(c / n * math.log(c / n) for c in counts)

    of_x, of_y = bins(x), bins(y)
    together: list[object] = list(zip(of_x, of_y, strict=True))
    information = entropy([*of_x]) + entropy([*of_y]) - entropy(together)
    bias = (len(set(of_x)) - 1) * (len(set(of_y)) - 1) / (2 * n)
    return information - bias, entropy([*of_y])


def test_mutual_information_is_that_of_a_naive_twin() -> None:
    generator = seeded(3)
    common = torch.randn((60, 1), generator=generator)
    returns = common + torch.tensor([0.0, 0.1, 0.5, 5.0]) * torch.randn(
        (60, 4), generator=generator
    )
    returns[:, 3] = returns[:, 3].round()  # with ties
    found = shared_information(returns)
    for i, j in np.ndindex(4, 4):
        information, entropy = naive_information(returns[:, i].tolist(), returns[:, j].tolist(), 7)
        expected = min(max(information / entropy, 0.0), 1.0)
        assert float(found[i, j]) == pytest.approx(expected, abs=1e-9)
    assert found[0, 1] > found[0, 2] > found[0, 3]


def test_independent_and_constant_returns_share_nothing() -> None:
    returns = torch.randn((4000, 3), generator=seeded(4))
    returns[:, 2] = 1.0
    found = shared_information(returns)
    assert float(found[0, 1]) < 0.01
    assert not found[2].any()
    assert not found[:, 2].any()


def test_returns_are_those_of_sequences_and_the_newest_are_kept() -> None:
    offer = offer_of(5)
    found = returns_of(offer)
    for k, a in np.ndindex(2 * R, A):
        steps = [(k // 2, t) for t in (0, 1, 2, 3) if t // 2 == k % 2]
        earned = [float(offer.rewards[r, t, a]) for r, t in steps if offer.there[r, t, a]]
        assert float(found[k, a]) == pytest.approx(sum(earned), abs=1e-6)
    rule = MutualInformation(share_config("mutual_information", window=25), A, H)
    for seed in range(4):
        offer = offer_of(seed)
        score, weights = rule.weigh(offer, seeded())
        assert torch.equal(score, offer.errors.abs())
        shares = shared_information(rule.returns).to(weights)
        assert torch.equal(weights, shares * offer.pairs)
    assert torch.equal(rule.returns[-10:], returns_of(offer_of(3)))
    assert rule.returns.shape == (25, A)


def test_receivers_attend_to_the_whole_batch() -> None:
    torch.manual_seed(0)
    rule, offer = Embedding(share_config("embedding", rule_dim=8), A, H), offer_of(6)
    net, there = rule.net, offer.there
    with torch.no_grad():
        embedded = torch.zeros(R, L, A, 8)
        for r, a, k in np.ndindex(R, A, 2):  # each sequence alone, without the dead
            steps = [t for t in (2 * k, 2 * k + 1) if there[r, t, a]]
            if steps:
                tokens = torch.stack([net.read(inputs_of(offer, r, t, a)) for t in steps])
                embedded[r, steps, a] = net.layer(tokens[None])[0]
        score, weights = rule.weigh(offer, seeded())
        for j in range(A):
            mean = embedded[:, :, j][there[:, :, j]].mean(0)
            keys = [(r, t, i) for r, t, i, to in pairs_of(offer) if to == j]
            asked = torch.stack([net.key(embedded[at]) @ net.query(mean) for at in keys])
            attention = (asked / math.sqrt(8.0)).softmax(0)
            for at, share in zip(keys, attention.tolist(), strict=True):
                expected = min(share * len(keys), MAX_WEIGHT)
                assert float(weights[(*at, j)]) == pytest.approx(expected, rel=1e-4)
                assert float(score[at]) >= share - 1e-6
    assert not weights[~offer.pairs].any()


@pytest.mark.parametrize("share", [True, False], ids=["shared", "separate"])
def test_help_is_the_product_of_gradients(share: bool) -> None:
    """By how much errors fall in a small step is, to first order, how much learning from them
    alone would lower the loss that the step was made along."""
    learner = learner_of("vdn", dataclasses.replace(NET, share_params=share))
    rows, agents = made_up_rows(), learner.online.agents
    actions, n_nets = rows.actions, 1 if share else N_AGENTS
    target = 0.3

    def errors() -> Tensor:
        each = agents.logits_as_each(rows.obs, rows.carry, rows.resets)[:, :, :-1]
        return pick(each, actions.expand(n_nets, *actions.shape)) - target

    weights, before = list(agents.parameters()), errors()
    loss = before.masked_fill(~rows.filled[..., None], 0.0).square().mean()
    grads = torch.autograd.grad(loss, weights, retain_graph=True, allow_unused=True)
    rate = 1e-6
    square = before[-1, 0, 0, 0].square()
    own = torch.autograd.grad(square, weights, retain_graph=True, allow_unused=True)
    product = sum(
        float((g * o).sum())
        for g, o in zip(grads, own, strict=True)
        if g is not None and o is not None
    )
    with torch.no_grad():
        for weight, grad in zip(weights, grads, strict=True):
            if grad is not None:
                weight.sub_(rate * grad)
        found = help_of(before.detach(), errors())
    assert found.shape == (*rows.actions.shape, N_AGENTS)
    assert float(found[0, 0, 0, -1]) / rate == pytest.approx(product, rel=1e-3)


def test_help_is_measured_in_its_own_size() -> None:
    offer = offer_of(7)
    help_ = 1e4 * torch.randn((R, L, A, A), generator=seeded(8))
    help_[~offer.pairs] = torch.nan  # what padding may come to
    found = in_deviations(help_, offer.pairs)
    assert not found[~offer.pairs].any()
    assert float(found[offer.pairs].square().mean()) == pytest.approx(1.0, rel=1e-5)


@pytest.mark.parametrize("rule", PAIR_RULES)
def test_what_is_sent_keeps_to_the_bandwidth_and_to_receivers(rule: str) -> None:
    torch.manual_seed(0)
    exchange = Exchange(share_config(rule, bandwidth=0.25), A, H)
    for seed in range(3):
        offer = offer_of(seed)
        none = torch.zeros((R, L, A, 0))
        obs = obs_of(torch.ones((R, L, A, 4), dtype=torch.bool), none, torch.zeros((R, L, 0)))
        goes_to = exchange.send(obs, offer, seeded(seed))
        assert not goes_to[~offer.pairs].any()
        assert (goes_to >= 0.0).all()
        n_sent = goes_to.any(-1).sum((0, 1))
        assert (n_sent <= (0.25 * offer.there.sum((0, 1))).floor()).all()


@pytest.mark.parametrize("rule", PAIR_RULES)
@pytest.mark.parametrize("algo", ["iql", "qmix"])
def test_learners_share_by_every_rule(rule: str, algo: str) -> None:
    """Gradient steps move the rule's network where it has one, and what is received counts."""
    learner = learner_of(algo, share=share_config(rule, bandwidth=0.5))
    net = getattr(learner.exchange.sender.rule, "net", torch.nn.Module())
    before = [weight.clone() for weight in net.parameters()]
    fractions = []
    for seed in range(6):
        metrics = learner.step(made_up_rows(seed=seed))
        fractions.append(float(metrics["received_fraction"]))
    assert max(fractions) > 0.0
    assert all(0.0 <= fraction < 1.0 for fraction in fractions)
    moved = [not torch.equal(a, b) for a, b in zip(before, net.parameters(), strict=True)]
    assert all(moved)
    assert bool(moved) == (rule != "mutual_information")


@pytest.mark.parametrize("rule", PAIR_RULES)
def test_rules_can_be_chosen(rule: str) -> None:
    chosen = resolve("qmix", "smac/3m", layer_from_words([f"share.rule={rule}"]))
    assert chosen.algo.share.rule == rule
