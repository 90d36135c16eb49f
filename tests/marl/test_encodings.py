"""What is inside of an actor, for others to use: encodings, and what each network would say."""

import pytest
import torch

from terrarium.envs.tasks.spec import spec_of
from terrarium.marl.batch import LOWEST
from terrarium.marl.net_config import NetConfig, NetError
from terrarium.marl.nets.actor import Actor, SeparateActors, make_actor
from terrarium.marl.nets.critic import Critic
from terrarium.marl.nets.encoders import ENCODERS, views_of
from tests.marl.small_nets import EVERY_NET, battles, small

SHARING = pytest.mark.parametrize("share", [True, False], ids=["shared", "separate"])
COMM = pytest.mark.parametrize("comm", ["none", "commnet", "tarmac"])


@EVERY_NET
@SHARING
def test_an_actor_thinks_and_then_judges(cfg: NetConfig, share: bool) -> None:
    torch.manual_seed(0)
    env, seen, begins = battles("smac/2s3z", n_steps=5)
    cfg = small(cfg.encoder, cfg.core, share_params=share)
    actor = make_actor(spec_of(env.info), cfg)
    carry = torch.zeros(4, 5, actor.carry_size)
    logits, after = actor(seen.swap(), carry, begins.T)
    encoding = actor.encode(seen.swap(), carry, begins.T)
    assert encoding.features.shape == (4, 5, 5, cfg.hidden_dim)
    if cfg.encoder in ("mlp", "linear"):
        assert encoding.tokens is None
    else:
        assert encoding.tokens is not None
        assert encoding.tokens.shape[:4] == (4, 5, 5, 10)
    torch.testing.assert_close(actor.logits(encoding, seen.swap()), logits, rtol=0, atol=0)
    torch.testing.assert_close(encoding.carry, after, rtol=0, atol=0)
    assert after.shape == carry.shape


@COMM
@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize(("share", "agent_id"), [(True, True), (False, False), (False, True)])
def test_what_an_agents_own_network_says_is_what_it_does(
    encoder: str, comm: str, share: bool, agent_id: bool
) -> None:
    """Of all networks asked about an agent, its own one answers as if nothing had been asked."""
    torch.manual_seed(0)
    env, seen, begins = battles("smac/3m")
    cfg = small(encoder, "gru", share_params=share, agent_id=agent_id, comm=comm, n_rounds=2)
    actor = make_actor(spec_of(env.info), cfg)
    _sharpen(actor)
    carry = torch.randn(4, 3, actor.carry_size)
    with torch.no_grad():
        logits, _ = actor(seen.swap(), carry, begins.T)
        answers = actor.logits_as_each(seen.swap(), carry, begins.T)
    assert answers.shape == (3, *logits.shape)
    own = answers.diagonal(dim1=0, dim2=3).movedim(-1, 2)  # [B, T, A, N]
    torch.testing.assert_close(own, logits, rtol=0, atol=1e-5)
    chosen = logits > LOWEST
    for j in range(3):  # and others answer otherwise
        for i in set(range(3)) - {j}:
            differs = (answers[j, :, :, i] - logits[:, :, i])[chosen[:, :, i]].abs()
            assert differs.max() > 1e-4


def test_one_network_without_ids_says_one_thing() -> None:
    torch.manual_seed(0)
    env, seen, begins = battles("smac/3m")
    actor = make_actor(spec_of(env.info), small("attention", "gru", comm="tarmac"))
    carry = torch.zeros(4, 3, actor.carry_size)
    answers = actor.logits_as_each(seen.swap(), carry, begins.T)
    assert answers.shape[0] == 1
    torch.testing.assert_close(answers[0], actor(seen.swap(), carry, begins.T)[0])


def test_networks_without_messages_are_asked_one_by_one() -> None:
    torch.manual_seed(0)
    env, seen, begins = battles("smac/3m")
    actors = make_actor(spec_of(env.info), small("hpn", "lstm", share_params=False))
    assert isinstance(actors, SeparateActors)
    carry = torch.randn(4, 3, actors.carry_size)
    answers = actors.logits_as_each(seen.swap(), carry, begins.T)
    for j, actor in enumerate(actors.each):
        torch.testing.assert_close(answers[j], actor(seen.swap(), carry, begins.T)[0])


@pytest.mark.parametrize("encoder", ENCODERS)
def test_agents_that_know_their_index_fit_one_number_of_agents(encoder: str) -> None:
    torch.manual_seed(0)
    env, _, _ = battles("smac/3m", n_steps=2)
    cfg = small(encoder, "none", agent_id=True)
    actor = make_actor(spec_of(env.info), cfg)
    plain = make_actor(spec_of(env.info), small(encoder, "none"))
    assert isinstance(actor, Actor)
    n_ids = _weights(actor) - _weights(plain)
    extra = 2 * 3 if encoder == "mlp" else 0  # its norm has weights for each input, too
    assert n_ids == 3 * cfg.hidden_dim + extra
    _, more, begins = battles("smac/8m", n_steps=2)
    message = "knows 3 agents by their index and the scenario has 8; only net.agent_id=false"
    with pytest.raises(NetError, match=message):
        actor(more.swap(), torch.zeros(4, 8, 0), begins.T)
    with pytest.raises(NetError, match=message):
        Critic(spec_of(env.info), cfg, central=False)(more)


@pytest.mark.parametrize("encoder", ENCODERS)
def test_networks_are_shown_what_they_read_and_nothing_else(encoder: str) -> None:
    views = views_of(small(encoder, "none"))
    assert views == (("obs", "state") if encoder in ("mlp", "linear") else ("pairs", "table"))


@pytest.mark.parametrize("encoder", ENCODERS)
def test_a_critic_of_one_agent_reads_as_its_actor_does(encoder: str) -> None:
    env, _, _ = battles("smac/3m", n_steps=2)
    cfg = small(encoder, "none", agent_id=True)
    actor, critic = make_actor(spec_of(env.info), cfg), Critic(spec_of(env.info), cfg, False)
    assert isinstance(actor, Actor)
    shapes = [
        {name: weight.shape for name, weight in net.encoder.named_parameters()}
        for net in (actor, critic)
    ]
    assert shapes[0] == shapes[1]


def _weights(net: torch.nn.Module) -> int:
    return sum(weight.numel() for weight in net.parameters())


def _sharpen(actor: Actor | SeparateActors) -> None:
    """New policies choose nearly uniformly; those that differ are easier to tell apart."""
    with torch.no_grad():
        for name, weight in actor.named_parameters():
            if "basic.weight" in name or "aim.weight" in name:
                weight *= 100.0
