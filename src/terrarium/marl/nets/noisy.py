"""Layers that explore: linear ones with noise on their weights (Fortunato et al. 2018)."""

import math

import torch
from torch import Tensor, nn

from terrarium.marl.nets.building_blocks import linear

SIGMA = 0.5
"""How strong the noise is at first, as in the paper, where inputs of size 1 meet it"""


class NoisyLinear(nn.Module):
    """A linear layer whose weights are normal: mean and spread are learned.

    The noise is factorized: one number for each input and one for each output. It changes only
    when it is drawn, is no part of what is saved, and is nothing at first.
    """

    noise_in: Tensor
    noise_out: Tensor

    def __init__(self, n_in: int, n_out: int, gain: float) -> None:
        super().__init__()
        means = linear(n_in, n_out, gain)
        self.weight, self.bias = means.weight, means.bias
        spread = SIGMA / math.sqrt(n_in)
        self.weight_sigma = nn.Parameter(torch.full((n_out, n_in), spread))
        self.bias_sigma = nn.Parameter(torch.full((n_out,), spread))
        self.register_buffer("noise_in", torch.zeros(n_in), persistent=False)
        self.register_buffer("noise_out", torch.zeros(n_out), persistent=False)

    def draw(self, generator: torch.Generator | None) -> None:
        """New noise from a generator on the CPU, or none at all."""
        for noise in (self.noise_in, self.noise_out):
            if generator is None:
                noise.zero_()
            else:
                drawn = torch.randn(len(noise), generator=generator)
                noise.copy_(drawn.sign() * drawn.abs().sqrt())

    def forward(self, x: Tensor) -> Tensor:
        # Copies, since a later draw must not change what an earlier loss refers to.
        noise_in, noise_out = self.noise_in.clone(), self.noise_out.clone()
        weight = self.weight + self.weight_sigma * torch.outer(noise_out, noise_in)
        return nn.functional.linear(x, weight, self.bias + self.bias_sigma * noise_out)


def head(n_in: int, n_out: int, gain: float, noisy: bool) -> nn.Linear | NoisyLinear:
    """A last layer, with or without noise."""
    return NoisyLinear(n_in, n_out, gain) if noisy else linear(n_in, n_out, gain)


def draw_noise(module: nn.Module, generator: torch.Generator | None) -> None:
    """New noise for all noisy layers, in their order; without a generator none."""
    for layer in module.modules():
        if isinstance(layer, NoisyLinear):
            layer.draw(generator)
