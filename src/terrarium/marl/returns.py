"""What actions were worth: advantages and returns from rewards and values."""

import torch
from torch import Tensor


def generalized_advantages(
    rewards: Tensor,
    values: Tensor,
    next_values: Tensor,
    terminated: Tensor,
    over: Tensor,
    discount: float,
    trace: float,
) -> Tensor:
    """GAE (Schulman et al. 2016) over [T, B, A]; rewards, terminated and over are [T, B].

    `next_values` are those of what followed a step in its own episode: where a time limit cut it
    off, of what was seen last. Only `terminated` stops the bootstrap; `over` stops the trace.
    """
    goes_on = (~terminated).unsqueeze(-1).to(values.dtype)  # [T, B, 1]
    surprise = rewards.unsqueeze(-1) + discount * goes_on * next_values - values  # [T, B, A]
    linked = discount * trace * (~over).unsqueeze(-1).to(values.dtype)
    advantages = torch.empty_like(values)
    later = torch.zeros_like(values[0])  # [B, A]
    for t in reversed(range(len(values))):
        later = surprise[t] + linked[t] * later
        advantages[t] = later
    return advantages


class ValueNorm:
    """Running mean and spread of returns; critics learn the normalized ones (Yu et al. 2022)."""

    def __init__(self, decay: float = 0.9) -> None:
        self.decay = decay
        self.mean, self.square, self.weight = torch.zeros(()), torch.zeros(()), torch.zeros(())

    @property
    def center(self) -> Tensor:
        return self.mean / self.weight.clamp(min=1e-5)

    @property
    def spread(self) -> Tensor:
        if self.weight == 0:
            return torch.ones(())
        variance = self.square / self.weight - self.center.square()
        return variance.clamp(min=1e-2).sqrt()

    def update(self, returns: Tensor) -> None:
        keep = self.decay
        self.mean = keep * self.mean + (1 - keep) * returns.mean()
        self.square = keep * self.square + (1 - keep) * returns.square().mean()
        self.weight = keep * self.weight + (1 - keep)

    def normalize(self, returns: Tensor) -> Tensor:
        return (returns - self.center) / self.spread

    def restore(self, values: Tensor) -> Tensor:
        """Returns that normalized values stand for."""
        return values * self.spread + self.center

    def state_dict(self) -> dict[str, Tensor]:
        return {"mean": self.mean, "square": self.square, "weight": self.weight}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        self.mean, self.square, self.weight = state["mean"], state["square"], state["weight"]
