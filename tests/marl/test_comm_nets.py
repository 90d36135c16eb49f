"""Messages: who hears whom, and what."""

import pytest
import torch
from torch import Tensor

from terrarium.envs.tasks.spec import spec_of
from terrarium.marl.batch import Obs, parts
from terrarium.marl.net_config import NetConfig
from terrarium.marl.nets.actor import make_actor
from terrarium.marl.nets.comm import (
    Comm,
    CommNetConfig,
    CommNetRound,
    TarmacConfig,
    TarmacRound,
    comm_mask,
    exchange,
)
from tests.marl.small_nets import battles, small

COMM = pytest.mark.parametrize("comm", ["commnet", "tarmac"])


def crowd(name: str = "smac/8m") -> tuple[Obs, Tensor]:
    """Battles [B, T] in which some agents do not see each other, and some are dead."""
    _, seen, begins = battles(name, n_steps=30)
    obs = seen.swap()
    heard = comm_mask(obs)
    assert heard.any()
    assert (~heard & obs.acting.unsqueeze(-1) & obs.acting.unsqueeze(-2)).any()
    assert not obs.acting.all()
    return obs, begins.T


@COMM
@pytest.mark.parametrize("share", [True, False], ids=["shared", "separate"])
def test_only_who_is_seen_and_alive_is_heard(comm: str, share: bool) -> None:
    """Another memory of one agent changes the answers of those who hear it, and of no other."""
    torch.manual_seed(0)
    env, _, _ = battles("smac/8m", n_steps=30)
    obs, _ = crowd()
    resets = torch.zeros(4, 1, dtype=torch.bool)
    actor = make_actor(spec_of(env.info), small("attention", "gru", comm=comm, share_params=share))
    carry = torch.randn(4, 8, actor.carry_size)
    changed = carry.clone()
    speaker = 2
    changed[:, speaker] += 1.0
    n_hear = n_deaf = 0
    for t in range(0, 30, 3):
        now = obs[:, t : t + 1]
        with torch.no_grad():
            one, two = (actor.encode(now, c, resets).features[:, 0] for c in (carry, changed))
        touched = (one != two).any(-1)  # [B, A]
        hears = comm_mask(now)[:, 0, :, speaker]
        hears[:, speaker] = True
        assert not touched[~hears].any()
        assert touched[hears].all()
        others = hears & (torch.arange(8) != speaker)
        n_hear, n_deaf = n_hear + int(others.sum()), n_deaf + int((~hears).sum())
    assert n_hear > 0
    assert n_deaf > 0


@COMM
@pytest.mark.parametrize("share", [True, False], ids=["shared", "separate"])
@pytest.mark.parametrize("core", ["gru", "lstm", "transformer", "token"])
def test_what_was_heard_is_remembered(comm: str, share: bool, core: str) -> None:
    """Who heard another agent in one step answers differently in the next, hearing nobody."""
    torch.manual_seed(0)
    env, _, _ = battles("smac/8m", n_steps=30)
    obs, _ = crowd()
    now = Obs(*(part[:, :2].clone() for part in parts(obs)))
    # [B, A] who hears agent 2 in the first step, and lives in the second
    heard = comm_mask(now)[:, 0, :, 2] & now.acting[:, 1]
    assert heard.any()
    now.mask[:, 1] = torch.eye(8, 16, dtype=torch.bool)  # and then nobody sees anybody
    encoder = "transformer" if core == "token" else "attention"
    cfg = small(encoder, core, comm=comm, share_params=share)
    actor = make_actor(spec_of(env.info), cfg)
    other = Obs(*(part.clone() for part in parts(now)))
    other.pairs[:, 0, 2] += 0.3  # another view of agent 2 alone
    none, resets = torch.zeros(4, 8, actor.carry_size), torch.zeros(4, 2, dtype=torch.bool)
    with torch.no_grad():
        one, two = (actor.encode(seen, none, resets).features[:, 1] for seen in (now, other))
        forgets = torch.tensor([[False, True]]).expand(4, -1)  # an episode begins in between
        three, four = (actor.encode(seen, none, forgets).features[:, 1] for seen in (now, other))
    assert (one != two).any(-1)[heard].all()
    assert torch.equal(three, four)


@COMM
@pytest.mark.parametrize("core", ["gru", "transformer", "token"])
def test_learning_hears_what_acting_heard(comm: str, core: str) -> None:
    torch.manual_seed(0)
    env, _, _ = battles("smac/8m", n_steps=30)
    obs, resets = crowd()
    obs, resets = Obs(*(part[:, :9] for part in parts(obs))), resets[:, :9].clone()
    resets[:, 4] = True
    encoder = "transformer" if core == "token" else "attention"
    actor = make_actor(spec_of(env.info), small(encoder, core, comm=comm))
    carry = torch.zeros(4, 8, actor.carry_size)
    with torch.no_grad():
        whole, after = actor(obs, carry, resets)
        for t in range(9):
            step, carry = actor(obs[:, t : t + 1], carry, resets[:, t : t + 1])
            torch.testing.assert_close(whole[:, t], step[:, 0], rtol=0, atol=1e-5)
        own = actor.logits_as_each(obs, torch.zeros_like(carry), resets)
    torch.testing.assert_close(after, carry, rtol=0, atol=1e-5)
    torch.testing.assert_close(own[0], whole, rtol=0, atol=1e-5)


def test_the_dead_are_not_heard_and_nobody_hears_itself() -> None:
    obs, _ = crowd()
    heard = comm_mask(obs)
    assert not (heard & ~obs.acting.unsqueeze(-2)).any()
    assert not heard.diagonal(dim1=-2, dim2=-1).any()
    assert not (heard & ~obs.mask[..., :8]).any()


def test_without_a_view_of_units_all_that_act_hear_each_other() -> None:
    obs, _ = crowd()
    blind = Obs(
        obs.table,
        obs.pairs,
        obs.mask[..., :0],
        obs.alive,
        obs.avail,
        obs.vector,
        obs.state,
    )
    acting = obs.acting
    expected = acting.unsqueeze(-1) & acting.unsqueeze(-2) & ~torch.eye(8, dtype=torch.bool)
    assert torch.equal(comm_mask(blind), expected)


@COMM
def test_permuting_allies_permutes_their_answers(comm: str) -> None:
    torch.manual_seed(0)
    env, _, _ = battles("smac/8m", n_steps=30)
    obs, resets = crowd()
    actor = make_actor(spec_of(env.info), small("attention", "gru", comm=comm, n_rounds=2))
    order = torch.tensor([3, 0, 7, 1, 2, 6, 5, 4])
    members = torch.cat((order, torch.arange(8, 16)))
    other = Obs(
        obs.table[:, :, members],
        obs.pairs[:, :, order][:, :, :, members],
        obs.mask[:, :, order][..., members],
        obs.alive[..., members],
        obs.avail[:, :, order],
        obs.vector[:, :, order],
        obs.state,
    )
    none = torch.zeros(4, 8, actor.carry_size)
    with torch.no_grad():
        one, two = actor(obs, none, resets)[0], actor(other, none, resets)[0]
    torch.testing.assert_close(one[:, :, order], two, rtol=0, atol=1e-5)


def test_commnet_hears_the_mean() -> None:
    torch.manual_seed(0)
    layer = CommNetRound(NetConfig(hidden_dim=6), CommNetConfig())
    features, heard = torch.randn(3, 5, 6), torch.rand(3, 5, 5) < 0.4
    heard[0, 0] = False
    after = layer.hear(features, layer.speak(features), heard)
    for b in range(3):
        for i in range(5):
            said = [features[b, j] for j in range(5) if heard[b, i, j]]
            mean = sum(said, torch.zeros(6)) / max(1, len(said))
            news = layer.join(torch.cat((features[b, i], mean)))
            torch.testing.assert_close(after[b, i], features[b, i] + news.relu())


def test_tarmac_hears_by_signature() -> None:
    torch.manual_seed(0)
    layer = TarmacRound(NetConfig(hidden_dim=6), TarmacConfig(signature_dim=4))
    features, heard = torch.randn(3, 5, 6), torch.rand(3, 5, 5) < 0.4
    heard[0, 0] = False
    after = layer.hear(features, layer.speak(features), heard)
    for b in range(3):
        for i in range(5):
            weights, values = [], [torch.zeros(6)]
            for j in range(5):
                if heard[b, i, j]:
                    words = layer.say(features[b, j])
                    weights.append((words[:4] @ layer.query(features[b, i]) / 2.0).exp())
                    values.append(weights[-1] * words[4:])
            told = torch.stack(values).sum(0) / (sum(weights) if weights else 1.0)
            news = layer.join(torch.cat((features[b, i], told)))
            torch.testing.assert_close(after[b, i], features[b, i] + news.relu())


@COMM
def test_separate_networks_speak_with_weights_of_their_own(comm: str) -> None:
    """With the same weights everywhere they say what one network says; with others they do not."""
    torch.manual_seed(0)
    comms = [Comm(small("attention", "none", comm=comm, n_rounds=2)) for _ in range(3)]
    features, heard = torch.randn(2, 3, 16), ~torch.eye(3, dtype=torch.bool).expand(2, 3, 3)
    each, said = exchange(comms, features, heard)
    assert len(said) == 2
    assert not torch.allclose(each, exchange(comms[:1], features, heard)[0])
    alike, _ = exchange(comms[:1] * 3, features, heard)
    torch.testing.assert_close(alike, exchange(comms[:1], features, heard)[0])


@COMM
def test_every_weight_of_messages_learns(comm: str) -> None:
    torch.manual_seed(0)
    env, _, _ = battles("smac/8m", n_steps=30)
    obs, resets = crowd()
    actor = make_actor(spec_of(env.info), small("attention", "gru", comm=comm, n_rounds=2))
    logits, _ = actor(obs, torch.zeros(4, 8, actor.carry_size), resets)
    logits[obs.avail].square().sum().backward()
    names = [name for name, _ in actor.named_parameters() if name.startswith("comm.")]
    assert len(names) == {"commnet": 4, "tarmac": 12}[comm]
    for name, weight in actor.named_parameters():
        assert weight.grad is not None, name
        assert weight.grad.any(), name
