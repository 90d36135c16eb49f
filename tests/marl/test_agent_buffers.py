"""Buffers of received experience: against a naive twin, and what is learned from them."""

import copy
import dataclasses

import pytest
import torch
from torch import Tensor

from terrarium.errors import TerrariumError
from terrarium.marl.buffers.replay_batch import ReplayBatch, ReplayConfig
from terrarium.marl.buffers.replay_buffer import ReplayBuffer
from terrarium.marl.sharing.agent_buffers import AgentBuffers, Received, steps_in_rows
from terrarium.marl.sharing.config import ShareConfig
from terrarium.marl.sharing.loss import buffered_loss
from tests.marl.experience import learner_of, made_up_rows, seeded
from tests.marl.small import made
from tests.marl.streams import N_AGENTS, Stream, new_replay

LIMIT, SIZE = 12, 40


def battles(seed: int = 0, capacity: int = 12) -> tuple[ReplayBuffer, Stream]:
    stream = Stream(4, LIMIT, seed)
    replay = new_replay(stream, ReplayConfig(buffer_size=capacity, batch_size=4))
    for _ in range(6):
        replay.add(stream.rollout(7))
    return replay, stream


def sent_of(rows: ReplayBatch, seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """Weights, rewards and ends as no rule would have them; nobody sends to itself."""
    generator, shape = seeded(seed), (*rows.filled.shape, N_AGENTS)
    weights = torch.rand((*shape, N_AGENTS), generator=generator)
    others = ~torch.eye(N_AGENTS, dtype=torch.bool)
    sent = (torch.rand(weights.shape, generator=generator) < 0.3) & others
    weights = weights * (sent & rows.filled[..., None, None])
    return (
        weights,
        torch.randn(shape, generator=generator),
        torch.rand(shape, generator=generator) < 0.2,
    )


class NaiveBuffers:
    """Lists of entries, oldest first."""

    def __init__(self, replay: ReplayBuffer) -> None:
        self.replay = replay
        self.of: list[dict[tuple[int, ...], tuple[float, ...]]] = [{} for _ in range(N_AGENTS)]

    def insert(self, rows: ReplayBatch, weights: Tensor, rewards: Tensor, ends: Tensor) -> None:
        for r, t, i, j in (weights > 0.0).nonzero().tolist():
            row = int(rows.ids[rows.owner[r, t]])
            begin = max(k for k in range(t + 1) if rows.resets[r, k] or k == 0)
            key = (row, int(self.replay.generation[row]), t - begin, i)
            entry = (float(rewards[r, t, i]), float(weights[r, t, i, j]), float(ends[r, t, i]))
            self.of[j][key] = entry  # what is there already keeps its place
            if len(self.of[j]) > SIZE:
                self.of[j].pop(next(iter(self.of[j])))


def content(buffers: AgentBuffers, agent: int) -> dict[tuple[int, ...], tuple[float, ...]]:
    of, taken = buffers._of, buffers._of["taken"][agent]
    keys = zip(
        *(of[name][agent][taken].tolist() for name in ("row", "generation", "step", "sender")),
        strict=True,
    )
    values = zip(
        *(of[name][agent][taken].float().tolist() for name in ("reward", "weight", "ends")),
        strict=True,
    )
    found = list(zip(keys, values, strict=True))
    assert len(dict(found)) == len(found)  # nothing is there twice
    return dict(found)


@pytest.mark.parametrize("packed", [False, True])
def test_what_is_inserted_is_what_a_naive_twin_has(packed: bool) -> None:
    replay, stream = battles()
    buffers, naive = AgentBuffers(N_AGENTS, SIZE), NaiveBuffers(replay)
    buffers.attach(replay, N_AGENTS)
    generator = seeded(1)
    for k in range(12):
        rows = replay.draw(0.0, generator)
        rows = rows.packed() if packed else rows
        sent = sent_of(rows, k)
        n_new = [(sent[0][..., j] > 0.0).sum() for j in range(N_AGENTS)]
        assert min(n_new) > 0
        buffers.insert(rows, *sent)
        naive.insert(rows, *sent)
        for agent in range(N_AGENTS):
            found = content(buffers, agent)
            assert found == naive.of[agent]
            assert all(sender != agent for *_, sender in found)
        if k % 3 == 0:
            replay.add(stream.rollout(7))


def test_what_the_replay_buffer_has_forgotten_is_not_drawn() -> None:
    replay, stream = battles()
    buffers = AgentBuffers(N_AGENTS, 1000)
    buffers.attach(replay, N_AGENTS)
    generator = seeded(2)
    buffers.insert(rows := replay.draw(0.0, generator), *sent_of(rows, 0))
    kept = replay.generation.clone()
    drawn = buffers.draw(200, generator)
    assert set(drawn.receiver.tolist()) == set(range(N_AGENTS))
    assert set(drawn.row.tolist()) <= set(rows.ids.tolist())
    for a in range(N_AGENTS):
        n = int(buffers._of["taken"][a].sum())
        share = n / replay.n_closed_steps / 200
        assert drawn.share[drawn.receiver == a].tolist() == pytest.approx([share] * 200)
    gone = set[int]()
    while not gone & set(rows.ids.tolist()):
        replay.add(stream.rollout(3))
        gone = set((replay.generation != kept).nonzero().squeeze(1).tolist())
    assert not gone & set(buffers.draw(200, generator).row.tolist())
    for _ in range(12):
        replay.add(stream.rollout(7))
    assert not len(buffers.draw(10, generator).row)


def test_another_scenario_begins_with_empty_buffers() -> None:
    replay, _ = battles()
    buffers = AgentBuffers(N_AGENTS, SIZE)
    buffers.attach(replay, N_AGENTS)
    rows = replay.draw(0.0, seeded(0))
    buffers.insert(rows, *sent_of(rows, 0))
    buffers.attach(replay, N_AGENTS)
    assert len(buffers.draw(5, seeded(0)).row)
    buffers.attach(battles(1)[0], 5)
    assert buffers.n_agents == 5
    assert not len(buffers.draw(5, seeded(0)).row)


def test_steps_of_packed_sequences_are_counted_from_their_beginnings() -> None:
    rows = made_up_rows(n_rows=9)
    packed = rows.packed()
    steps = steps_in_rows(packed)
    for r, t in packed.filled.nonzero().tolist():
        k, step = int(packed.owner[r, t]), int(steps[r, t])
        assert torch.equal(packed.actions[r, t], rows.actions[k, step])
        assert packed.rewards[r, t] == rows.rewards[k, step]


@pytest.mark.parametrize("share", [True, False], ids=["shared", "separate"])
def test_receivers_learn_from_what_they_draw_with_their_own_networks(share: bool) -> None:
    words = (
        "share.rule=quantile",
        "share.bandwidth=0.5",
        "share.storage=buffer",
        "algo.td_lambda=0",
    )
    learner, collector = made("iql", *words)
    if not share:
        net = dataclasses.replace(learner.net, share_params=False)
        learner, collector = made("iql", *words, net=net)
    for _ in range(20):
        learner.observe(collector.collect(learner.act)[0])
        learner.update(0.5)
    replay, buffers = learner.training.store.replay, learner.exchange.buffers
    drawn = buffers.draw(4, seeded(3))
    assert len(drawn.row) == 12
    agents = (learner.online.agents, learner.target.agents)
    found = buffered_loss(replay, drawn, agents, 0.9, True)
    total = 0.0
    with torch.no_grad():
        for n in range(12):
            j, i, t = (int(part[n]) for part in (drawn.receiver, drawn.sender, drawn.step))
            rows = replay.rows(drawn.row[n : n + 1], torch.ones(1))
            now, later = (
                x.logits_as_each(rows.obs, rows.carry, rows.resets)[0 if share else j, 0]
                for x in agents
            )
            target = float(drawn.reward[n])
            if not drawn.ends[n]:
                target += 0.9 * float(later[t + 1, i, now[t + 1, i].argmax()])
            error = float(now[t, i, rows.actions[0, t, i]]) - target
            total += float(drawn.weight[n] * drawn.share[n]) * error**2
    assert float(found.detach()) == pytest.approx(total, rel=1e-4)


def test_nothing_received_is_nothing_learned() -> None:
    nothing = torch.zeros(0, dtype=torch.int64)
    none = Received(*([nothing] * 8))
    learner = learner_of("vdn")
    agents = (learner.online.agents, learner.target.agents)
    assert float(buffered_loss(battles()[0], none, agents, 0.9, True)) == 0.0


def test_buffers_go_on_as_they_were() -> None:
    replay, _ = battles()
    buffers, resumed = AgentBuffers(N_AGENTS, SIZE), AgentBuffers(N_AGENTS, SIZE)
    generator = seeded(4)
    buffers.attach(replay, N_AGENTS)
    for k in range(4):
        rows = replay.draw(0.0, generator)
        buffers.insert(rows, *sent_of(rows, k))
    resumed.load_state_dict(copy.deepcopy(buffers.state_dict()))
    resumed.attach(replay, N_AGENTS)
    rows = replay.draw(0.0, generator)
    for one in (buffers, resumed):
        one.insert(rows, *sent_of(rows, 9))
    for agent in range(N_AGENTS):
        assert content(buffers, agent) == content(resumed, agent)
    one, two = (vars(x.draw(7, seeded(5))).values() for x in (buffers, resumed))
    assert all(map(torch.equal, one, two))


def test_an_unknown_storage_is_refused() -> None:
    with pytest.raises(TerrariumError, match=r'share\.storage is "bufer"\. Did you mean "buffer"'):
        ShareConfig(storage="bufer")
