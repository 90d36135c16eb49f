"""Networks that leave out absent units say the same about the others."""

from typing import Any

import numpy as np
import pytest
import torch

import terrarium
from terrarium.envs.tasks.spec import Spec, spec_of
from terrarium.marl.algos.ppo import Mappo, PpoConfig
from terrarium.marl.batch import Obs
from terrarium.marl.net_config import NetConfig
from terrarium.marl.nets import actor as actors
from terrarium.marl.nets import crops
from terrarium.marl.nets.actor import Actor, make_actor
from terrarium.marl.nets.critic import Critic
from terrarium.marl.rollout import Collector
from terrarium.marl.runtime import make_runtime
from tests.marl.small_nets import battles, small

N_STEPS = 12
NETS = [
    small(encoder, core)
    for encoder in ("attention", "hpn", "transformer")
    for core in ("none", "gru", "lstm", "transformer")
]


def armies(n_envs: int = 6) -> tuple[Spec, Obs, torch.Tensor]:
    """A few units in room for many: obs [B, T] and resets [B, T], one of them on the way."""
    env, seen, resets = battles("arena/terran_vs_any", n_envs=n_envs, n_steps=N_STEPS)
    resets = resets.T.clone()
    resets[1, 5] = True
    return spec_of(env.info), seen.swap(), resets


def everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave nothing out."""
    monkeypatch.setattr(crops, "WORTH", 0.0)
    monkeypatch.setattr(crops, "FULL", 0.0)


def assert_close(ours: list[Any], theirs: list[Any]) -> None:
    for one, other in zip(ours, theirs, strict=True):
        if one is None or other is None:
            assert one is other
            continue
        torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("net", NETS, ids=lambda net: f"{net.encoder}-{net.core}")
def test_who_acts_says_the_same_and_learns_the_same(
    net: NetConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch.manual_seed(0)
    # Groups of few, so that there are several.
    monkeypatch.setattr(crops, "LEAST_BATTLES", 1)
    monkeypatch.setattr(actors, "LEAST_AGENTS", 1)
    spec, obs, resets = armies()
    actor = make_actor(spec, net)
    carry = torch.randn(len(resets), obs.n_agents, actor.carry_size) * 0.1
    acting = obs.acting.unsqueeze(-1)

    def said() -> list[Any]:
        encoding = actor.encode(obs, carry, resets, only_acting=True)
        logits = actor.logits(encoding, obs)
        assert not (logits > -1e30)[~obs.avail].any()
        loss = (logits.log_softmax(-1).clamp(min=-50.0) * acting).square().sum()
        grads = torch.autograd.grad(loss, list(actor.parameters()), allow_unused=True)
        return [logits * acting, *grads]

    assert isinstance(actor, Actor)
    assert len(actor.encode(obs, carry, resets, only_acting=True).crops) == crops.N_CROPS
    ours = said()
    everything(monkeypatch)
    assert not actor.encode(obs, carry, resets, only_acting=True).crops
    assert_close(ours, said())


@pytest.mark.parametrize("core", ["gru", "lstm"])
def test_policies_are_the_same_step_by_step_and_at_once(
    core: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Acting and learning leave out different agents: ratios begin at 1 all the same."""
    torch.manual_seed(0)
    monkeypatch.setattr(crops, "LEAST_BATTLES", 1)
    spec, obs, resets = armies()
    actor = make_actor(spec, small("attention", core))
    for weight in actor.parameters():  # also of biases: memories of zeros would hide a difference
        torch.nn.init.normal_(weight, std=0.3)
    start = carry = torch.zeros(len(resets), obs.n_agents, actor.carry_size)
    steps = []
    for t in range(N_STEPS):
        now = obs[:, t : t + 1]
        encoding = actor.encode(now, carry, resets[:, t : t + 1], only_acting=True)
        assert encoding.crops
        carry = encoding.carry
        steps.append(actor.logits(encoding, now))
    whole = actor.encode(obs, start, resets, only_acting=True)
    acting = obs.acting.unsqueeze(-1)
    assert_close([torch.cat(steps, 1) * acting], [actor.logits(whole, obs) * acting])
    left_out = ~obs.alive[:, -1, : obs.n_agents] & ~obs.acting[:, -1]  # nothing is spent on them
    assert left_out.any()
    assert not carry[left_out].count_nonzero(-1).gt(0).all()


def test_padding_is_left_out_of_batches_with_room_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    env, seen, resets = battles("smac/2s3z", n_steps=N_STEPS)
    obs, resets = seen.swap(), resets.T
    obs.avail[:2, 7:] = torch.arange(obs.avail.shape[-1]) == 0
    obs.mask[:2, 7:], obs.alive[:2, 7:] = False, False
    for core in ("gru", "lstm"):
        actor = make_actor(spec_of(env.info), small("attention", core))
        carry = torch.randn(len(resets), obs.n_agents, actor.carry_size)
        assert isinstance(actor, Actor)
        with monkeypatch.context() as patch:
            ((crop, _),) = actor.encode(obs, carry, resets).crops
            assert len(crop.rows) < 4 * N_STEPS - 9
            ours, _ = actor(obs, carry, resets)
            everything(patch)
            theirs, _ = actor(obs, carry, resets)
        # The dead as well: what they may choose is part of a team's value.
        played = torch.ones(4, N_STEPS, dtype=torch.bool)
        played[:2, 7:] = False
        assert (~obs.acting)[played].any()
        torch.testing.assert_close(ours[played], theirs[played], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("core", ["none", "gru", "lstm"])
def test_nobody_has_to_be_there(core: str) -> None:
    spec, obs, resets = armies()
    obs.avail[:] = torch.arange(obs.avail.shape[-1]) == 0
    obs.mask[:], obs.alive[:] = False, False
    actor = make_actor(spec, small("attention", core))
    carry = torch.zeros(len(resets), obs.n_agents, actor.carry_size)
    for only_acting in (True, False):
        logits = actor.logits(actor.encode(obs, carry, resets, only_acting), obs)
        assert logits.argmax(-1).eq(0).all()
    assert Critic(spec, small("attention", core), central=True)(obs).isfinite().all()


@pytest.mark.parametrize("central", [True, False])
def test_critics_say_the_same_of_all_agents(central: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    spec, obs, _ = armies()
    critic = Critic(spec, small("attention", "none"), central)

    def said() -> list[Any]:
        values = critic(obs)
        loss = (values - 1.0).square().sum()
        return [values, *torch.autograd.grad(loss, list(critic.parameters()))]

    ours = said()
    if central:
        assert critic(obs, crops.crops_of(obs.merge())).equal(ours[0])
    everything(monkeypatch)
    assert_close(ours, said())


def test_actor_and_critic_learn_the_same_from_crops_that_they_share(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    env = terrarium.make_vec("arena/terran_vs_any", 6, seed=2, views=("pairs", "table"))
    env.reset()
    cfg = PpoConfig(n_steps=N_STEPS, n_minibatches=2, n_epochs=1)

    def learner() -> Mappo:
        runtime = make_runtime(np.random.SeedSequence(3))
        return Mappo(spec_of(env.info), small("attention", "lstm"), cfg, runtime)

    first, second = learner(), learner()
    rollout, _ = Collector(env, N_STEPS, first.carry_size).collect(first.act)
    second.generator.set_state(first.generator.get_state())
    first.observe(rollout)
    ours = first.update(0.0)
    everything(monkeypatch)
    second.observe(rollout)
    assert second.update(0.0) == pytest.approx(ours, rel=1e-3, abs=1e-5)


def test_greedy_actions_and_memories_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    spec, obs, resets = armies()
    learner = Mappo(
        spec, small("attention", "lstm"), PpoConfig(), make_runtime(np.random.SeedSequence(3))
    )
    carry = torch.zeros(len(resets), obs.n_agents, learner.carry_size)
    ours = learner.act(obs[:, 0], carry, resets[:, 0], greedy=True)
    drawn = learner.act(obs[:, 0], carry, resets[:, 0])
    assert obs.avail[:, 0].gather(-1, drawn.actions.unsqueeze(-1)).all()
    everything(monkeypatch)
    theirs = learner.act(obs[:, 0], carry, resets[:, 0], greedy=True)
    assert ours.actions.equal(theirs.actions)
    torch.testing.assert_close(ours.carry, theirs.carry, rtol=1e-4, atol=1e-5)


def test_crops_hold_who_is_there() -> None:
    _, obs, _ = armies()
    flat = obs.merge()
    found = crops.crops_of(flat)
    assert found
    rows = torch.cat([crop.rows for crop in found])
    assert rows.sort().values.equal(torch.arange(len(flat.alive)))
    for crop in found:
        for k, b in enumerate(crop.rows.tolist()):
            there = flat.alive[b] | flat.mask[b].any(0)
            assert there.nonzero().squeeze(1).tolist() == sorted(
                m for m in crop.members[k].tolist() if there[m]
            )
            assert crop.obs.mask[k].sum() == flat.mask[b].sum()
            torch.testing.assert_close(crop.obs.table[k], flat.table[b, crop.members[k]])
