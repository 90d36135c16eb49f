"""What value-based algorithms share: padding counts for nothing, and losses are their formulas."""

import dataclasses

import pytest
import torch
from torch import Tensor

from terrarium.errors import TerrariumError
from terrarium.marl.algos.base import soft_update
from terrarium.marl.algos.q_learning import QLearner, QLearningConfig
from terrarium.marl.algos.qtran import QtranConfig
from terrarium.marl.buffers.replay_batch import ReplayBatch
from terrarium.marl.net_config import PartConfig
from terrarium.marl.nets.transformer_core import TransformerCoreConfig
from tests.marl.experience import (
    N_AGENTS,
    NET,
    grads_of,
    in_single,
    learner_of,
    made_up_rows,
    with_longer_padding,
)
from tests.naive import lambda_return, n_step_return

ALGOS = ("iql", "vdn", "qmix", "qplex", "qtran")
KINDS = (
    {"td_lambda": 0.6},
    {"td_lambda": 0.0, "n_step_return": 3},
    {"td_lambda": 0.0, "double_q": False},
)


@pytest.mark.parametrize("algo", ALGOS)
def test_padding_changes_nothing(algo: str) -> None:
    """Nothing is available in new padding: the lowest number must not get into a sum."""
    learner, rows = in_single(learner_of(algo), made_up_rows())
    assert not rows.obs.avail[:, :-1].any(-1)[~rows.filled].all()
    before, after = (learner.loss(x, learner.read(x)) for x in (rows, with_longer_padding(rows)))
    assert float(before.total.detach()) == pytest.approx(float(after.total.detach()), rel=1e-5)
    torch.testing.assert_close(before.errors, after.errors)
    for name, metric in before.metrics.items():
        assert metric.isfinite(), name
        torch.testing.assert_close(metric, after.metrics[name])
    for grad in grads_of(learner, before.total).values():
        assert grad.isfinite().all()


@pytest.mark.parametrize("algo", ALGOS)
def test_burn_in_is_remembered_and_not_learned_from(algo: str) -> None:
    learner, rows = learner_of(algo, dataclasses.replace(NET, core="gru")), made_up_rows()
    carry = torch.randn(len(rows.filled), N_AGENTS, learner.carry_size, dtype=torch.float64)
    burned = torch.zeros_like(rows.filled)
    burned[:, :2] = True
    rows = dataclasses.replace(rows, carry=carry, filled=rows.filled & ~burned)
    total = learner.loss(rows, learner.read(rows)).total
    paid = dataclasses.replace(rows, rewards=torch.where(burned, 7.0, rows.rewards))
    assert torch.equal(learner.loss(paid, learner.read(paid)).total, total)
    seen = dataclasses.replace(rows.obs, vector=rows.obs.vector.clone())
    seen.vector[:, :2] *= torch.tensor([1.0, -1.0, 2.0, 0.0, 1.0])
    other = dataclasses.replace(rows, obs=seen)
    assert not torch.equal(learner.loss(other, learner.read(other)).total, total)


@pytest.mark.parametrize("algo", ALGOS)
@pytest.mark.parametrize("core", ["none", "gru", "transformer"])
def test_packed_rows_say_the_same(algo: str, core: str) -> None:
    """Short episodes stand one behind the other, and none of them knows of the others."""
    small = TransformerCoreConfig(window=4)
    core_config = small if core == "transformer" else PartConfig()
    learner = learner_of(algo, dataclasses.replace(NET, core=core, core_config=core_config))
    rows = made_up_rows(n_rows=9)
    rows = dataclasses.replace(rows, carry=rows.carry.new_zeros((9, N_AGENTS, learner.carry_size)))
    packed = rows.packed()
    assert len(packed.filled) < len(rows.filled)
    assert packed.filled.sum() == rows.filled.sum()
    before, after = (learner.loss(x, learner.read(x)) for x in (rows, packed))
    assert float(before.total.detach()) == pytest.approx(float(after.total.detach()), rel=1e-9)
    torch.testing.assert_close(before.errors, after.errors)
    grads = grads_of(learner, after.total)
    for name, grad in grads_of(learner, before.total).items():
        torch.testing.assert_close(grad, grads[name], rtol=1e-6, atol=1e-9, msg=name)


def values_of(team: QLearner, rows: ReplayBatch) -> tuple[Tensor, Tensor]:
    """What both networks say of every action: [R, L + 1, A, N]."""
    resets = torch.zeros(rows.obs.avail.shape[:2], dtype=torch.bool)
    with torch.no_grad():
        online = team.online.agents(rows.obs, rows.carry, resets)[0]
        return online, team.target.agents(rows.obs, rows.carry, resets)[0]


def naive_goals(
    learner: QLearner, rows: ReplayBatch, r: int, following: list[float]
) -> list[float]:
    n, cfg = int(rows.filled[r].sum()), learner.cfg
    over = [k == n - 1 for k in range(n)]
    args = (rows.rewards[r, :n].tolist(), following, rows.terminated[r, :n].tolist(), over)
    if cfg.td_lambda:
        return [lambda_return(t, *args, cfg.gamma, cfg.td_lambda) for t in range(n)]
    return [n_step_return(t, *args, cfg.gamma, cfg.n_step_return) for t in range(n)]


@pytest.mark.parametrize("algo", ["iql", "vdn"])
@pytest.mark.parametrize("settings", KINDS, ids=str)
def test_the_loss_is_the_squared_error_of_double_q(algo: str, settings: dict[str, float]) -> None:
    rows, learner = made_up_rows(), learner_of(algo, **settings)
    online, target = values_of(learner, rows)
    chooser = online if learner.cfg.double_q else target
    total = 0.0
    for r in range(len(rows.filled)):
        n, weight = int(rows.filled[r].sum()), float(rows.weights[r])
        taken = [
            [float(online[r, t, a, rows.actions[r, t, a]]) for a in range(3)] for t in range(n)
        ]
        later = [
            [float(target[r, t + 1, a, chooser[r, t + 1, a].argmax()]) for a in range(3)]
            for t in range(n)
        ]
        if algo == "vdn":
            goals = naive_goals(learner, rows, r, [sum(values) for values in later])
            total += weight * sum((sum(taken[t]) - goals[t]) ** 2 for t in range(n))
            continue
        for a in range(N_AGENTS):
            goals = naive_goals(learner, rows, r, [values[a] for values in later])
            total += weight * sum((taken[t][a] - goals[t]) ** 2 for t in range(n))
    found = learner.loss(rows, learner.read(rows)).total.detach()
    assert float(found) == pytest.approx(total / int(rows.filled.sum()), rel=1e-9)


@pytest.mark.parametrize("settings", KINDS, ids=str)
def test_qtran_has_three_losses(settings: dict[str, float]) -> None:
    rows = made_up_rows()
    learner = learner_of("qtran", opt_coef=0.7, nopt_coef=0.3, **settings)
    (online, target), reading = values_of(learner, rows), learner.read(rows)
    chooser = online if learner.cfg.double_q else target
    joint, state = learner.online.mixer, rows.obs.state
    features = reading.features.detach()
    total = 0.0
    with torch.no_grad():
        for r in range(len(rows.filled)):
            n, weight = int(rows.filled[r].sum()), float(rows.weights[r])
            steps = range(n)
            later = learner.target.mixer(
                reading.next_features[r, :n], chooser[r, 1 : n + 1].argmax(-1), state[r, 1 : n + 1]
            )
            goals = naive_goals(learner, rows, r, later.tolist())
            greedy = online[r, :n].argmax(-1)
            done = joint(features[r, :n], rows.actions[r, :n], state[r, :n]).tolist()
            best = joint(features[r, :n], greedy, state[r, :n]).tolist()
            offset = joint.offset(state[r, :n]).tolist()
            for t in steps:
                most = float(online[r, t].max(-1).values.sum())
                taken = sum(float(online[r, t, a, rows.actions[r, t, a]]) for a in range(N_AGENTS))
                total += weight * (
                    (done[t] - goals[t]) ** 2
                    + 0.7 * (most - best[t] + offset[t]) ** 2
                    + 0.3 * min(0.0, taken - done[t] + offset[t]) ** 2
                )
    found = learner.loss(rows, reading).total.detach()
    assert float(found) == pytest.approx(total / int(rows.filled.sum()), rel=1e-9)


def test_agents_do_not_pull_the_joint_value_of_qtran() -> None:
    """Only its own error changes it: what is best, and the other actions, follow."""
    rows = made_up_rows()
    grads = []
    for weight in (0.1, 10.0):
        learner = learner_of("qtran", opt_coef=weight, nopt_coef=weight)
        grads.append(grads_of(learner, learner.loss(rows, learner.read(rows)).total))
    for name in grads[0]:
        if name.startswith(("mixer.encode", "mixer.joint")):
            torch.testing.assert_close(grads[0][name], grads[1][name])


@pytest.mark.parametrize("rate", [1.0, 0.25])
def test_target_networks_follow_at_their_rate(rate: float) -> None:
    learner = learner_of("qmix")
    before = [weight.clone() for weight in learner.target.parameters()]
    soft_update(learner.target, learner.online, rate)
    both = zip(before, learner.target.parameters(), learner.online.parameters(), strict=True)
    for was, now, live in both:
        torch.testing.assert_close(now, ((1.0 - rate) * was + rate * live).detach())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"opt_coef": 0.0}, "algo.opt_coef is 0: nothing would tie what agents encode best"),
        ({"nopt_coef": -1.0}, "algo.nopt_coef is -1.0; allowed: 0 or more"),
        ({"joint_embed_dim": 0}, "algo.joint_embed_dim is 0; allowed: 1 to 4096"),
        (
            {"optimizer": "adm"},
            'algo.optimizer is adm; allowed: adam, rmsprop. Did you mean "adam"',
        ),
        (
            {"n_step_return": 3},
            "algo.n_step_return is 3 and algo.td_lambda 0.6: a return is either n-step or",
        ),
    ],
    ids=str,
)
def test_settings_that_cannot_be(settings: dict[str, float], message: str) -> None:
    with pytest.raises(TerrariumError) as caught:
        QtranConfig(**settings)  # type: ignore[arg-type]  # what this is about
    assert str(caught.value).startswith(message)
    assert QLearningConfig(td_lambda=0.0, n_step_return=3).n_step_return == 3
