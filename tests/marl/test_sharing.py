"""ReplayStore sharing: who sends what to whom, when, and what receivers learn from it."""

import copy
import dataclasses
import math
from pathlib import Path
from statistics import NormalDist, fmean, pstdev

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from terrarium.config import layer_from_words
from terrarium.errors import TerrariumError
from terrarium.marl.algos.q_learning import agent_targets, mean_square, team_targets
from terrarium.marl.batch import Obs
from terrarium.marl.differ import DifferConfig, select
from terrarium.marl.nets.actor import SeparateActors
from terrarium.marl.settings import resolve
from terrarium.marl.sharing.config import ShareConfig
from terrarium.marl.sharing.exchange import Exchange, entropy_of
from terrarium.marl.sharing.loss import SharedExperience, received_loss
from terrarium.marl.sharing.receivers import Receivers
from terrarium.marl.sharing.senders import SHARING_RULES, Sender, stochastic_chances
from terrarium.marl.sharing.sharing_rule import Offer
from terrarium.schedules import Schedule
from tests.marl.experience import (
    N_AGENTS,
    NET,
    SPEC,
    grads_of,
    in_single,
    learner_of,
    made_up_rows,
    obs_of,
    seeded,
    share_config,
    with_longer_padding,
)
from tests.marl.small import made

SENDING = list(SHARING_RULES)[1:]
PAIR_RULES = ("scorer", "mutual_information", "embedding")
BY_ERROR = [rule for rule in SENDING if rule not in PAIR_RULES]
SHARING = ("iql", "vdn", "qmix", "qplex")


def errors_of(
    seed: int, shape: tuple[int, int, int] = (5, 4, 3), scale: float = 1.0
) -> tuple[Tensor, Tensor]:
    """Errors [R, L, A] of either sign, and which of them were experienced."""
    errors = scale * (0.3 + torch.randn(shape, generator=seeded(seed), dtype=torch.float64))
    return errors, torch.rand(shape, generator=seeded(seed + 1)) < 0.8


def own(values: Tensor, there: Tensor, agent: int) -> list[float]:
    return values[..., agent][there[..., agent]].tolist()


def most_of(sent: list[bool], score: list[float], n: int) -> list[bool]:
    """The `n` with the highest score of what somebody wants to send."""
    wanted = sorted((k for k in range(len(sent)) if sent[k]), key=lambda k: -score[k])[:n]
    return [k in wanted for k in range(len(sent))]


def percentile(numbers: list[float], share: float) -> float:
    """Between the two nearest ranks, in proportion."""
    ordered, at = sorted(numbers), share * (len(numbers) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


@pytest.mark.parametrize("rule", ["quantile", "gaussian"])
@pytest.mark.parametrize("bandwidth", [0.1, 0.25, 0.5, 1.0])
def test_unusual_errors_are_sent(rule: str, bandwidth: float) -> None:
    """Unusual beside the last 30 absolute errors of the same agent, in this batch and before."""
    sender = Sender(share_config(rule, bandwidth=bandwidth, window=30), 3, 1)
    seen: list[list[float]] = [[], [], []]
    n_sent = 0
    for batch in range(6):
        errors, there = errors_of(batch, scale=1.0 + batch % 3)
        sent = marked(sender, errors, there, seeded())
        assert not sent[~there].any()
        for a in range(3):
            sizes = own(errors.abs(), there, a)
            seen[a] = (seen[a] + sizes)[-30:]
            if bandwidth == 1.0:
                limit = -math.inf
            elif rule == "quantile":
                limit = percentile(seen[a], 1.0 - bandwidth)
            else:  # the deviation, not its square
                limit = fmean(seen[a]) + NormalDist().inv_cdf(1.0 - bandwidth) * pstdev(seen[a])
            wanted = [size > limit for size in sizes]
            expected = most_of(wanted, sizes, math.floor(bandwidth * len(sizes)))
            assert sent[..., a][there[..., a]].tolist() == expected
            n_sent += sum(expected)
    assert n_sent > 0


@pytest.mark.parametrize("bandwidth", [0.1, 0.25, 0.5, 1.0])
def test_both_tails_of_a_batch_are_sent(bandwidth: float) -> None:
    sender = Sender(share_config("normal_tails", bandwidth=bandwidth), 3, 1)
    low = high = 0
    for batch in range(6):
        errors, there = errors_of(batch, scale=1.0 + batch % 3)
        sent = marked(sender, errors, there, seeded())
        assert not sent[~there].any()
        for a in range(3):
            mine = own(errors, there, a)
            mean, spread = fmean(mine), pstdev(mine)
            far = NormalDist().inv_cdf(1.0 - bandwidth / 2.0)
            distance = [abs(error - mean) / spread for error in mine]
            wanted = [x >= far for x in distance]
            expected = most_of(wanted, distance, math.floor(bandwidth * len(mine)))
            assert sent[..., a][there[..., a]].tolist() == expected
            low += sum(e for e, error in zip(expected, mine, strict=True) if error < mean)
            high += sum(e for e, error in zip(expected, mine, strict=True) if error > mean)
    assert min(low, high) > 0


@pytest.mark.parametrize("ordinary", [0.0, 0.3])
def test_chances_are_those_of_the_formula(ordinary: float) -> None:
    errors, there = errors_of(3)
    sizes = errors.abs()
    chances = stochastic_chances(sizes, there, 0.4, ordinary)
    assert (chances[~there] == 0.0).all()
    for a in range(3):
        mine = own(sizes, there, a)
        relative = [size * len(mine) / sum(mine) for size in mine]
        expected = [min(1.0, 0.4 * ((1.0 - ordinary) * x + ordinary)) for x in relative]
        assert own(chances, there, a) == pytest.approx(expected)


def test_lots_fall_as_often_as_their_chances_say() -> None:
    """The bandwidth cuts what is drawn beyond it evenly: sizes count once, not twice."""
    n_agents = 20_000  # that all experienced the same
    sizes = (
        torch.linspace(0.0, 1.0, 20, dtype=torch.float64).view(20, 1, 1).expand(-1, -1, n_agents)
    )
    there = torch.ones_like(sizes, dtype=torch.bool)
    sender = Sender(share_config("stochastic", bandwidth=0.3, uniform_fraction=0.2), n_agents, 1)
    sent = marked(sender, sizes, there, seeded(1)).float().mean((1, 2))  # [20]
    chances = stochastic_chances(sizes, there, 0.3, 0.2)[:, 0, 0]
    kept = sent / chances
    # Whoever was drawn meets much the same others, so the bandwidth keeps much the same share. The
    # least likely is drawn 1200 times: 3 % are one deviation. Cut by size, it would lose a half.
    assert float(kept.max() / kept.min()) < 1.2
    assert 0.7 < float(kept.mean()) < 1.0


def test_without_a_part_for_ordinary_experience_no_error_means_no_chance() -> None:
    sizes = torch.tensor([0.0, 1.0, 1.0, 1.0]).view(4, 1, 1)
    there = torch.ones_like(sizes, dtype=torch.bool)
    assert stochastic_chances(sizes, there, 0.5, 0.0).flatten()[0] == 0.0
    assert stochastic_chances(sizes, there, 0.5, 0.1).flatten()[0] == pytest.approx(0.05)
    nothing = torch.zeros_like(sizes)
    found = stochastic_chances(nothing, there, 0.5, 0.1)
    assert found.flatten().tolist() == pytest.approx([0.05] * 4)


@given(
    rule=st.sampled_from(BY_ERROR),
    part=st.integers(1, 64),
    shape=st.tuples(st.integers(1, 6), st.integers(1, 5), st.integers(1, 4)),
    scale=st.sampled_from([0.0, 1e-6, 1.0, 1e6]),
    seed=st.integers(0, 1000),
)
def test_nobody_sends_more_than_its_bandwidth_nor_what_is_not_there(
    rule: str, part: int, shape: tuple[int, int, int], scale: float, seed: int
) -> None:
    sender = Sender(share_config(rule, bandwidth=part / 64, window=20), shape[2], 1)
    for batch in range(2):
        errors, there = errors_of(seed + batch, shape, scale)
        sent = marked(sender, errors.float(), there, seeded(seed))
        assert not sent[~there].any()
        for a in range(shape[2]):
            n = int(there[..., a].sum())
            assert sent[..., a].sum() <= math.floor(part / 64 * n)
        if part == 64 and rule != "stochastic":
            assert torch.equal(sent, there)


def test_another_number_of_agents_begins_anew() -> None:
    """As it comes in a curriculum; also when a run is resumed in a later scenario."""
    cfg = share_config("quantile", bandwidth=0.5, window=30)
    fresh, used = Sender(cfg, 3, 1), Sender(cfg, 5, 1)
    marked(used, *errors_of(1, (5, 4, 5)), seeded())
    errors, there = errors_of(2)
    assert torch.equal(
        marked(used, errors, there, seeded()), marked(fresh, errors, there, seeded())
    )
    resumed = Sender(cfg, 5, 1)
    resumed.load_state_dict(used.state_dict())
    errors, there = errors_of(3)
    assert torch.equal(
        marked(used, errors, there, seeded()), marked(resumed, errors, there, seeded())
    )


def obs_for(
    there: Tensor,
    vector: Tensor | None = None,
    mask: Tensor | None = None,
    table: Tensor | None = None,
) -> Obs:
    """What agents [R, L, A] see."""
    avail = torch.ones((*there.shape, 4), dtype=torch.bool)
    obs = obs_of(avail, torch.zeros((*there.shape, 0)), torch.zeros((*there.shape[:2], 0)), mask)
    obs = dataclasses.replace(obs, vector=vector) if vector is not None else obs
    return dataclasses.replace(obs, table=table) if table is not None else obs


def cosine(x: list[float], y: list[float]) -> float:
    length = math.hypot(*x) * math.hypot(*y)
    return sum(a * b for a, b in zip(x, y, strict=True)) / length if length else 0.0


@pytest.mark.parametrize("kind", ["all", "sight", "similar", "similar units"])
def test_receivers_are_those_of_a_naive_twin(kind: str) -> None:
    generator = seeded(4)
    there = torch.rand((6, 4, 3), generator=generator) < 0.8
    mask = torch.rand((6, 4, 3, 5), generator=generator) < 0.5  # three allies, two enemies
    seen = torch.randn((6, 4, 3, 6), generator=generator)
    enemies = torch.randn((6, 4, 2, 6), generator=generator)
    vector, table = (None, torch.cat((seen, enemies), 2)) if "units" in kind else (seen, None)
    receivers = Receivers(share_config(receivers=kind.split()[0], min_similarity=0.2))
    found = receivers.of(obs_for(there, vector, mask, table), torch.zeros(6, 4, 3, 2), there)
    n_found = 0
    for r, t, i, j in np.ndindex(6, 4, 3, 3):
        expected = bool(there[r, t, i]) and bool(there[r, t, j]) and i != j
        if kind == "sight":
            expected = expected and bool(mask[r, t, i, j])
        elif kind != "all":
            alike = cosine(seen[r, t, i].tolist(), seen[r, t, j].tolist()) >= 0.2
            expected = expected and alike
        assert bool(found[r, t, i, j]) == expected
        n_found += expected
    assert 0 < n_found < 6 * 4 * 3 * 3


def test_agents_that_think_differently_have_different_roles() -> None:
    """Six agents of three kinds, far from each other; those of the dead do not matter."""
    generator = seeded(5)
    kinds = torch.tensor([0, 0, 1, 1, 2, 2])
    centers = 4.0 * torch.randn((3, 8), generator=generator)
    receivers = Receivers(share_config(receivers="roles", n_roles=3))
    for _ in range(30):
        there = torch.rand((5, 4, 6), generator=generator) < 0.8
        features = centers[kinds] + 0.3 * torch.randn((5, 4, 6, 8), generator=generator)
        features = torch.where(there.unsqueeze(-1), features, 1e3)
        found = receivers.of(obs_for(there), features, there)
        alike = (kinds.unsqueeze(1) == kinds) & ~torch.eye(6, dtype=torch.bool)
        assert torch.equal(found, alike & there.unsqueeze(-1) & there.unsqueeze(-2))
    assert receivers.roles is not None
    distance = torch.cdist(receivers.roles.centers, centers)
    # They have come within the noise of the middle of each kind.
    assert sorted(distance.argmin(-1).tolist()) == [0, 1, 2]
    assert float(distance.min(-1).values.max()) < 0.5


def test_one_role_is_everybody() -> None:
    there = torch.ones((2, 3, 4), dtype=torch.bool)
    features = torch.randn((2, 3, 4, 5), generator=seeded())
    found = Receivers(share_config(receivers="roles", n_roles=1)).of(
        obs_for(there), features, there
    )
    assert torch.equal(found, ~torch.eye(4, dtype=torch.bool).expand_as(found))


def offer_of(
    features: Tensor, errors: Tensor, there: Tensor, rewards: Tensor | None = None
) -> Offer:
    """Each row is a sequence."""
    owner = torch.arange(len(errors)).unsqueeze(1).expand(errors.shape[:2])
    rewards = torch.zeros_like(errors) if rewards is None else rewards
    return Offer(features, errors, rewards, there, owner)


def marked(sender: Sender, errors: Tensor, there: Tensor, generator: torch.Generator) -> Tensor:
    """[R, L, A] what is sent."""
    offer = offer_of(torch.zeros((*errors.shape, 1)), errors, there)
    return (sender.mark(offer, generator) > 0.0).any(-1)


def sharings(cfg: ShareConfig, batches: list[Tensor]) -> list[bool]:
    """Whether anything was sent in each of these gradient steps; errors are [N]."""
    exchange, sent = Exchange(cfg, 2, 3), []
    for errors in batches:
        both = torch.stack((errors, errors), -1).unsqueeze(0)  # [1, N, 2]
        there = torch.ones_like(both, dtype=torch.bool)
        offer = offer_of(torch.zeros((*both.shape, 3)), both, there)
        sent.append(bool(exchange.send(obs_for(there), offer, seeded()).any()))
    return sent


@pytest.mark.parametrize(("every", "expected"), [(1, "111111"), (2, "101010"), (4, "100010")])
def test_sharing_happens_every_so_many_steps(every: int, expected: str) -> None:
    cfg = share_config("quantile", bandwidth=0.5, interval=every)
    batches = [torch.randn(10, generator=seeded(k)) for k in range(6)]
    assert sharings(cfg, batches) == [x == "1" for x in expected]


def test_sharing_happens_when_the_errors_are_of_another_kind() -> None:
    flat, uneven = torch.ones(10), torch.tensor([9.0, *[1.0] * 9])
    change = entropy_of(flat.repeat(2)) - entropy_of(uneven.repeat(2))  # of both agents' errors
    assert change > 0.1
    batches = [flat, 5.0 * flat, uneven, -1.01 * uneven, flat, flat]
    cfg = share_config("quantile", bandwidth=1.0, trigger="entropy", entropy_change=0.9 * change)
    assert sharings(cfg, batches) == [True, False, True, False, True, False]
    deaf = dataclasses.replace(cfg, entropy_change=1.1 * change)
    assert sharings(deaf, batches) == [True] + [False] * 5


def test_small_changes_add_up_until_they_call_for_sharing() -> None:
    batches = [torch.tensor([1.0 + k, *[1.0] * 9]) for k in range(8)]
    entropies = [entropy_of(errors.repeat(2)) for errors in batches]
    cfg = share_config("quantile", bandwidth=1.0, trigger="entropy", entropy_change=0.05)
    last, expected = math.inf, []
    for entropy in entropies:
        expected.append(abs(entropy - last) > 0.05)
        last = entropy if expected[-1] else last
    assert 1 < sum(expected) < len(expected)
    assert sharings(cfg, batches) == expected


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        ([1.0, 1.0, -1.0, 1.0], 1.0),
        ([5.0, 0.0, 0.0], 0.0),
        ([0.0, 0.0], 1.0),
        ([3.0], 1.0),
        ([1.0, -3.0], -(0.25 * math.log(0.25) + 0.75 * math.log(0.75)) / math.log(2.0)),
    ],
    ids=str,
)
def test_entropy_is_that_of_the_shares(errors: list[float], expected: float) -> None:
    assert entropy_of(torch.tensor(errors)) == pytest.approx(expected)


def sent_at_random(there: Tensor, seed: int = 3) -> Tensor:
    """[R, L, A, A] as no rule would have it: the loss must not care."""
    n = there.shape[-1]
    chance = torch.rand((*there.shape, n), generator=seeded(seed)) < 0.5
    return chance & there.unsqueeze(-1) & there.unsqueeze(-2) & ~torch.eye(n, dtype=torch.bool)


@pytest.mark.parametrize("algo", SHARING)
@pytest.mark.parametrize(
    "settings", [{"td_lambda": 0.6}, {"td_lambda": 0.0, "double_q": False}], ids=str
)
def test_with_one_network_receiving_is_counting_once_more(
    algo: str, settings: dict[str, float]
) -> None:
    """Everything is sent to everybody: each experience of the living with a receiver counts twice,
    however many receivers there are."""
    cfg = share_config("quantile", bandwidth=1.0)
    rows, learner = made_up_rows(deaths=0.3), learner_of(algo, share=cfg, **settings)
    reading = learner.read(rows)
    there = rows.obs.acting[:, :-1] & rows.filled.unsqueeze(-1)
    has_receiver = there.sum(-1, keepdim=True) > 1  # [R, L, 1]
    if algo == "iql":
        errors = reading.taken - agent_targets(rows, reading.next_taken, learner.cfg)
        once = N_AGENTS * mean_square(errors, rows)
    else:  # by the slope of the team's value, as in DIFFER
        state = rows.obs.state[:, :-1]
        total = learner.online.mixer(reading.taken, reading.best, rows.actions, state)
        error = total - team_targets(rows, reading, learner.target, learner.cfg)
        (slopes,) = torch.autograd.grad(total.sum(), reading.taken, retain_graph=True)
        slopes = slopes.clamp(-10.0, 10.0)
        errors = reading.taken - (reading.taken - slopes * error.unsqueeze(-1)).detach()
        once = mean_square(error, rows)
    weight = rows.weights[:, None, None] * there * has_receiver / rows.filled.sum()
    more = (errors.square() * weight).sum()
    expected = grads_of(learner, once + more)
    loss = learner.loss(rows, reading)
    found = grads_of(learner, loss.total)
    assert float(loss.metrics["sent"]) > 0.9
    for name, grad in expected.items():
        torch.testing.assert_close(found[name], grad, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("kind", ["greedy_weight", "PER_weight", "PER_hard"])
def test_what_is_received_counts_as_much_as_differ_lets_it_count(kind: str) -> None:
    """Each experience by the weight of a draw, whether or not its sender has drawn it."""
    rows, none = made_up_rows(deaths=0.0), Schedule("0.5")
    differ = DifferConfig(kind, selected_ratio=none, per_alpha=none, per_beta=none)
    share = share_config("quantile", bandwidth=1.0, coef=3.0)
    learner, alone = (
        learner_of("vdn", differ=differ, share=cfg, td_lambda=0.0) for cfg in (share, ShareConfig())
    )
    reading = learner.read(rows)
    taken, targets = reading.taken, team_targets(rows, reading, learner.target, learner.cfg)
    errors = (taken.sum(-1) - targets).detach()
    errors = errors.unsqueeze(-1).expand_as(taken)  # VDN has slope 1
    there = rows.filled.unsqueeze(-1).expand_as(taken)
    weights = select(errors, there, differ, 0.0, alone.generator)
    found, own = (
        x.loss(rows, x.read(rows))
        for x in (learner, learner_of("vdn", differ=differ, td_lambda=0.0))
    )
    sizes = errors[there].abs()
    if kind == "PER_hard":
        counts = torch.ones_like(sizes)
    elif kind == "greedy_weight":
        counts = weights[there]
    else:
        chances = (sizes + 0.01).sqrt()
        rare = (len(sizes) * chances / chances.sum()) ** -0.5
        counts = (rare / rare[weights[there] > 0].max()).clamp(max=1.0)
    row_weights = rows.weights[:, None, None].expand_as(errors)[there]
    expected = 3.0 * float((counts * sizes.square() * row_weights).sum() / rows.filled.sum())
    assert float((found.total - own.total).detach()) == pytest.approx(expected, rel=1e-6)
    fraction = expected / float(found.total.detach())
    assert float(found.metrics["received_fraction"]) == pytest.approx(fraction, rel=1e-6)


@pytest.mark.parametrize("algo", ["vdn", "iql"])
def test_a_learner_with_buffers_of_received_experience_learns(algo: str) -> None:
    words = ("share.rule=quantile", "share.storage=buffer", "share.bandwidth=0.5")
    learner, collector = made(algo, *words)
    fractions = []
    for _ in range(20):
        learner.observe(collector.collect(learner.act)[0])
        metrics = learner.update(0.5)
        fractions.append(metrics.get("learn/received_fraction", 0.0))
    assert 0.0 < fractions[-1] < 0.9
    learner.load_state_dict(learner.state_dict())
    learner.load_experience(Path(), {})  # what was not kept on the disk cannot be referred to
    assert not len(learner.exchange.buffers.draw(3, seeded()).row)


@pytest.mark.parametrize("algo", SHARING)
def test_padding_is_neither_sent_nor_received(algo: str) -> None:
    learner = learner_of(algo, share=share_config("quantile", bandwidth=1.0))
    learner, rows = in_single(learner, made_up_rows())
    before, after = (learner.loss(x, learner.read(x)) for x in (rows, with_longer_padding(rows)))
    assert float(before.total.detach()) == pytest.approx(float(after.total.detach()), rel=1e-5)
    for grad in grads_of(learner, before.total).values():
        assert grad.isfinite().all()


def separate() -> tuple[SeparateActors, SeparateActors]:
    """Networks of three agents, and their targets."""
    both = []
    for seed in (0, 1):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            both.append(SeparateActors(SPEC, dataclasses.replace(NET, share_params=False)).double())
        for weight in both[-1].parameters():
            noise = torch.randn(weight.shape, generator=seeded(seed + 7), dtype=torch.float64)
            weight.data += 0.3 * noise
    return both[0], both[1]


@pytest.mark.parametrize("receiver", range(N_AGENTS))
def test_with_separate_networks_only_receivers_learn(receiver: int) -> None:
    rows, agents = made_up_rows(deaths=0.3), separate()
    there = rows.obs.acting[:, :-1] & rows.filled.unsqueeze(-1)
    goes_to = sent_at_random(there)
    goes_to[..., torch.arange(N_AGENTS) != receiver] = False
    assert goes_to.any()
    lesson = lesson_of(rows.rewards, there)
    loss = received_loss(rows, goes_to, lesson, agents, 0.9, True)
    for a, actor in enumerate(agents[0].actors):
        grads = torch.autograd.grad(
            loss, list(actor.parameters()), retain_graph=True, allow_unused=True
        )
        learned = any(grad is not None and bool((grad != 0.0).any()) for grad in grads)
        assert learned == (a == receiver)


def lesson_of(rewards: Tensor, there: Tensor) -> SharedExperience:
    """Rewards that differ from agent to agent; some agents die."""
    ends = torch.rand(there.shape, generator=seeded(8)) < 0.3
    return SharedExperience(rewards.unsqueeze(-1) + torch.arange(there.shape[-1]), ends)


@pytest.mark.parametrize("double", [True, False])
def test_receivers_judge_with_their_own_networks(double: bool) -> None:
    rows, agents = made_up_rows(deaths=0.3), separate()
    there = rows.obs.acting[:, :-1] & rows.filled.unsqueeze(-1)
    goes_to, lesson = sent_at_random(there), lesson_of(rows.rewards, there)
    # Where an episode is over nothing is available, and what ended cannot be valued.
    lesson = SharedExperience(lesson.rewards, lesson.ends | rows.terminated.unsqueeze(-1))
    resets = torch.zeros(rows.obs.avail.shape[:2], dtype=torch.bool)
    total = 0.0
    with torch.no_grad():
        now, later = (
            [actor(rows.obs, rows.carry, resets)[0] for actor in team.actors] for team in agents
        )
        for r, t, i, j in goes_to.nonzero().tolist():
            chooser = now[j] if double else later[j]
            goal = float(lesson.rewards[r, t, i])
            if not lesson.ends[r, t, i]:
                goal += 0.9 * float(later[j][r, t + 1, i, chooser[r, t + 1, i].argmax()])
            error = float(now[j][r, t, i, rows.actions[r, t, i]]) - goal
            total += float(rows.weights[r]) * error**2
        found = received_loss(rows, goes_to, lesson, agents, 0.9, double)
    assert float(found) == pytest.approx(total / int(rows.filled.sum()), rel=1e-9)


@pytest.mark.parametrize("algo", SHARING)
def test_switched_off_it_changes_no_bit(algo: str) -> None:
    """The same loss as by the formula, and no random number is drawn."""
    rows = made_up_rows()
    off = learner_of(algo, share=share_config(bandwidth=1.0, receivers="roles", trigger="entropy"))
    plain = learner_of(algo)
    before = off.generator.get_state()
    reading = off.read(rows)
    found, expected = off.loss(rows, reading), plain.loss(rows, plain.read(rows))
    if algo == "iql":
        errors = reading.taken - agent_targets(rows, reading.next_taken, off.cfg)
        formula = N_AGENTS * mean_square(errors, rows)
    else:
        state = rows.obs.state[:, :-1]
        total = off.online.mix(rows.filled, reading.taken, reading.best, rows.actions, state)
        formula = mean_square(total - team_targets(rows, reading, off.target, off.cfg), rows)
    assert torch.equal(found.total, formula)
    assert torch.equal(found.total, expected.total)
    assert torch.equal(off.generator.get_state(), before)
    for name, grad in grads_of(plain, expected.total).items():
        assert torch.equal(grads_of(off, found.total)[name], grad)


@pytest.mark.parametrize("algo", SHARING)
@pytest.mark.parametrize("rule", SENDING)
def test_a_step_without_sharing_is_one_without_receivers(algo: str, rule: str) -> None:
    """Between two sharings the loss is that of a team that shares nothing, as ever."""
    rows = made_up_rows(deaths=0.0)
    learner, plain = learner_of(algo, share=share_config(rule, interval=2)), learner_of(algo)
    learner.loss(rows, learner.read(rows))
    loss = learner.loss(rows, learner.read(rows))
    assert float(loss.metrics["sent"]) == 0.0
    expected = grads_of(plain, plain.loss(rows, plain.read(rows)).total)
    for name, grad in grads_of(learner, loss.total).items():
        torch.testing.assert_close(grad, expected[name], rtol=1e-6, atol=1e-10)


@pytest.mark.parametrize("rule", SENDING)
@pytest.mark.parametrize("receivers", ["all", "similar", "roles", "latent_roles"])
@pytest.mark.parametrize("trigger", ["fixed", "entropy"])
def test_a_resumed_exchange_goes_on_to_the_bit(rule: str, receivers: str, trigger: str) -> None:
    torch.manual_seed(0)
    cfg = share_config(
        rule,
        bandwidth=0.4,
        window=50,
        receivers=receivers,
        min_similarity=0.0,
        trigger=trigger,
        interval=2,
        n_roles=2,
    )
    exchange, resumed, generator = Exchange(cfg, 3, 4), Exchange(cfg, 3, 4), seeded(9)

    def send(to: Exchange, batch: int) -> Tensor:
        errors, there = errors_of(batch)
        vector = torch.randn((5, 4, 3, 6), generator=seeded(batch))
        features = torch.randn((5, 4, 3, 4), generator=seeded(batch))
        offer = offer_of(features, errors, there, torch.roll(errors, 1, 0))
        goes_to = to.send(obs_for(there, vector), offer, generator)
        to.sender.rule.learn(offer, torch.randn((*there.shape, 3), generator=seeded(batch)))
        return goes_to

    for batch in range(5):
        send(exchange, batch)
    resumed.load_state_dict(copy.deepcopy(exchange.state_dict()))
    numbers = generator.get_state()
    expected = [send(exchange, batch) for batch in range(5, 10)]
    generator.set_state(numbers)
    found = [send(resumed, batch) for batch in range(5, 10)]
    assert all(map(torch.equal, found, expected))
    assert torch.stack(expected).any()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            "share.rule=quantile share.receivers=sight net.encoder=mlp",
            "share.receivers is sight and net.encoder mlp: vectors do not say who sees whom; set "
            "net.encoder=attention, or share.receivers=similar, which compares vectors",
        ),
        (
            "share.rule=stochastic replay.chunk_length=1 replay.batch_size=4",
            "share.bandwidth is 0.1 and a batch holds 4 steps of an agent (replay.batch_size x "
            "replay.chunk_length), so it could never send one; set share.bandwidth=0.25 or more, "
            "or share.rule=none",
        ),
        (
            "share.rule=gaussian share.bandwidth=0",
            "share.rule is gaussian and share.bandwidth 0, which lets nothing through; set "
            "share.rule=none, or share.bandwidth above 0",
        ),
        ("share.rule=quantil", 'share.rule is "quantil". Did you mean "quantile"? Allowed: none'),
        ("share.receivers=sigth", 'share.receivers is "sigth". Did you mean "sight"? Allowed: all'),
        ("share.trigger=entropi", 'share.trigger is "entropi". Did you mean "entropy"? Allowed'),
        ("share.rule=quantile share.window=1", "share.window is 1; allowed: 2 to 100000"),
        ("share.n_roles=0", "share.n_roles is 0; allowed: 1 to 64"),
    ],
)
@pytest.mark.parametrize("algo", SHARING)
def test_what_makes_no_sense_is_refused_at_once(algo: str, words: str, message: str) -> None:
    with pytest.raises(TerrariumError) as caught:
        resolve(algo, "smac/3m", layer_from_words(words.split()))
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "words",
    [
        "share.receivers=sight net.encoder=mlp",  # sharing is off
        "share.rule=quantile share.receivers=sight",
        "share.rule=quantile share.receivers=similar net.encoder=mlp",
        "share.rule=stochastic replay.chunk_length=1 replay.batch_size=10",
    ],
)
def test_what_makes_sense_is_not_refused(words: str) -> None:
    resolve("qmix", "smac/3m", layer_from_words(words.split()))
