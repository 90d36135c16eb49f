"""The plain QMIX that others are measured against does what QMIX does."""

import dataclasses

import pytest
import torch

from terrarium.bench.plain_qmix import (
    PlainAgent,
    PlainBatch,
    PlainQmix,
    QmixSizes,
    random_batch,
    seconds_per_update,
)

pytestmark = pytest.mark.slow

SIZES = QmixSizes(n_agents=2, n_actions=4, obs_width=3, state_size=5, hidden=8, embed=4, hypernet=6)


def made() -> PlainQmix:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        learner = PlainQmix(SIZES, lr=3e-3)
        for weight in (*learner.target_agent.parameters(), *learner.target_mixer.parameters()):
            weight.data += 0.3 * torch.randn_like(weight)  # it is behind the live one
    return learner


def padded() -> PlainBatch:
    """Three episodes: one ends early, one is cut off early, one is whole."""
    batch = random_batch(SIZES, 3, 6)
    filled, terminated = batch.filled.clone(), batch.terminated.clone()
    filled[0, 3:], terminated[0] = False, False
    terminated[0, 2] = True
    filled[1, 4:], terminated[1] = False, False
    return dataclasses.replace(batch, filled=filled, terminated=terminated)


def naive_q(agent: PlainAgent, batch: PlainBatch, b: int, a: int) -> torch.Tensor:
    """[T + 1, N] of one agent of one episode."""
    memory, found = torch.zeros(1, SIZES.hidden), []
    for t in range(batch.obs.shape[1]):
        last = [0.0] * SIZES.n_actions
        if t:
            last[int(batch.actions[b, t - 1, a])] = 1.0
        name = [float(a == other) for other in range(SIZES.n_agents)]
        x = torch.tensor([[*batch.obs[b, t, a].tolist(), *last, *name]])
        memory = agent.remember(agent.encode(x).relu(), memory)
        found.append(agent.values(memory)[0])
    return torch.stack(found)


@torch.no_grad()
def test_its_target_equals_a_slow_twins() -> None:
    learner, batch = made(), padded()
    goal = learner.goal(batch, learner.values(learner.agent, batch).detach())  # [B, T]
    mixer = learner.target_mixer
    for b in range(3):
        live = [naive_q(learner.agent, batch, b, a) for a in range(2)]
        late = [naive_q(learner.target_agent, batch, b, a) for a in range(2)]
        for t in range(6):
            q = []
            for a in range(2):
                scores = live[a][t + 1].tolist()
                can = [u for u in range(4) if batch.avail[b, t + 1, a, u]]
                q.append(late[a][t + 1, max(can, key=scores.__getitem__)])
            state = batch.state[b, t + 1]
            hidden = mixer.bias(state) + sum(
                q[a] * mixer.weights(state).abs()[a * 4 : a * 4 + 4] for a in range(2)
            )
            total = torch.nn.functional.elu(hidden) @ mixer.last_weights(state).abs()
            following = 0.0 if batch.terminated[b, t] else total + mixer.last_bias(state)[0]
            expected = float(batch.rewards[b, t] + 0.99 * following)
            assert float(goal[b, t]) == pytest.approx(expected, abs=1e-5)


def test_it_learns_a_fixed_batch() -> None:
    learner, batch = made(), padded()
    losses = [learner.update(batch) for _ in range(80)]
    assert losses[-1] < 0.3 * losses[0]


def test_padding_does_not_change_the_loss() -> None:
    learner, batch = made(), padded()
    before = learner.loss(batch)
    empty = ~batch.filled
    rewards = torch.where(empty, 100.0, batch.rewards)
    actions = torch.where(empty.unsqueeze(-1), 3, batch.actions)
    after = learner.loss(dataclasses.replace(batch, rewards=rewards, actions=actions))
    assert torch.equal(before, after)


def test_the_joint_value_never_falls_with_an_agents() -> None:
    learner, batch = made(), padded()
    q = torch.randn(3, 6, 2, generator=torch.Generator().manual_seed(1)).requires_grad_()
    joint = learner.mixer(q, batch.state[:, :-1])
    assert joint.shape == (3, 6)
    (slope,) = torch.autograd.grad(joint.sum(), q)
    assert (slope >= 0).all()


def test_the_target_networks_stay_until_they_are_copied() -> None:
    learner, batch = made(), padded()
    before = learner.goal(batch, learner.values(learner.agent, batch).detach())
    q = learner.values(learner.agent, batch).detach()
    learner.update(batch)
    assert torch.equal(learner.goal(batch, q), before)
    learner.copy_to_target()
    assert not torch.allclose(learner.goal(batch, q), before)


def test_every_update_is_timed() -> None:
    times = seconds_per_update(SIZES, random_batch(SIZES, 2, 3), 4)
    assert len(times) == 4
    assert min(times) > 0.0
