"""Mixers: what they promise for any weights, and their published sizes."""

import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor, nn

import terrarium
from terrarium.envs.tasks.spec import Spec, spec_of
from terrarium.errors import TerrariumError
from terrarium.marl.algos.mixers import (
    TINY,
    MixerConfig,
    QmixMixer,
    QmixMixerConfig,
    QplexMixer,
    QplexMixerConfig,
    QtranJointQ,
    VdnMixer,
)

N_AGENTS, N_ACTIONS, N_STATE = 3, 4, 5
SPEC = Spec(N_AGENTS, N_ACTIONS, N_ACTIONS, 0, N_STATE)

seeds = st.integers(0, 2**32)
scales = st.sampled_from([0.01, 0.3, 1.0, 5.0])


def with_any_weights(mixer: nn.Module, scale: float, generator: torch.Generator) -> nn.Module:
    """In double precision; biases, too, are anything, so what hypernetworks say has any sign."""
    for weight in mixer.double().requires_grad_(False).parameters():
        weight.data = scale * torch.randn(weight.shape, generator=generator, dtype=torch.float64)
    return mixer


def numbers(generator: torch.Generator, *shape: int) -> Tensor:
    return 3.0 * torch.randn(shape, generator=generator, dtype=torch.float64)


def test_vdn_adds_up() -> None:
    taken = numbers(torch.Generator().manual_seed(0), 7, 2, N_AGENTS)
    nothing = torch.zeros(7, 2, 0)
    total = VdnMixer(SPEC, MixerConfig())(taken, taken, torch.zeros(7, 2, N_AGENTS).long(), nothing)
    torch.testing.assert_close(total, taken[..., 0] + taken[..., 1] + taken[..., 2])


@pytest.mark.parametrize("layers", [1, 2])
@given(seed=seeds, scale=scales, agent=st.integers(0, N_AGENTS - 1), rise=st.floats(1e-3, 1e3))
def test_qmix_never_falls_when_an_agent_rises(
    layers: int, seed: int, scale: float, agent: int, rise: float
) -> None:
    generator = torch.Generator().manual_seed(seed)
    mixer = QmixMixer(SPEC, QmixMixerConfig(embed_dim=6, hypernet_dim=8, hypernet_layers=layers))
    with_any_weights(mixer, scale, generator)
    state = numbers(generator, 10, N_STATE)
    taken = numbers(generator, 10, N_AGENTS).requires_grad_()
    assert (mixer.first(state) < 0.0).any()  # or there would be nothing to test
    before = mixer(taken, taken, taken, state)
    (slopes,) = torch.autograd.grad(before.sum(), taken)
    assert (slopes >= 0.0).all()
    after = mixer(taken + rise * torch.eye(N_AGENTS)[agent], taken, taken, state)
    # Sums of a few numbers in double precision are wrong in the last of 15 digits.
    assert (after >= before - 1e-12 * (1.0 + before.abs() + after.abs())).all()


@pytest.mark.parametrize("layers", [1, 2])
def test_qmix_is_the_published_formula(layers: int) -> None:
    generator = torch.Generator().manual_seed(1)
    mixer = QmixMixer(SPEC, QmixMixerConfig(embed_dim=6, hypernet_dim=8, hypernet_layers=layers))
    with_any_weights(mixer, 0.5, generator)
    state, q = numbers(generator, N_STATE), numbers(generator, N_AGENTS)
    first = said(mixer.first, state)
    bias, second = said(mixer.first_bias, state), said(mixer.second, state)
    total = said(mixer.value, state)[0]
    for e in range(6):
        x = bias[e] + sum(abs(first[a * 6 + e]) * float(q[a]) for a in range(N_AGENTS))
        total += abs(second[e]) * (x if x > 0.0 else math.exp(x) - 1.0)
    assert float(mixer(q, q, q, state)) == pytest.approx(total, rel=1e-12)


@given(seed=seeds, scale=scales)
def test_qplex_agrees_with_its_agents_about_what_is_best(seed: int, scale: float) -> None:
    """Individual-global-max: of all joint actions, that of the individual maxima is worth most."""
    generator = torch.Generator().manual_seed(seed)
    mixer = with_any_weights(duplex(), scale, generator)
    q = numbers(generator, N_AGENTS, N_ACTIONS)
    state, joint = numbers(generator, N_STATE), joint_actions()  # [K, A]
    taken = q[torch.arange(N_AGENTS), joint]  # [K, A]
    best = q.max(-1).values.expand_as(taken)
    total = mixer(taken, best, joint, state.expand(len(joint), -1))  # [K]
    greedy = int((joint == q.argmax(-1)).all(-1).nonzero())
    others = total[torch.arange(len(joint)) != greedy]
    # Weights above zero may be next to nothing, and a sum is wrong in the last of 15 digits.
    assert (others <= total[greedy] + 1e-12 * (1.0 + total.abs().max())).all()


def test_qplex_equals_its_naive_twin() -> None:
    generator = torch.Generator().manual_seed(2)
    mixer = with_any_weights(duplex(), 0.5, generator)
    for _ in range(20):
        q = numbers(generator, N_AGENTS, N_ACTIONS)
        state = numbers(generator, N_STATE)
        actions = torch.randint(0, N_ACTIONS, (N_AGENTS,), generator=generator)
        taken = q.gather(-1, actions.unsqueeze(-1)).squeeze(-1)
        found = mixer(taken, q.max(-1).values, actions, state)
        expected = naive_qplex(mixer, q.tolist(), actions.tolist(), state)
        assert float(found) == pytest.approx(expected, rel=1e-12)


def test_advantages_teach_qplex_nothing_about_values() -> None:
    """What an agent's value gains the team is its scale alone, whatever weighs its advantage."""
    generator = torch.Generator().manual_seed(3)
    mixer = with_any_weights(duplex(), 0.5, generator)
    state = numbers(generator, 4, N_STATE)
    taken = numbers(generator, 4, N_AGENTS).requires_grad_()
    best = (taken.detach() + 1.0).requires_grad_()
    total = mixer(taken, best, torch.ones(4, N_AGENTS).long(), state).sum()
    of_taken, of_best = torch.autograd.grad(total, (taken, best), allow_unused=True)
    torch.testing.assert_close(of_taken, mixer.scale(state).abs() + TINY)
    assert of_best is None


def duplex() -> QplexMixer:
    return QplexMixer(SPEC, QplexMixerConfig(hypernet_dim=8, n_heads=2))


def joint_actions() -> Tensor:
    return torch.tensor(list(itertools.product(range(N_ACTIONS), repeat=N_AGENTS)))


def naive_qplex(mixer: nn.Module, q: list[list[float]], actions: list[int], state: Tensor) -> float:
    """Agent by agent and head by head (Wang et al. 2021, section 3.2)."""
    scale, shift = said(mixer.scale, state), said(mixer.shift, state)
    keys, agents = said(mixer.keys, state), said(mixer.agents, state)
    chosen = [float(actions[a] == n) for a in range(N_AGENTS) for n in range(N_ACTIONS)]
    deeds = said(mixer.actions, torch.cat((state, torch.tensor(chosen).double())))
    total = 0.0
    for a in range(N_AGENTS):
        w, v = abs(scale[a]) + TINY, shift[a]
        value, most = w * q[a][actions[a]] + v, w * max(q[a]) + v
        weight = 0.0
        for h in range(len(keys)):
            k = a * len(keys) + h
            weight += (abs(keys[h]) + TINY) * sigmoid(agents[k]) * sigmoid(deeds[k])
        total += value + (value - most) * (weight - 1.0)
    return total


def said(net: nn.Module, x: Tensor) -> list[float]:
    """What one or two linear layers make of a vector, number by number."""
    layers = [net] if isinstance(net, nn.Linear) else [net[0], net[2]]
    values = x.tolist()
    for k, layer in enumerate(layers):
        values = [max(0.0, value) if k else value for value in values]
        values = [
            sum(w * value for w, value in zip(row, values, strict=True)) + b
            for row, b in zip(layer.weight.tolist(), layer.bias.tolist(), strict=True)
        ]
    return values


def sigmoid(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x))


def layer(n_in: int, n_out: int) -> int:
    """Weights and biases of a linear layer."""
    return n_in * n_out + n_out


def size(module: nn.Module) -> int:
    return sum(weight.numel() for weight in module.parameters())


def test_sizes_are_the_published_ones() -> None:
    """On 2s3z: 5 agents, 11 actions, a state of 120; embedding 32, hypernetworks 64."""
    spec = spec_of(terrarium.make_vec("smac/2s3z", 1).info)
    n, u, s = spec.n_agents, spec.n_actions, spec.state_size
    assert (n, u, s) == (5, 11, 120)
    value = layer(s, 32) + layer(32, 1)
    hyper = layer(s, 64) + layer(64, n * 32) + layer(s, 64) + layer(64, 32)
    assert size(QmixMixer(spec, QmixMixerConfig())) == hyper + layer(s, 32) + value
    single = layer(s, n * 32) + layer(s, 32)  # PyMARL's "beta" settings
    assert (
        size(QmixMixer(spec, QmixMixerConfig(hypernet_layers=1))) == single + layer(s, 32) + value
    )
    extractors = [(s, n), (s, n), (s, 4), (s, 4 * n), (s + n * u, 4 * n)]
    duplex = sum(layer(n_in, 64) + layer(64, n_out) for n_in, n_out in extractors)
    assert size(QplexMixer(spec, QplexMixerConfig())) == duplex
    encoder = 2 * layer(64 + u, 64 + u)
    joint = layer(s + 64 + u, 64) + layer(64, 64) + layer(64, 1)
    offset = layer(s, 64) + layer(64, 64) + layer(64, 1)
    assert size(QtranJointQ(n, u, 64, s, 64)) == encoder + joint + offset
    assert size(VdnMixer(SPEC, MixerConfig())) == 0


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"embed_dim": 0}, "mixer.embed_dim is 0; allowed: 1 to 4096"),
        ({"hypernet_dim": 5000}, "mixer.hypernet_dim is 5000; allowed: 1 to 4096"),
        ({"hypernet_layers": 3}, "mixer.hypernet_layers is 3; allowed: 1 to 2"),
        ({"n_heads": 0}, "mixer.n_heads is 0; allowed: 1 to 64"),
    ],
    ids=str,
)
def test_settings_that_cannot_be(setting: dict[str, int], message: str) -> None:
    with pytest.raises(TerrariumError) as caught:
        (QplexMixerConfig if "n_heads" in setting else QmixMixerConfig)(**setting)
    assert str(caught.value) == message
