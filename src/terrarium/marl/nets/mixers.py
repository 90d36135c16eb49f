"""Mixers: what a team is worth, from what its agents think that they are."""

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor, nn

from terrarium.marl.nets.config import NetError

TINY = 1e-10


@dataclass(frozen=True)
class MixerConfig:
    """Sizes of a mixer and of the networks that make its weights."""

    embed: int = 32
    """numbers between the agents' values and the team's"""
    width: int = 64
    """of the hypernetworks' hidden layer"""
    layers: int = 2
    """of the hypernetworks: 1 or 2"""
    heads: int = 4
    """of QPLEX's attention"""

    def __post_init__(self) -> None:
        for name, low, high in (
            ("embed", 1, 4096),
            ("width", 1, 4096),
            ("layers", 1, 2),
            ("heads", 1, 64),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise NetError(f"mixer.{name} is {value}; allowed: {low} to {high}")


class Mixer(Protocol):
    """From agents to the team; the state [..., S] decides how."""

    def __call__(self, taken: Tensor, best: Tensor, actions: Tensor, state: Tensor) -> Tensor:
        """Values of the actions taken, of the best ones, and these actions, each [..., A], -> [...]

        Only QPLEX asks for more than the values of what was taken.
        """


class SumMixer(nn.Module):
    """VDN (Sunehag et al. 2018): the sum."""

    def forward(self, taken: Tensor, best: Tensor, actions: Tensor, state: Tensor) -> Tensor:
        return taken.sum(-1)


class MonotoneMixer(nn.Module):
    """QMIX (Rashid et al. 2018): a network whose weights are made from the state, none negative."""

    def __init__(self, n_agents: int, state_size: int, cfg: MixerConfig) -> None:
        super().__init__()
        self.n_agents, self.embed = n_agents, cfg.embed
        self.first = hypernet(state_size, n_agents * cfg.embed, cfg.width, cfg.layers)
        self.first_bias = nn.Linear(state_size, cfg.embed)
        self.second = hypernet(state_size, cfg.embed, cfg.width, cfg.layers)
        self.value = hypernet(state_size, 1, cfg.embed, 2)

    def forward(self, taken: Tensor, best: Tensor, actions: Tensor, state: Tensor) -> Tensor:
        weights = self.first(state).abs().unflatten(-1, (self.n_agents, self.embed))  # [..., A, E]
        hidden = (taken.unsqueeze(-2) @ weights).squeeze(-2) + self.first_bias(state)  # [..., E]
        hidden = nn.functional.elu(hidden)
        joined = (hidden * self.second(state).abs()).sum(-1)  # [...]
        total: Tensor = joined + self.value(state).squeeze(-1)
        return total


class DuplexMixer(nn.Module):
    """QPLEX (Wang et al. 2021): values are summed, advantages weighted by state and joint action.

    Whatever the weights, all being above zero, the best joint action stays the one of which each
    agent thinks best; what else is worth has no bounds.
    """

    def __init__(self, n_agents: int, n_actions: int, state_size: int, cfg: MixerConfig) -> None:
        super().__init__()
        self.n_actions, self.heads = n_actions, cfg.heads
        width, n = cfg.width, n_agents * cfg.heads
        self.scale = hypernet(state_size, n_agents, width, cfg.layers)
        self.shift = hypernet(state_size, n_agents, width, cfg.layers)
        self.keys = hypernet(state_size, cfg.heads, width, cfg.layers)
        self.agents = hypernet(state_size, n, width, cfg.layers)
        self.actions = hypernet(state_size + n_agents * n_actions, n, width, cfg.layers)

    def forward(self, taken: Tensor, best: Tensor, actions: Tensor, state: Tensor) -> Tensor:
        scale, shift = self.scale(state).abs() + TINY, self.shift(state)  # [..., A]
        values = scale * taken + shift
        advantages = (values - (scale * best + shift)).detach()  # [..., A] zero or less
        chosen = one_hot(actions, self.n_actions).flatten(-2)  # [..., A N]
        keys = self.keys(state).abs().unsqueeze(-2) + TINY  # [..., 1, h]
        heads = (-1, self.heads)
        agents = self.agents(state).unflatten(-1, heads).sigmoid()  # [..., A, h]
        joint = torch.cat((state, chosen), -1)
        deeds = self.actions(joint).unflatten(-1, heads).sigmoid()  # [..., A, h]
        weights = (keys * agents * deeds).sum(-1)  # [..., A]
        total: Tensor = (values + advantages * (weights - 1.0)).sum(-1)
        return total


class JointValue(nn.Module):
    """QTRAN's value of a joint action (Son et al. 2019), from what agents think and do, and V."""

    def __init__(
        self, n_agents: int, n_actions: int, n_features: int, state_size: int, width: int
    ) -> None:
        super().__init__()
        self.n_actions = n_actions
        pair = n_features + n_actions
        self.encode = nn.Sequential(nn.Linear(pair, pair), nn.ReLU(), nn.Linear(pair, pair))
        self.joint = nn.Sequential(
            nn.Linear(state_size + pair, width),
            nn.ReLU(),
            nn.Linear(width, width),
            nn.ReLU(),
            nn.Linear(width, 1),
        )
        self.state = nn.Sequential(
            nn.Linear(state_size, width),
            nn.ReLU(),
            nn.Linear(width, width),
            nn.ReLU(),
            nn.Linear(width, 1),
        )

    def forward(self, features: Tensor, actions: Tensor, state: Tensor) -> Tensor:
        """features [..., A, H], actions [..., A], state [..., S] -> [...]."""
        pairs = torch.cat((features, one_hot(actions, self.n_actions)), -1)
        team = self.encode(pairs).sum(-2)  # [..., H + N]
        value: Tensor = self.joint(torch.cat((state, team), -1)).squeeze(-1)
        return value

    def offset(self, state: Tensor) -> Tensor:
        """V [...] of the state: what the sum of the agents' values leaves out."""
        value: Tensor = self.state(state).squeeze(-1)
        return value


def hypernet(n_in: int, n_out: int, width: int, n_layers: int) -> nn.Module:
    """A small network whose output are weights."""
    if n_layers == 1:
        return nn.Linear(n_in, n_out)
    return nn.Sequential(nn.Linear(n_in, width), nn.ReLU(), nn.Linear(width, n_out))


def one_hot(actions: Tensor, n_actions: int) -> Tensor:
    """[..., N] ones where the actions [...] are."""
    return nn.functional.one_hot(actions, n_actions).float()
