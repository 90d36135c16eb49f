"""DIFFER: what a team learns, split among its agents without a loss, then drawn by priority."""

import dataclasses
import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from terrarium.errors import TerrariumError
from terrarium.marl.actions.action_selectors import EpsilonGreedyConfig
from terrarium.marl.algos import ALGOS
from terrarium.marl.algos.mixers import QmixMixerConfig, QplexMixerConfig
from terrarium.marl.algos.q_learning import QLearner, mean_square, team_targets
from terrarium.marl.buffers.replay_batch import ReplayConfig
from terrarium.marl.differ import SELECTIONS, DifferConfig, mixing_gradients, select, split
from terrarium.marl.net_config import NetConfig
from terrarium.marl.rollout import Collector
from terrarium.marl.runtime import make_runtime
from terrarium.schedules import Schedule
from terrarium.testing.games import Coordination
from tests.marl.experience import N_AGENTS, grads_of, learner_of, made_up_rows, seeded

MIXED = ("vdn", "qmix", "qplex")
CHOOSY = ("greedy", "greedy_weight", "PER_weight", "PER_hard")

BEYOND_CHANCE = 43.82
"""What chi-square exceeds once in a thousand with 19 degrees of freedom: 20 experiences."""


def mixed(algo: str, chosen: str = "none", **settings: object) -> QLearner:
    if algo != "vdn":
        qplex = QplexMixerConfig(hypernet_dim=8, n_heads=2)
        qmix = QmixMixerConfig(embed_dim=6, hypernet_dim=8)
        settings["mixer"] = qplex if algo == "qplex" else qmix
    return learner_of(algo, differ=DifferConfig(select=chosen), **settings)


@pytest.mark.parametrize("algo", MIXED)
def test_slopes_are_what_the_team_gains_with_an_agent(algo: str) -> None:
    learner, rows = mixed(algo), made_up_rows()
    reading, mixer = learner.read(rows), learner.online.mixer
    total, slopes = mixing_gradients(rows, reading.taken.detach(), reading.best, mixer)
    state, h = rows.obs.state[:, :-1], 1e-6
    for a in range(N_AGENTS):
        step = h * torch.eye(N_AGENTS, dtype=torch.float64)[a]
        # What QPLEX makes of advantages is held, so an agent's best moves along with it.
        after = mixer(reading.taken + step, reading.best + step, rows.actions, state)
        torch.testing.assert_close(slopes[..., a], (after - total) / h, rtol=1e-4, atol=1e-4)


def test_slopes_have_a_limit() -> None:
    learner, rows = mixed("qmix"), made_up_rows()
    reading = learner.read(rows)
    for weight in learner.online.mixer.parameters():
        weight.data *= 30.0
    _, slopes = mixing_gradients(rows, reading.taken, reading.best, learner.online.mixer)
    assert float(slopes.max()) == 10.0


@pytest.mark.parametrize("algo", MIXED)
@pytest.mark.parametrize("trace", [0.0, 0.6])
def test_with_everything_selected_all_gradients_are_the_teams(algo: str, trace: float) -> None:
    rows = made_up_rows(deaths=0.0)
    plain, split_up = (mixed(algo, chosen, td_lambda=trace) for chosen in ("none", "all"))
    expected = grads_of(plain, plain.loss(rows, plain.read(rows)).total)
    found = grads_of(split_up, split_up.loss(rows, split_up.read(rows)).total)
    assert any(name.startswith("mixer") for name in expected) == (algo != "vdn")
    for name, grad in expected.items():
        torch.testing.assert_close(found[name], grad, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("algo", MIXED)
def test_nobody_learns_from_being_dead(algo: str) -> None:
    """Then gradients are the team's, with the values of the dead as constants."""
    rows, learner = made_up_rows(deaths=0.3), mixed(algo, "all")
    reading = learner.read(rows)
    alive = rows.obs.acting[:, :-1]
    assert not alive[rows.filled].all()
    taken = torch.where(alive, reading.taken, reading.taken.detach())
    total = learner.online.mixer(taken, reading.best, rows.actions, rows.obs.state[:, :-1])
    error = mean_square(total - team_targets(rows, reading, learner.target, learner.cfg), rows)
    expected = grads_of(learner, error)
    found = grads_of(learner, learner.loss(rows, reading).total)
    for name, grad in expected.items():
        torch.testing.assert_close(found[name], grad, rtol=1e-5, atol=1e-9)


def test_individual_rewards_are_those_of_the_formula() -> None:
    learner, rows = mixed("qmix"), made_up_rows(deaths=0.3)
    reading, gamma = learner.read(rows), learner.cfg.gamma
    total, slopes = mixing_gradients(rows, reading.taken, reading.best, learner.online.mixer)
    error = (total - team_targets(rows, reading, learner.target, learner.cfg)).detach()  # [R, L]
    each = split(
        rows, reading.taken, reading.next_taken, slopes * error.unsqueeze(-1), learner.cfg.gamma
    )
    taken, n_ended = reading.taken.detach(), 0
    for r, t in rows.filled.nonzero().tolist():
        for a in range(N_AGENTS):
            dead_after = bool(rows.obs.avail[r, t + 1, a, 0])
            ends = dead_after or bool(rows.terminated[r, t])
            n_ended += dead_after
            expected = float(taken[r, t, a] - slopes[r, t, a] * error[r, t])
            if not ends:
                expected -= gamma * float(reading.next_taken[r, t, a])
            assert float(each.rewards[r, t, a]) == pytest.approx(expected, rel=1e-12, abs=1e-12)
            assert bool(each.ends[r, t, a]) == ends
            assert bool(each.there[r, t, a]) == (not rows.obs.avail[r, t, a, 0])
    assert n_ended > 0
    assert not each.there[~rows.filled].any()


def naive_weights(sizes: list[float], n: int, kind: str, counts: list[int]) -> list[float]:
    """How much each of some experiences counts; `counts` says how often each was drawn."""
    order = sorted(range(len(sizes)), key=lambda k: -sizes[k])[:n]
    if kind == "all":
        return [1.0] * len(sizes)
    if kind == "greedy":
        return [float(k in order) for k in range(len(sizes))]
    if kind == "greedy_weight":
        pivot, most = sizes[order[-1]], sizes[order[0]]
        return [
            (size - pivot) / (most - pivot) if k in order else 0.0 for k, size in enumerate(sizes)
        ]
    if kind == "PER_hard":
        return [float(count) for count in counts]
    weights = [(size + 0.01) ** 0.7 for size in sizes]
    rare = [(len(sizes) * weight / sum(weights)) ** -0.4 for weight in weights]
    most = max(r for r, count in zip(rare, counts, strict=True) if count)
    return [count * r / most for r, count in zip(rare, counts, strict=True)]


def experiences(seed: int, shape: tuple[int, ...] = (4, 3, 3)) -> tuple[Tensor, Tensor]:
    """Errors of either sign, and which of them count."""
    errors = torch.randn(shape, generator=seeded(seed), dtype=torch.float64)
    return errors, torch.rand(shape, generator=seeded(seed + 1)) < 0.7


def per(kind: str, **settings: str) -> DifferConfig:
    """A selection that is the same for the whole run, but for these schedules."""
    fixed = {"selected_ratio": "0.6", "per_alpha": "0.7", "per_beta": "0.4", **settings}
    return DifferConfig(kind, **{name: Schedule(text) for name, text in fixed.items()})


@pytest.mark.parametrize("kind", SELECTIONS[1:])
def test_selections_equal_their_naive_twins(kind: str) -> None:
    for seed in range(10):
        errors, there = experiences(seed)
        sizes = errors.abs()[there].tolist()
        n = math.floor(0.6 * len(sizes))
        drawn = select(errors, there, per("PER_hard"), 0.5, seeded(seed))[there]
        found = select(errors, there, per(kind), 0.5, seeded(seed))
        expected = naive_weights(sizes, n, kind, [int(count) for count in drawn])
        assert found[there].tolist() == pytest.approx(expected, rel=1e-9)
        assert (found[~there] == 0.0).all()
        assert drawn.sum() == n


def test_draws_come_as_often_as_their_chances_say() -> None:
    errors = torch.linspace(-1.0, 4.0, 20, dtype=torch.float64)
    there = torch.ones(20, dtype=torch.bool)
    generator, n_times = seeded(3), 1000
    cfg = per("PER_hard", selected_ratio="1")
    counts = sum(select(errors, there, cfg, 0.0, generator) for _ in range(n_times))
    assert isinstance(counts, Tensor)

    def misfit(alpha: float) -> float:
        chances = (errors.abs() + 0.01) ** alpha
        expected = 20 * n_times * chances / chances.sum()
        return float(((counts - expected).square() / expected).sum())

    assert misfit(0.7) < BEYOND_CHANCE
    assert misfit(0.6) > BEYOND_CHANCE  # a little less would have been noticed


@given(
    kind=st.sampled_from(SELECTIONS[1:]),
    shape=st.tuples(st.integers(1, 5), st.integers(1, 4), st.integers(1, 3)),
    ratio=st.integers(1, 64),
    scale=st.sampled_from([0.0, 1e-6, 1.0, 1e6]),
    seed=st.integers(0, 1000),
)
def test_padding_and_the_dead_are_never_selected(
    kind: str, shape: tuple[int, int, int], ratio: int, scale: float, seed: int
) -> None:
    errors, there = experiences(seed, shape)
    cfg = per(kind, selected_ratio=str(ratio / 64))
    weights = select((scale * errors).float(), there, cfg, 0.0, seeded(seed))
    assert weights.shape == errors.shape
    assert (weights[~there] == 0.0).all()
    assert weights.isfinite().all()
    assert (weights >= 0.0).all()
    n = math.floor(ratio / 64 * int(there.sum()))
    if kind == "all":
        assert (weights[there] == 1.0).all()
    elif kind in ("greedy", "PER_hard"):
        assert weights.sum() == n
    elif n:
        assert float(weights.max()) >= 1.0  # what counts most counts fully, each time
        assert (weights > 0.0).sum() <= n
    else:
        assert (weights == 0.0).all()


@pytest.mark.parametrize("kind", CHOOSY)
def test_a_single_experience_without_an_error_is_learned_from(kind: str) -> None:
    there = torch.tensor([[[False, True, False]]])
    weights = select(torch.zeros(1, 1, 3), there, per(kind, selected_ratio="1"), 0.0, seeded())
    assert weights.tolist() == [[[0.0, 1.0, 0.0]]]


def test_schedules_follow_the_run() -> None:
    errors, there = experiences(0, (20, 5, 3))
    n = int(there.sum())
    for share, ratio in ((0.0, 0.8), (0.3, 0.9), (0.6, 1.0), (1.0, 1.0)):
        found = select(errors, there, DifferConfig("greedy"), share, seeded())
        assert found.sum() == math.floor(ratio * n)
    moving = per("PER_weight", per_alpha="0.2 -> 0.8", per_beta="0 -> 1 at 50%")
    for share, alpha, beta in ((0.0, "0.2", "0"), (0.25, "0.35", "0.5"), (1.0, "0.8", "1")):
        fixed = per("PER_weight", per_alpha=alpha, per_beta=beta)
        found = select(errors, there, moving, share, seeded())
        torch.testing.assert_close(found, select(errors, there, fixed, share, seeded()))


@pytest.mark.parametrize(("progress", "share"), [(0.0, 0.5), (0.5, 0.75), (1.0, 1.0)])
def test_a_learner_selects_by_how_far_its_run_is(progress: float, share: float) -> None:
    cfg = DifferConfig("greedy", selected_ratio=Schedule("0.5 -> 1"))
    learner, rows = learner_of("vdn", differ=cfg), made_up_rows()
    learner.progress = progress
    n = int((rows.obs.acting[:, :-1] & rows.filled.unsqueeze(-1)).sum())
    metrics = learner.loss(rows, learner.read(rows)).metrics
    assert float(metrics["selected"]) == pytest.approx(math.floor(share * n) / n)


@pytest.mark.parametrize("kind", CHOOSY)
def test_what_was_not_selected_changes_no_agent(kind: str) -> None:
    rows = made_up_rows()
    cfg = DifferConfig(kind, selected_ratio=Schedule("0.3"))
    learner = learner_of("vdn", differ=cfg)
    reading = learner.read(rows)
    # VDN has slope 1, so an agent's error is the team's.
    error = (
        reading.taken.sum(-1) - team_targets(rows, reading, learner.target, learner.cfg)
    ).detach()  # [R, L]
    errors = error.unsqueeze(-1).expand_as(reading.taken)
    there = rows.obs.acting[:, :-1] & rows.filled.unsqueeze(-1)
    state = learner.generator.get_state()
    weights = select(errors, there, cfg, 0.0, learner.generator)
    learner.generator.set_state(state)
    (slopes,) = torch.autograd.grad(learner.loss(rows, reading).total, reading.taken)
    expected = 2.0 * weights * errors * rows.weights[:, None, None] / rows.filled.sum()
    torch.testing.assert_close(slopes, expected)


def train_on_meeting(algo: str, cfg: DifferConfig) -> float:
    """What a greedy team is paid in the end."""
    game, net = Coordination(32), NetConfig(encoder="mlp", core="none", hidden_dim=32)
    settings = ALGOS[algo].Config(
        lr=Schedule("0.01"),
        steps_per_update=16.0,
        replay=ReplayConfig(buffer_size=1000, batch_size=32),
        explore=EpsilonGreedyConfig(epsilon=Schedule("1 -> 0.2 at 50%")),
        differ=cfg,
    )
    spec = dataclasses.replace(game.spec, limit_steps=game.length)
    learner = ALGOS[algo](spec, net, settings, make_runtime(np.random.SeedSequence(2)))
    collector = Collector(game, settings.n_steps, learner.carry_size)
    for k in range(6):
        learner.observe(collector.collect(learner.act)[0])
        learner.update(k / 6)
    _, episodes = collector.collect(
        lambda obs, carry, resets: learner.act(obs, carry, resets, greedy=True)
    )
    return float(np.mean(episodes.returns))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("algo", "kind"),
    [
        ("vdn", "all"),
        ("vdn", "greedy"),
        ("vdn", "greedy_weight"),
        ("vdn", "PER_hard"),
        ("qmix", "PER_weight"),
    ],
)
def test_agents_learn_to_meet(algo: str, kind: str) -> None:
    assert train_on_meeting(algo, DifferConfig(kind)) == 1.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"select": "PER"}, 'differ.select is "PER"'),
        ({"select": "gredy"}, 'differ.select is "gredy". Did you mean "greedy"? Allowed: none'),
        (
            {"selected_ratio": Schedule("0 -> 1")},
            "differ.selected_ratio is 0 -> 1; allowed: 0.01 to 1",
        ),
        ({"per_alpha": Schedule("1.5")}, "differ.per_alpha is 1.5; allowed: 0 to 1"),
        ({"per_beta": Schedule("-1")}, "differ.per_beta is -1; allowed: 0 to 1"),
    ],
    ids=str,
)
def test_settings_that_cannot_be(settings: dict[str, str], message: str) -> None:
    with pytest.raises(TerrariumError) as caught:
        DifferConfig(**settings)  # type: ignore[arg-type]  # what this is about
    assert str(caught.value).startswith(message)
