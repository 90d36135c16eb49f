"""Distributions over actions: a choice of each agent, or choices, numbers and bits as vectors.

Numbers are tanh of a Gaussian whose log standard deviation does not depend on the state, so that
they lie between -1 and 1 as environments want them. Log-probabilities and entropies are those of
the squashed numbers.
"""

import math
from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn

from terrarium.envs.tasks.spec import Spec
from terrarium.marl.actions.action_layout import ActionLayout
from terrarium.marl.actions.relaxed import one_hot_of
from terrarium.marl.batch import draw, pick
from terrarium.marl.net_config import NetConfig
from terrarium.marl.nets.rows import put_rows

EDGE = 1.0 - 1e-6
"""Numbers do not come nearer to 1: beyond, float32 does not know which number was squashed"""
LOG_STD_RANGE = (-5.0, 2.0)
_NODES, _WEIGHTS = (x.tolist() for x in np.polynomial.hermite_e.hermegauss(16))


class ActionDistribution(Protocol):
    """What the outputs of a policy mean, for agents [..., A]."""

    def mode(self) -> Tensor:
        """The likeliest actions; of numbers the median"""

    def sample(self, generator: torch.Generator) -> Tensor: ...

    def log_prob(self, actions: Tensor) -> Tensor:
        """[..., A]"""

    def entropy(self) -> Tensor:
        """[..., A]"""


class CategoricalActions:
    """One choice of each agent; actions are indices [..., A]."""

    def __init__(self, logits: Tensor) -> None:
        self.log_all = logits.log_softmax(-1)  # [..., A, N]
        self._logits = logits

    def mode(self) -> Tensor:
        return self.log_all.argmax(-1)

    def sample(self, generator: torch.Generator) -> Tensor:
        return draw(self._chances(), generator)

    def log_prob(self, actions: Tensor) -> Tensor:
        return pick(self.log_all, actions)

    def entropy(self) -> Tensor:
        # What is not available has no chance and a finite logarithm: their product is 0.
        return -(self._chances() * self.log_all).sum(-1)

    def _chances(self) -> Tensor:
        """[..., A, N]; exp of the lowest logarithms takes several times as long."""
        return self._logits.softmax(-1)


class ActionsOfSome:
    """Actions of some of the agents [..., A]; the others have nothing to choose."""

    def __init__(self, some: ActionDistribution, index: Tensor, shape: torch.Size) -> None:
        """`index` [n]: which of all agents, in the order of `shape`, the n are."""
        self._some, self._index, self._shape = some, index, shape

    def mode(self) -> Tensor:
        return self._put(self._some.mode())

    def sample(self, generator: torch.Generator) -> Tensor:
        return self._put(self._some.sample(generator))

    def log_prob(self, actions: Tensor) -> Tensor:
        return self._put(self._some.log_prob(actions.flatten()[self._index]))

    def entropy(self) -> Tensor:
        return self._put(self._some.entropy())

    def _put(self, values: Tensor) -> Tensor:
        """[n] -> [..., A], 0 for the others, which is their no-op."""
        return put_rows(values, self._index, self._shape.numel()).view(self._shape)


class VectorActions:
    """Independent parts of each agent: choices, numbers and bits; actions are [..., A, N]."""

    def __init__(self, out: Tensor, avail: Tensor, log_std: Tensor, layout: ActionLayout) -> None:
        self._avail, self._log_std = avail, log_std
        self._reals, self._flags = layout.reals & avail, layout.flags & avail  # [..., A, N]
        # What is not available has the lowest logit: no number to compute with.
        self._mean = out.masked_fill(~self._reals, 0.0)
        self._bits = out.masked_fill(~self._flags, 0.0)
        self._groups = [group & avail for group in layout.choices]
        lowest = torch.finfo(out.dtype).min
        self._log_each = [
            out.masked_fill(~group, lowest).log_softmax(-1).masked_fill(~group, 0.0)
            for group in self._groups
        ]

    def mode(self) -> Tensor:
        picks = [one_hot_of(log.masked_fill(~group, -math.inf)) for log, group in self._choices()]
        return self._join(picks, self._mean, self._bits > 0.0)

    def sample(self, generator: torch.Generator) -> Tensor:
        shape, device = self._mean.shape, self._mean.device
        picks = []
        for log, group in self._choices():
            drawn = draw(log.exp() * group, generator).clamp(max=shape[-1] - 1)
            picks.append(nn.functional.one_hot(drawn, shape[-1]).float())
        # As in `draw`: random numbers come from the CPU whatever the device.
        noise = torch.randn(shape, generator=generator).to(device)
        lots = torch.rand(shape, generator=generator).to(device)
        before = self._mean + self._log_std.exp() * noise
        return self._join(picks, before, lots < self._bits.sigmoid())

    def log_prob(self, actions: Tensor) -> Tensor:
        before = actions.clamp(-EDGE, EDGE).atanh()  # [..., A, N]
        scaled = (before - self._mean) * (-self._log_std).exp()
        normal = -0.5 * scaled.square() - self._log_std - 0.5 * math.log(2.0 * math.pi)
        parts = (normal - _log_slope(before)) * self._reals
        bits = nn.functional.binary_cross_entropy_with_logits(
            self._bits, actions * self._flags, reduction="none"
        )
        parts = parts - bits * self._flags
        for log in self._log_each:
            parts = parts + log * actions
        return parts.sum(-1)

    def entropy(self) -> Tensor:
        normal = self._log_std + 0.5 * (1.0 + math.log(2.0 * math.pi))
        parts = (normal + self._mean_log_slope()) * self._reals
        chance = self._bits.sigmoid()
        bits = nn.functional.binary_cross_entropy_with_logits(self._bits, chance, reduction="none")
        parts = parts + bits * self._flags
        for log, group in self._choices():
            parts = parts - log.exp() * log * group
        return parts.sum(-1)

    def _mean_log_slope(self) -> Tensor:
        """[..., A, N] the mean of log tanh' over the Gaussian, by Gauss-Hermite quadrature: what
        squashing adds to the entropy, for which there is no closed form."""
        total = torch.zeros_like(self._mean)
        for node, weight in zip(_NODES, _WEIGHTS, strict=True):
            total = total + weight * _log_slope(self._mean + self._log_std.exp() * node)
        return total / math.sqrt(2.0 * math.pi)

    def _choices(self) -> list[tuple[Tensor, Tensor]]:
        """Log-probabilities of each choice, and which columns belong to it and are available."""
        return list(zip(self._log_each, self._groups, strict=True))

    def _join(self, picks: list[Tensor], before: Tensor, bits: Tensor) -> Tensor:
        vectors = torch.tanh(before).clamp(-EDGE, EDGE) * self._reals + bits * self._flags
        for one_hot, group in zip(picks, self._groups, strict=True):
            vectors = vectors + one_hot * group
        return torch.cat((self._avail[..., :1].to(vectors.dtype), vectors[..., 1:]), -1)


def _log_slope(x: Tensor) -> Tensor:
    """log(1 - tanh(x)^2), also where the slope is too small for a float."""
    return 2.0 * (math.log(2.0) - x - nn.functional.softplus(-2.0 * x))


class ActionHead(nn.Module):
    """Makes distributions of an actor's outputs; learns the log standard deviations of numbers."""

    def __init__(
        self, spec: Spec, net: NetConfig, log_std_init: float, device: torch.device
    ) -> None:
        super().__init__()
        self.layout = None if spec.discrete else ActionLayout(spec, device)
        if self.layout is not None and self.layout.has_reals:
            n = 1 if net.share_params else spec.n_agents
            self.log_std = nn.Parameter(torch.full((n, spec.n_actions), log_std_init).to(device))
        else:
            self.register_buffer("log_std", torch.zeros((), device=device), persistent=False)

    def forward(self, out: Tensor, avail: Tensor) -> ActionDistribution:
        """Masked outputs [..., A, N] of an actor -> distributions of all agents."""
        if self.layout is None:
            return CategoricalActions(out)
        return VectorActions(out, avail, self.log_std.clamp(*LOG_STD_RANGE), self.layout)
