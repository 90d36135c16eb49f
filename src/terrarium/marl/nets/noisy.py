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
    when it is drawn, for all rows or for each one, is no part of what is saved, and is nothing at
    first.
    """

    noise_in: Tensor  # [1 or B, I]
    noise_out: Tensor  # [1 or B, O]

    def __init__(self, n_in: int, n_out: int, gain: float) -> None:
        super().__init__()
        means = linear(n_in, n_out, gain)
        self.weight, self.bias = means.weight, means.bias
        spread = SIGMA / math.sqrt(n_in)
        self.weight_sigma = nn.Parameter(torch.full((n_out, n_in), spread))
        self.bias_sigma = nn.Parameter(torch.full((n_out,), spread))
        self.register_buffer("noise_in", torch.zeros(1, n_in), persistent=False)
        self.register_buffer("noise_out", torch.zeros(1, n_out), persistent=False)

    def draw(self, generator: torch.Generator | None, n_rows: int = 1) -> None:
        """New noise from a generator on the CPU, for each of so many rows; or none at all."""
        n_in, n_out, like = self.noise_in.shape[1], self.noise_out.shape[1], self.weight
        if generator is None:
            self.noise_in, self.noise_out = like.new_zeros(1, n_in), like.new_zeros(1, n_out)
            return
        drawn = torch.randn((n_rows, n_in + n_out), generator=generator)
        shaped = (drawn.sign() * drawn.abs().sqrt()).to(like)
        # New tensors: a later draw must not change what an earlier loss refers to.
        self.noise_in, self.noise_out = shaped[:, :n_in], shaped[:, n_in:]

    def forward(self, x: Tensor) -> Tensor:
        """x [B, ..., I] -> [B, ..., O]; each row with its own noise, if it was drawn so."""
        between = [1] * (x.ndim - 2)
        noise_in = self.noise_in.view(-1, *between, x.shape[-1])
        noise_out = self.noise_out.view(-1, *between, len(self.weight))
        shift = nn.functional.linear(x * noise_in, self.weight_sigma, self.bias_sigma)
        return nn.functional.linear(x, self.weight, self.bias) + noise_out * shift


def head(n_in: int, n_out: int, gain: float, noisy: bool) -> nn.Linear | NoisyLinear:
    """A last layer, with or without noise."""
    return NoisyLinear(n_in, n_out, gain) if noisy else linear(n_in, n_out, gain)


def draw_noise(module: nn.Module, generator: torch.Generator | None, n_rows: int = 1) -> None:
    """New noise for all noisy layers, in their order, for each of so many rows; without a generator
    none."""
    for layer in module.modules():
        if isinstance(layer, NoisyLinear):
            layer.draw(generator, n_rows)
