"""Layers with noise on their weights: when it comes, when it goes, and how much there is."""

import copy

import pytest
import torch

from terrarium.envs.tasks.spec import spec_of
from terrarium.marl.batch import Obs, parts
from terrarium.marl.nets.actor import make_actor
from terrarium.marl.nets.encoders import ENCODERS
from terrarium.marl.nets.noisy import NoisyLinear
from tests.marl.small import made
from tests.marl.small_nets import battles, small

SHARING = pytest.mark.parametrize("share", [True, False], ids=["shared", "separate"])


def test_without_noise_it_is_a_linear_layer() -> None:
    torch.manual_seed(0)
    layer, x = NoisyLinear(7, 3, 1.0), torch.randn(5, 7)
    means = torch.nn.functional.linear(x, layer.weight, layer.bias)
    assert torch.equal(layer(x), means)
    layer.draw(torch.Generator().manual_seed(1))
    assert not torch.allclose(layer(x), means)
    layer.draw(None)
    assert torch.equal(layer(x), means)


@pytest.mark.slow
def test_noise_is_as_strong_as_its_sigma() -> None:
    """The variance over draws is what independent factors f(e) of E|e| and mean 0 give."""
    torch.manual_seed(0)
    layer, x = NoisyLinear(6, 4, 1.0), torch.randn(6)[None]
    with torch.no_grad():
        layer.weight_sigma.copy_(torch.rand(4, 6))
        layer.bias_sigma.copy_(torch.rand(4))
        generator = torch.Generator().manual_seed(2)
        outs = []
        for _ in range(20_000):
            layer.draw(generator)
            outs.append(layer(x)[0])
        out = torch.stack(outs)
        size = (2.0 / torch.pi) ** 0.5  # E f(e)^2 = E |e|
        # out - mean = f(e_out) (sum over inputs of sigma f(e_in) x, and sigma of the bias)
        inner = size * (layer.weight_sigma * x).square().sum(1) + layer.bias_sigma.square()
        expected = size * inner
        layer.draw(None)
        # 20000 draws of products of heavy tails: 5 % is about four standard errors.
        torch.testing.assert_close(out.var(0), expected, rtol=0.05, atol=0.0)
        error = (out.mean(0) - layer(x)[0]).abs() / (expected / 20_000).sqrt()
        assert (error < 4.0).all()


def test_sigma_learns_only_while_there_is_noise() -> None:
    layer, x = NoisyLinear(6, 4, 1.0), torch.ones(2, 6)
    layer(x).sum().backward()
    assert layer.weight_sigma.grad is not None
    assert not layer.weight_sigma.grad.any()
    layer.draw(torch.Generator().manual_seed(3))
    layer(x).sum().backward()
    assert layer.weight_sigma.grad.all()
    assert layer.bias_sigma.grad is not None
    assert layer.bias_sigma.grad.all()


def test_a_draw_does_not_disturb_a_loss_that_was_computed_before() -> None:
    layer, x = NoisyLinear(6, 4, 1.0), torch.ones(2, 6)
    generator = torch.Generator().manual_seed(3)
    layer.draw(generator)
    twin = copy.deepcopy(layer)
    out = layer(x).sum()
    layer.draw(generator)
    out.backward()
    twin(x).sum().backward()
    torch.testing.assert_close(layer.weight_sigma.grad, twin.weight_sigma.grad)


@SHARING
@pytest.mark.parametrize("encoder", ENCODERS)
def test_actors_draw_and_drop_their_noise(encoder: str, share: bool) -> None:
    torch.manual_seed(0)
    env, seen, begins = battles("smac/3m", n_steps=3)
    obs = seen.swap()
    obs.avail[..., env.info.first_target :] |= obs.acting.unsqueeze(-1)  # all may attack
    actor = make_actor(spec_of(env.info), small(encoder, "none", share_params=share), noisy=True)
    none = torch.zeros(4, 3, 0)

    def answers(seed: int | None) -> torch.Tensor:
        actor.draw_noise(None if seed is None else torch.Generator().manual_seed(seed))
        return actor(obs, none, begins.T)[0]

    with torch.no_grad():
        calm = actor(obs, none, begins.T)[0]
        noisy = answers(1)
        assert not torch.allclose(noisy, calm)
        assert not torch.allclose(answers(2), noisy)
        assert torch.equal(answers(1), noisy)  # a seed means the same noise
        # What can be aimed at has noise of its own, not only what is always there.
        aimed = (noisy - calm)[..., env.info.first_target :][obs.acting]
        assert (aimed.abs() > 0).all()
        saved = actor.state_dict()
        assert not any("noise" in name for name in saved)
        assert torch.equal(answers(None), calm)
    answers(4)[obs.avail].square().sum().backward()
    sigmas = [(name, w) for name, w in actor.named_parameters() if name.endswith("sigma")]
    heads = 1 if encoder in ("mlp", "linear") else 2
    assert len(sigmas) == 2 * heads * (1 if share else 3)
    for name, weight in sigmas:
        assert weight.grad is not None, name
        assert weight.grad.any(), name


@SHARING
@pytest.mark.parametrize("encoder", ENCODERS)
def test_each_environment_has_noise_of_its_own(encoder: str, share: bool) -> None:
    """As if each had drawn its part of the same noise alone."""
    torch.manual_seed(0)
    env, seen, begins = battles("smac/3m", n_steps=1)
    same = Obs(
        *(part[:, :1].expand(-1, 4, *part.shape[2:]).transpose(0, 1) for part in parts(seen))
    )
    actor = make_actor(spec_of(env.info), small(encoder, "none", share_params=share), noisy=True)
    none, resets = torch.zeros(4, 3, 0), begins.T
    with torch.no_grad():
        actor.draw_noise(torch.Generator().manual_seed(1))
        alike, _ = actor(same, none, resets)
        # Products of matrices round by the place of a row in them.
        torch.testing.assert_close(alike, alike[:1].expand_as(alike))
        actor.draw_noise(torch.Generator().manual_seed(1), n_rows=4)
        apart, _ = actor(same, none, resets)
    layers = [layer for layer in actor.modules() if isinstance(layer, NoisyLinear)]
    noise = [(layer.noise_in, layer.noise_out) for layer in layers]
    for b in range(4):
        assert not torch.allclose(apart[b], apart[b - 1])
        for layer, (noise_in, noise_out) in zip(layers, noise, strict=True):
            layer.noise_in, layer.noise_out = noise_in[b : b + 1], noise_out[b : b + 1]
        with torch.no_grad():
            alone, _ = actor(same[b : b + 1], none[:1], resets[:1])
        torch.testing.assert_close(apart[b], alone[0])


def test_a_learner_explores_with_other_noise_in_each_environment() -> None:
    learner, collector = made("qmix", "explore.kind=noisy")
    collector.collect(learner.act)
    head = next(layer for layer in learner.online.modules() if isinstance(layer, NoisyLinear))
    assert len(head.noise_in.unique(dim=0)) == 8


@SHARING
def test_plain_actors_have_no_noise_to_draw(share: bool) -> None:
    torch.manual_seed(0)
    env, seen, begins = battles("smac/3m", n_steps=3)
    actor = make_actor(spec_of(env.info), small("attention", "none", share_params=share))
    none, generator = torch.zeros(4, 3, 0), torch.Generator().manual_seed(1)
    before, state = actor(seen.swap(), none, begins.T)[0], generator.get_state()
    for drawn in (generator, None):
        actor.draw_noise(drawn)
        assert torch.equal(actor(seen.swap(), none, begins.T)[0], before)
    assert torch.equal(generator.get_state(), state)
