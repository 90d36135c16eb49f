"""What every network promises: sequences equal single steps, and every weight learns."""

import torch

from terrarium.config import layer_from_words
from terrarium.envs.tasks.spec import spec_of
from terrarium.marl.batch import LOWEST
from terrarium.marl.net_config import NetConfig
from terrarium.marl.nets.actor import make_actor
from terrarium.marl.settings import from_layers
from terrarium.testing.battles import battles


def check_network(*words: str) -> None:
    """All of them. Words are settings: net.encoder=my_lab.nets:Gnn net.core=gru."""
    net = from_layers("mappo", "smac/3m", [layer_from_words(words)]).net
    check_sequences(net)
    check_carries(net)
    check_weights(net)


def check_sequences(net: NetConfig, scenario: str = "smac/3m") -> None:
    """A sequence at once equals step by step, through ends of episodes."""
    torch.manual_seed(0)
    env, seen, begins = battles(scenario)
    begins[4, 1] = begins[7, 2] = begins[0, 3] = True
    actor = make_actor(spec_of(env.info), net)
    # Any state, which the begin of an episode has to clear; a transformer's also says what counts.
    shape = (begins.shape[1], env.n_agents, actor.carry_size)
    carry = torch.zeros(shape) if net.core == "transformer" else torch.randn(shape)
    with torch.no_grad():
        start = carry
        whole, after = actor(seen.swap(), start, begins.T)
        for t in range(len(begins)):
            step, carry = actor(seen[t][:, None], carry, begins[t][:, None])
            chosen = step[:, 0] > LOWEST
            torch.testing.assert_close(whole[:, t][chosen], step[:, 0][chosen], rtol=0, atol=1e-5)
    if net.core != "transformer":  # its state holds steps that no longer count
        torch.testing.assert_close(after, carry, rtol=0, atol=1e-5)


def check_carries(net: NetConfig, scenario: str = "smac/3m") -> None:
    """A sequence in two parts equals the whole, if the recurrent state is handed on."""
    torch.manual_seed(0)
    env, seen, begins = battles(scenario)
    actor = make_actor(spec_of(env.info), net)
    none = torch.zeros(begins.shape[1], env.n_agents, actor.carry_size)
    with torch.no_grad():
        whole, _ = actor(seen.swap(), none, begins.T)
        first, carry = actor(seen[:5].swap(), none, begins[:5].T)
        second, _ = actor(seen[5:].swap(), carry, begins[5:].T)
    torch.testing.assert_close(torch.cat((first, second), 1), whole, rtol=0, atol=1e-5)


def check_weights(net: NetConfig, scenario: str = "smac/MMM") -> None:
    """Unavailable actions have no probability, and every weight has a gradient."""
    torch.manual_seed(0)
    env, seen, begins = battles(scenario)
    actor = make_actor(spec_of(env.info), net)
    none = torch.zeros(begins.shape[1], env.n_agents, actor.carry_size)
    logits, _ = actor(seen.swap(), none, begins.T)
    chances = logits.softmax(-1)
    assert not chances[~seen.swap().avail].any(), "an unavailable action has a probability"
    (chances.max(-1).values.sum() + logits[seen.swap().avail].sum()).backward()
    for name, weight in actor.named_parameters():
        assert weight.grad is not None, f"{name} has no gradient"
        assert weight.grad.isfinite().all(), f"the gradient of {name} is not finite"
        assert weight.grad.any(), f"the gradient of {name} is zero"
