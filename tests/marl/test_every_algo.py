"""What every algorithm promises: it learns, and only from what counts."""

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from terrarium.marl.algos import ALGOS
from terrarium.marl.algos.mixers import QtranJointQ
from terrarium.marl.algos.q_learning import QLearner
from terrarium.marl.batch import parts
from terrarium.marl.buffers.hindsight import Goals
from terrarium.marl.buffers.replay_batch import ReplayBatch
from terrarium.marl.buffers.replay_buffer import ReplayBuffer
from terrarium.marl.net_config import NetConfig, PartConfig
from terrarium.marl.nets.transformer_core import TransformerCoreConfig
from terrarium.marl.rollout import Collector, Rollout
from terrarium.marl.runtime import make_runtime
from terrarium.testing.algorithms import check_available_actions, check_resuming, train_on_game
from terrarium.testing.games import BitFlip, Coordination, Memory, SmallGame
from tests.marl.small import (
    DDPG_LIKE,
    GAME_WORDS,
    NET,
    VALUE_BASED,
    collector_for,
    family,
    made,
    small_config,
    small_words,
)


def play(learner: Any, collector: Collector, n: int) -> Rollout:
    """Some rollouts that the learner takes; the last of them."""
    for _ in range(n):
        rollout, _ = collector.collect(learner.act)
        learner.observe(rollout)
    return rollout


def played(algo: str, *words: str, n: int = 12, **how: Any) -> tuple[Any, ReplayBuffer]:
    """A learner of values with episodes that it has played, most of them against each other."""
    learner, collector = made(algo, *words, **how)
    play(learner, collector, n)
    return learner, learner.training.store.replay


def all_rows(replay: ReplayBuffer) -> ReplayBatch:
    ids = replay._n_steps.nonzero().squeeze(1)
    return replay.rows(ids, torch.linspace(0.5, 1.0, len(ids)))


def gradients(learner: QLearner, rows: ReplayBatch) -> tuple[Tensor, Tensor, Tensor]:
    """The loss, how wrong each row is, and all gradients."""
    loss = learner.loss(rows, learner.read(rows))
    learner.optimizer.zero_grad()
    loss.total.backward()  # type: ignore[no-untyped-call]  # torch does not say
    weights = learner.online.parameters()
    grads = [w.grad.flatten() if w.grad is not None else w.new_zeros(w.numel()) for w in weights]
    return loss.total.detach(), loss.errors, torch.cat(grads)


@pytest.mark.slow
@pytest.mark.parametrize("algo", ALGOS)
def test_errors_fall_on_what_was_collected(algo: str) -> None:
    if algo in VALUE_BASED:
        learner, _ = played(
            algo, "algo.lr=5e-3", "algo.target_update_interval=1000", "replay.batch_size=8"
        )
        name = "learn/td_error"
    elif algo in DDPG_LIKE:
        learner, _ = played(algo, "algo.critic_lr=5e-3", "algo.tau=1e-6", "replay.batch_size=8")
        name = "learn/td_error"
    else:
        learner, collector = made(algo, "algo.lr=3e-3", "algo.n_minibatches=1")
        rollout = play(learner, collector, 4)
        name = "learn/value_loss"
    errors = []
    for _ in range(40):
        if algo in (*VALUE_BASED, *DDPG_LIKE):
            learner.training.due = 4.0
        else:
            learner.observe(rollout)
        errors.append(learner.update(0.0)[name])
    # An agent of IQL cannot foresee what the others earn: most of its error stays.
    assert np.mean(errors[-8:]) < 0.95 * np.mean(errors[:4])


@pytest.mark.parametrize("algo", VALUE_BASED)
def test_padding_changes_neither_losses_nor_gradients(algo: str) -> None:
    learner, replay = played(algo)
    before = all_rows(replay)
    lengths = before.filled.sum(1)
    assert lengths.min() < lengths.max()
    one = gradients(learner, before)
    assert one[0].isfinite()
    generator = torch.Generator().manual_seed(0)
    n = replay._n_steps.unsqueeze(1)  # [rows, 1]
    unused = torch.arange(replay.length) >= n
    unseen = torch.arange(replay.length + 1) > n
    for part in parts(replay._obs):
        junk = 100.0 * torch.randn(part.shape, generator=generator)
        part[unseen] = (junk > 0.0 if part.dtype == torch.bool else junk).to(part)[unseen]
    n_actions = replay._obs.avail.shape[-1]
    shape = replay._actions.shape
    replay._actions[unused] = torch.randint(n_actions, shape, generator=generator).short()[unused]
    replay._rewards[unused] = 1000.0
    replay._own.rewards[unused] = 1000.0
    replay._own.terminated[unused] = True
    replay._terminated[unused] = True
    for found, wanted in zip(gradients(learner, all_rows(replay)), one, strict=True):
        torch.testing.assert_close(found, wanted, rtol=1e-4, atol=1e-6)  # sums in another order


@pytest.mark.parametrize("algo", VALUE_BASED)
def test_a_row_alone_teaches_what_it_teaches_among_others(algo: str) -> None:
    learner, replay = played(algo)
    rows = all_rows(replay)
    together = gradients(learner, rows)
    n_steps = int(rows.filled.sum())
    loss, grad = torch.zeros(()), torch.zeros_like(together[2])
    for k in range(len(rows.ids)):
        alone = replay.rows(rows.ids[k : k + 1], rows.weights[k : k + 1])
        found = gradients(learner, alone)
        share = int(alone.filled.sum()) / n_steps
        torch.testing.assert_close(found[1][0], together[1][k], rtol=1e-4, atol=1e-5)
        loss, grad = loss + share * found[0], grad + share * found[2]
    torch.testing.assert_close(loss, together[0], rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(grad, together[2], rtol=1e-3, atol=1e-5)


EXPLORERS = ["epsilon", "boltzmann", "noisy", "ucb"]


@pytest.mark.parametrize(
    ("algo", "words"),
    [(algo, ()) for algo in ALGOS] + [("vdn", (f"explore.kind={kind}",)) for kind in EXPLORERS],
)
def test_what_cannot_be_done_is_never_chosen(algo: str, words: tuple[str, ...]) -> None:
    check_available_actions(algo, *small_words(algo), *words)


@pytest.mark.parametrize("algo", ALGOS)
def test_a_resumed_learner_goes_on_to_the_bit(algo: str) -> None:
    check_resuming(algo, *small_words(algo))


@pytest.mark.parametrize("algo", VALUE_BASED)
def test_greedy_is_what_seems_best(algo: str) -> None:
    learner, collector = made(algo)
    rollout = play(learner, collector, 3)
    obs, resets = rollout.obs[0], rollout.resets[0]
    q, _ = learner.online.agents(obs[:, None], rollout.carry, resets[:, None])
    best = q[:, 0].masked_fill(~obs.avail, -torch.inf).argmax(-1)
    assert torch.equal(learner.act(obs, rollout.carry, resets, greedy=True).actions, best)


def worth(mixer: nn.Module, q: Tensor, features: Tensor, actions: Tensor, state: Tensor) -> Tensor:
    """What actions [A] are worth in one step: to the team [], or to each agent [A] if it is alone.

    q [A, N], features [A, H], state [S]
    """
    if isinstance(mixer, QtranJointQ):
        joint: Tensor = mixer(features, actions, state)
        return joint
    chosen = torch.stack([q[a, int(action)] for a, action in enumerate(actions)])
    if not list(mixer.children()) and type(mixer) is nn.Module:
        return chosen
    team: Tensor = mixer(chosen, q.max(-1).values, actions, state)
    return team


@torch.no_grad()
def naive_error(learner: QLearner, rows: ReplayBatch, r: int) -> float:
    """How wrong a row is, step by step and by definition."""
    cfg, n = learner.cfg, int(rows.filled[r].sum())
    obs, resets = rows.obs[r : r + 1, : n + 1], torch.zeros((1, n + 1), dtype=torch.bool)
    nets = (learner.online, learner.target)
    encodings = [net.agents.encode(obs, rows.carry[r : r + 1], resets) for net in nets]
    qs = [
        net.agents.logits(encoding, obs)[0] for net, encoding in zip(nets, encodings, strict=True)
    ]
    features = [encoding.features[0] for encoding in encodings]
    greedy = (qs[0] if cfg.double_q else qs[1]).argmax(-1)  # [n + 1, A]
    state, actions = obs.state[0], rows.actions[r]
    rewards, ended = rows.rewards[r].tolist(), bool(rows.terminated[r, n - 1])

    def following(t: int) -> Tensor:
        runtime = (qs[1][t + 1], features[1][t + 1], greedy[t + 1], state[t + 1])
        return worth(learner.target.mixer, *runtime) * float(not (ended and t == n - 1))

    def goal(t: int, left: int) -> Tensor:
        """Counting at most `left` more rewards after this one, or fading by lambda."""
        value = following(t)
        if t < n - 1 and cfg.td_lambda > 0.0:
            value = (1.0 - cfg.td_lambda) * value + cfg.td_lambda * goal(t + 1, left)
        elif t < n - 1 and left:
            value = goal(t + 1, left - 1)
        return rewards[t] + cfg.gamma * value

    errors = [
        worth(learner.online.mixer, qs[0][t], features[0][t], actions[t], state[t])
        - goal(t, cfg.n_step_return - 1)
        for t in range(n)
    ]
    return float(torch.stack(errors).abs().mean())


RETURNS = [
    ("algo.td_lambda=0",),
    ("algo.td_lambda=0", "algo.n_step_return=3"),
    ("algo.td_lambda=0.8",),
    ("algo.td_lambda=0.8", "algo.double_q=false"),
    ("algo.td_lambda=0.8", "replay.chunk_length=5"),
]


@pytest.mark.parametrize(
    ("algo", "words"),
    # Targets are the same code for all, what they are made of is each algorithm's own.
    [*((algo, RETURNS[-1]) for algo in VALUE_BASED), *(("qmix", words) for words in RETURNS[:-1])],
    ids=str,
)
def test_errors_are_those_of_their_definition(algo: str, words: tuple[str, ...]) -> None:
    learner, replay = played(algo, *words, "algo.gamma=0.9", n=8)
    with torch.no_grad():  # another network than the one that learns
        for weight in learner.target.parameters():
            weight += 0.1 * torch.randn(weight.shape, generator=torch.Generator().manual_seed(3))
    rows = all_rows(replay)
    ended = rows.terminated.any(1)
    assert ended.any()
    found = learner.loss(rows, learner.read(rows)).errors
    some = [*ended.nonzero().squeeze(1)[:4].tolist(), *(~ended).nonzero().squeeze(1)[:4].tolist()]
    for r in some:
        assert float(found[r]) == pytest.approx(naive_error(learner, rows, r), rel=1e-4)


@pytest.mark.parametrize("algo", VALUE_BASED)
def test_only_an_end_makes_what_is_seen_then_worthless(algo: str) -> None:
    learner, replay = played(algo, "replay.chunk_length=5", "algo.td_lambda=0")
    rows = all_rows(replay)
    before = learner.loss(rows, learner.read(rows)).errors
    table, state = rows.obs.table.clone(), rows.obs.state.clone()
    obs = dataclasses.replace(rows.obs, table=table, state=state)
    last = rows.filled.sum(1)
    every = torch.arange(len(last))
    obs.table[every, last] += 1.0
    obs.state[every, last] += 1.0
    changed = dataclasses.replace(rows, obs=obs)
    after = learner.loss(changed, learner.read(changed)).errors
    ended = rows.terminated.any(1)
    assert ended.any()
    torch.testing.assert_close(after[ended], before[ended])
    assert ((after - before).abs()[~ended] > 1e-6).float().mean() > 0.9


@pytest.mark.parametrize(
    ("algo", "every", "rate"),
    [*((algo, 2, 0.25) for algo in VALUE_BASED), ("qmix", 3, 1.0), ("qmix", 1, 0.1)],
)
def test_targets_follow_as_they_were_told(algo: str, every: int, rate: float) -> None:
    words = (f"algo.target_update_interval={every}", f"algo.tau={rate}", "algo.lr=1e-2")
    learner, _ = played(algo, *words)
    for k in range(1, 7):
        before = [weight.clone() for weight in learner.target.parameters()]
        learner.training.due = 1.0
        assert learner.update(0.0)["learn/n_updates"] == 1.0
        pairs = zip(before, learner.target.parameters(), learner.online.parameters(), strict=True)
        for old, new, online in pairs:
            wanted = old if k % every else (online if rate == 1.0 else old.lerp(online, rate))
            assert torch.equal(new, wanted)
            assert new.grad is None
            assert not new.requires_grad
    moved = zip(learner.target.parameters(), learner.online.parameters(), strict=True)
    assert every == 3 or any(not torch.equal(a, b) for a, b in moved)


REPLAYED = [
    *((algo, "lstm", 5) for algo in VALUE_BASED),
    *(("vdn", core, chunk) for core in ("none", "gru", "transformer") for chunk in (0, 5)),
    ("vdn", "lstm", 0),
]


@pytest.mark.parametrize(("algo", "core", "chunk"), REPLAYED)
def test_learning_computes_what_acting_computed(algo: str, core: str, chunk: int) -> None:
    cfg = TransformerCoreConfig(window=8) if core == "transformer" else PartConfig()
    net = dataclasses.replace(NET, core=core, core_config=cfg)
    learner, collector = made(
        algo, f"replay.chunk_length={chunk}", "replay.buffer_size=500", net=net
    )
    seen: list[Tensor] = []

    def act(obs: Any, carry: Tensor, resets: Tensor) -> Any:
        seen.append(learner.online.agents(obs[:, None], carry, resets[:, None])[0][:, 0].detach())
        return learner.act(obs, carry, resets)

    n_before = 0
    for _ in range(8):
        rollout, _ = collector.collect(act)
        shape = rollout.rewards.shape
        serials = n_before + torch.arange(shape.numel()).view(shape)  # which step it was
        learner.observe(dataclasses.replace(rollout, rewards=serials.float()))
        n_before += shape.numel()
    rows = all_rows(learner.training.store.replay)
    assert len(rows.ids) > 8
    q = learner.read(rows).q[:, :-1][rows.filled]  # [N, A, actions]
    acted = torch.cat(seen)[rows.rewards[rows.filled].long()]
    torch.testing.assert_close(q.detach(), acted, rtol=1e-4, atol=1e-5)  # other batches round so


def train_on(game: SmallGame, algo: str, core: str, n_updates: int, enough: float = 1.1) -> float:
    """What a team is paid in the end, or once it has been paid enough twice in a row; learners of
    values play by what seems best."""
    small = ("core.n_heads=2", "core.window=4") if core == "transformer" else ()
    net = ("net.encoder=mlp", f"net.core={core}", "net.hidden_dim=32", *small)
    words = (*small_words(algo), *GAME_WORDS[family(algo)], *net)
    is_greedy = algo in (*VALUE_BASED, *DDPG_LIKE)
    return train_on_game(game, algo, words, n_updates, enough, is_greedy)


def n_teams(algo: str) -> int:
    """Who learns from what was kept needs fewer at once."""
    return 16 if algo in (*VALUE_BASED, *DDPG_LIKE) else 64


@pytest.mark.slow
@pytest.mark.parametrize("algo", ALGOS)
def test_agents_learn_to_meet(algo: str) -> None:
    n_updates = 60 if algo in VALUE_BASED else 40
    assert train_on(Coordination(n_teams(algo)), algo, "none", n_updates, 0.95) >= 0.95


REMEMBERING = [
    *((algo, "transformer" if family(algo) == "critic" else "gru") for algo in ALGOS),
    *(("vdn", core) for core in ("lstm", "transformer")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("algo", "core"), REMEMBERING)
def test_agents_learn_to_remember(algo: str, core: str) -> None:
    # Where there is a critic, two networks have to remember.
    n_updates = {"critic": 55, "ddpg": 75, "values": 34, "ppo": 25}[family(algo)]
    assert train_on(Memory(n_teams(algo)), algo, core, n_updates, 0.9) >= 0.9


def test_without_a_memory_nobody_remembers() -> None:
    assert train_on(Memory(n_teams("vdn")), "vdn", "none", 15) <= 0.6


def bits_won(hindsight: float) -> float:
    """How often a goal is reached in the end."""

    def reward(achieved: Tensor, goal: Tensor) -> tuple[Tensor, Tensor]:
        reached = (achieved == goal).flatten(-2).all(-1)
        return reached.float() - 1.0, reached

    game, n = BitFlip(32), BitFlip.n_bits
    words = (
        "algo.lr=0.005",
        "algo.td_lambda=0",
        "algo.gamma=0.95",
        "algo.target_update_interval=20",
    )
    more = ("replay.buffer_size=2000", "replay.batch_size=64", "explore.epsilon=1 -> 0.1 at 50%")
    cfg = small_config("iql", *words, *more)
    cfg = dataclasses.replace(
        cfg, replay=dataclasses.replace(cfg.replay, hindsight_ratio=hindsight)
    )
    net = NetConfig(encoder="mlp", core="none", hidden_dim=64)
    learner: Any = ALGOS["iql"](game.spec, net, cfg, make_runtime(np.random.SeedSequence(2)))
    learner.hindsight = Goals(goal=slice(n, 2 * n), achieved=slice(0, n), reward=reward)
    collector = collector_for(learner, game)
    n_rounds = 30
    for k in range(n_rounds):
        learner.observe(collector.collect(learner.act)[0])
        learner.update(k / n_rounds)
    won: list[bool] = []
    for _ in range(5):
        won += collector.collect(lambda *seen: learner.act(*seen, greedy=True))[1].won
    return float(np.mean(won))


@pytest.mark.slow
def test_hindsight_finds_what_chance_does_not() -> None:
    assert bits_won(0.8) >= 0.8
    assert bits_won(0.0) <= 0.2
