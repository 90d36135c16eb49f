"""Advantages and returns from rewards and values: GAE, TD(lambda), n-step."""

import torch
from torch import Tensor


def generalized_advantages(
    rewards: Tensor,
    values: Tensor,
    next_values: Tensor,
    terminated: Tensor,
    over: Tensor,
    gamma: float,
    gae_lambda: float,
) -> Tensor:
    """GAE (Schulman et al. 2016) over [T, B, A]; rewards, terminated and over are [T, B], of the
    team, or [T, B, A or 1].

    `next_values` are those of what followed a step in its own episode: where a time limit cut it
    off, of what was seen last. Only `terminated` stops the bootstrap; `over` stops the trace.
    """
    rewards, terminated, over = (_wide(x, values) for x in (rewards, terminated, over))
    goes_on = (~terminated).to(values.dtype)  # [T, B, A or 1]
    td_errors = rewards + gamma * goes_on * next_values - values  # [T, B, A]
    decays = gamma * gae_lambda * (~over).to(values.dtype)
    advantages: list[Tensor] = []  # the last one first
    later = torch.zeros_like(values[0])  # [B, A]
    for td_error, decay in zip(td_errors.flip(0), decays.flip(0), strict=True):
        later = td_error + decay * later
        advantages.append(later)
    return torch.stack(advantages[::-1])


def lambda_returns(
    rewards: Tensor,
    next_values: Tensor,
    terminated: Tensor,
    over: Tensor,
    gamma: float,
    td_lambda: float,
) -> Tensor:
    """TD(lambda) over [T, B, ...]; rewards, terminated and over are [T, B] or [T, B, A or 1].

    Each step mixes the value of what followed with the return from there. Only `terminated` stops
    the bootstrap; `over` stops the trace, and so does the last step.
    """
    rewards, terminated, over = (_wide(x, next_values) for x in (rewards, terminated, over))
    worth = (gamma * next_values).masked_fill(terminated, 0.0)  # [T, B, ...]
    linked = td_lambda * (~over).to(worth.dtype)  # [T, B, 1...]
    returns = torch.empty_like(worth)
    later = torch.zeros_like(worth[0])  # [B, ...]
    last = len(worth) - 1
    for t in reversed(range(len(worth))):
        fade = linked[t] if t < last else torch.zeros_like(linked[t])
        later = rewards[t] + torch.lerp(worth[t], gamma * later, fade)
        returns[t] = later
    return returns


def n_step_returns(
    rewards: Tensor,
    next_values: Tensor,
    terminated: Tensor,
    over: Tensor,
    gamma: float,
    n_step_return: int,
) -> Tensor:
    """Some rewards, then a value: shapes and ends as for `lambda_returns`.

    Where an episode or the stretch ends before, fewer rewards are counted.
    """
    rewards, terminated, over = (_wide(x, next_values) for x in (rewards, terminated, over))
    returns = rewards + (gamma * next_values).masked_fill(terminated, 0.0)  # of one step
    for _ in range(n_step_return - 1):
        longer = rewards[:-1] + gamma * returns[1:]
        returns = torch.cat((torch.where(over[:-1], returns[:-1], longer), returns[-1:]))
    return returns


def _wide(x: Tensor, values: Tensor) -> Tensor:
    """[T, B] or more, with as many axes as the values have."""
    return x[(..., *[None] * (values.ndim - x.ndim))]


class ValueNorm:
    """Running mean and standard deviation of returns, debiased; critics learn normalized returns
    (Yu et al. 2022).

    With a decay this slow it is all but the mean of every return so far: what a critic has learned
    keeps its meaning while returns change from rollout to rollout.
    """

    def __init__(self, decay: float = 0.99999) -> None:
        self.decay = decay
        # In double precision: a thousandth of a percent is added each time.
        self.mean = self.square = self.weight = torch.zeros((), dtype=torch.float64)

    @property
    def center(self) -> Tensor:
        return self.mean / self.weight.clamp(min=torch.finfo(self.weight.dtype).tiny)

    @property
    def spread(self) -> Tensor:
        if self.weight == 0:
            return torch.ones_like(self.weight)
        variance = self.square / self.weight - self.center.square()
        return variance.clamp(min=1e-2).sqrt()

    def update(self, returns: Tensor) -> None:
        keep = self.decay
        self.mean = keep * self.mean + (1 - keep) * returns.mean()
        self.square = keep * self.square + (1 - keep) * returns.square().mean()
        self.weight = keep * self.weight + (1 - keep)

    def normalize(self, returns: Tensor) -> Tensor:
        return (returns - self.center) / self.spread

    def denormalize(self, values: Tensor) -> Tensor:
        """Returns that normalized values stand for."""
        return values * self.spread + self.center

    def state_dict(self) -> dict[str, Tensor]:
        return {"mean": self.mean, "square": self.square, "weight": self.weight}

    def load_state_dict(self, state: dict[str, Tensor]) -> None:
        self.mean, self.square, self.weight = state["mean"], state["square"], state["weight"]
