"""Choices that gradients can pass through: samples of categories and of bits, relaxed.

Every function takes its random numbers as an argument, `u`, uniform between 0 and 1, so that the
same numbers give the same sample and its gradient. `docs/maddpg.md` tells the story.
"""

import torch
from torch import Tensor

TINY = 1e-20
"""Keeps logarithms finite where a uniform number is 0"""


def gumbel(u: Tensor) -> Tensor:
    """Gumbel noise from uniform numbers: the largest of logits + noise is a sample (Gumbel-max)."""
    return -torch.log(-torch.log(u + TINY) + TINY)


def logistic(u: Tensor) -> Tensor:
    """Logistic noise from uniform numbers: the difference of two of Gumbel's."""
    return torch.log(u + TINY) - torch.log1p(TINY - u)


def gumbel_softmax(logits: Tensor, u: Tensor, temperature: float) -> Tensor:
    """Relaxed one-hots [..., N] (Jang et al. 2017; Maddison et al. 2017).

    The largest entry is a sample of the categorical at every temperature; as that falls, the vector
    comes near a one-hot, and the gradient becomes less biased and noisier.
    """
    scores = logits + gumbel(u)
    # Before the division: by a temperature below 1 the lowest float32, which stands for "never",
    # becomes -inf, and a row of nothing else, that of an agent who is not there, would be NaN.
    scores = scores - scores.detach().amax(-1, keepdim=True)
    return (scores / temperature).softmax(-1)


def relaxed_bits(logits: Tensor, u: Tensor, temperature: float) -> Tensor:
    """Relaxed Bernoulli samples [...]: above 0.5 is a sampled 1."""
    return ((logits + logistic(u)) / temperature).sigmoid()


def straight_through(hard: Tensor, soft: Tensor) -> Tensor:
    """The value of `hard`, the gradient of `soft` (Bengio et al. 2013)."""
    return hard + (soft - soft.detach())


def one_hot_of(scores: Tensor) -> Tensor:
    """A one-hot [..., N] of the largest score."""
    return torch.zeros_like(scores).scatter_(-1, scores.argmax(-1, keepdim=True), 1.0)


def categorical_st(logits: Tensor, u: Tensor, temperature: float) -> Tensor:
    """Sampled one-hots [..., N] with the gradient of the relaxed ones."""
    soft = gumbel_softmax(logits, u, temperature)
    return straight_through(one_hot_of(soft.detach()), soft)


def bits_st(logits: Tensor, u: Tensor, temperature: float) -> Tensor:
    """Sampled bits [...] with the gradient of the relaxed ones."""
    soft = relaxed_bits(logits, u, temperature)
    return straight_through((soft.detach() > 0.5).to(soft.dtype), soft)
