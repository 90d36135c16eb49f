"""Mixers: per-agent Q-values into a team Q-value (Q_tot)."""

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import torch
from torch import Tensor, nn

from terrarium.config import check_ranges, check_settings
from terrarium.envs.tasks.spec import Spec
from terrarium.import_paths import Contract, find_class

TINY = 1e-10


@dataclass(frozen=True)
class MixerConfig:
    """Settings of a mixer; subclasses add those of one kind."""

    kind: str = "vdn"
    """from the agents' Q-values to the team's: vdn, qmix or qplex"""


class Mixer(Protocol):
    """A `torch.nn.Module`: per-agent Q-values into a team's; the state [..., S] decides how."""

    Config: ClassVar[type[Any]]

    def __init__(self, spec: Spec, cfg: Any) -> None: ...

    def __call__(self, taken: Tensor, best: Tensor, actions: Tensor, state: Tensor) -> Tensor:
        """Q-values of the actions taken, of the greedy ones, and the actions taken, each [..., A],
        -> Q_tot [...]. Only QPLEX reads more than the Q-values of the actions taken."""


class VdnMixer(nn.Module):
    """VDN (Sunehag et al. 2018): the sum."""

    Config: ClassVar[type[MixerConfig]] = MixerConfig

    def __init__(self, spec: Spec, cfg: MixerConfig) -> None:
        super().__init__()

    def forward(self, taken: Tensor, best: Tensor, actions: Tensor, state: Tensor) -> Tensor:
        return taken.sum(-1)


@dataclass(frozen=True)
class QmixMixerConfig(MixerConfig):
    """Sizes of QMIX's mixing network and of its hypernetworks."""

    kind: str = "qmix"
    """from the agents' Q-values to the team's: vdn, qmix or qplex"""
    embed_dim: int = 32
    """embedding size of the mixing network"""
    hypernet_dim: int = 64
    """hidden units of the hypernetworks"""
    hypernet_layers: int = 2
    """layers of the hypernetworks: 1 or 2"""

    def __post_init__(self) -> None:
        check_ranges("mixer", self, embed_dim=(1, 4096))
        check_hypernet(self, self.hypernet_dim, self.hypernet_layers)


class QmixMixer(nn.Module):
    """QMIX (Rashid et al. 2018): a network whose weights are made from the state, none negative."""

    Config: ClassVar[type[MixerConfig]] = QmixMixerConfig

    def __init__(self, spec: Spec, cfg: QmixMixerConfig) -> None:
        super().__init__()
        n_agents, state_size = spec.n_agents, spec.state_size
        self.n_agents, self.embed_dim = n_agents, cfg.embed_dim
        self.first = hypernet(
            state_size, n_agents * cfg.embed_dim, cfg.hypernet_dim, cfg.hypernet_layers
        )
        self.first_bias = nn.Linear(state_size, cfg.embed_dim)
        self.second = hypernet(state_size, cfg.embed_dim, cfg.hypernet_dim, cfg.hypernet_layers)
        self.value = hypernet(state_size, 1, cfg.embed_dim, 2)

    def forward(self, taken: Tensor, best: Tensor, actions: Tensor, state: Tensor) -> Tensor:
        weights = (
            self.first(state).abs().unflatten(-1, (self.n_agents, self.embed_dim))
        )  # [..., A, E]
        hidden = (taken.unsqueeze(-2) @ weights).squeeze(-2) + self.first_bias(state)  # [..., E]
        hidden = nn.functional.elu(hidden)
        joined = (hidden * self.second(state).abs()).sum(-1)  # [...]
        total: Tensor = joined + self.value(state).squeeze(-1)
        return total


@dataclass(frozen=True)
class QplexMixerConfig(MixerConfig):
    """Sizes of QPLEX's hypernetworks."""

    kind: str = "qplex"
    """from the agents' Q-values to the team's: vdn, qmix or qplex"""
    n_heads: int = 4
    """attention heads"""
    hypernet_dim: int = 64
    """hidden units of the hypernetworks"""
    hypernet_layers: int = 2
    """layers of the hypernetworks: 1 or 2"""

    def __post_init__(self) -> None:
        check_ranges("mixer", self, n_heads=(1, 64))
        check_hypernet(self, self.hypernet_dim, self.hypernet_layers)


class QplexMixer(nn.Module):
    """QPLEX (Wang et al. 2021): values are summed, advantages weighted by state and joint action.

    Whatever the weights, all being above zero, the best joint action stays the one of which each
    agent thinks best; what else is worth has no bounds.
    """

    Config: ClassVar[type[MixerConfig]] = QplexMixerConfig

    def __init__(self, spec: Spec, cfg: QplexMixerConfig) -> None:
        super().__init__()
        n_agents, n_actions, state_size = spec.n_agents, spec.n_actions, spec.state_size
        self.n_actions, self.n_heads = n_actions, cfg.n_heads
        n_hidden, n = cfg.hypernet_dim, n_agents * cfg.n_heads
        self.scale = hypernet(state_size, n_agents, n_hidden, cfg.hypernet_layers)
        self.shift = hypernet(state_size, n_agents, n_hidden, cfg.hypernet_layers)
        self.keys = hypernet(state_size, cfg.n_heads, n_hidden, cfg.hypernet_layers)
        self.agents = hypernet(state_size, n, n_hidden, cfg.hypernet_layers)
        self.actions = hypernet(state_size + n_agents * n_actions, n, n_hidden, cfg.hypernet_layers)

    def forward(self, taken: Tensor, best: Tensor, actions: Tensor, state: Tensor) -> Tensor:
        scale, shift = self.scale(state).abs() + TINY, self.shift(state)  # [..., A]
        values = scale * taken + shift
        advantages = (values - (scale * best + shift)).detach()  # [..., A] zero or less
        chosen = one_hot(actions, self.n_actions).flatten(-2)  # [..., A N]
        keys = self.keys(state).abs().unsqueeze(-2) + TINY  # [..., 1, h]
        heads = (-1, self.n_heads)
        agents = self.agents(state).unflatten(-1, heads).sigmoid()  # [..., A, h]
        joint = torch.cat((state, chosen), -1)
        deeds = self.actions(joint).unflatten(-1, heads).sigmoid()  # [..., A, h]
        weights = (keys * agents * deeds).sum(-1)  # [..., A]
        total: Tensor = (values + advantages * (weights - 1.0)).sum(-1)
        return total


MIXERS: dict[str, type[Any]] = {"vdn": VdnMixer, "qmix": QmixMixer, "qplex": QplexMixer}

MIXER_CONTRACT = Contract("a mixer", ("Config", "forward"), ("spec", "cfg"), Mixer)


def find_mixer(name: str) -> type[Any]:
    return find_class("mixer.kind", name, MIXERS, MIXER_CONTRACT)


def check_hypernet(cfg: MixerConfig, hypernet_dim: int, hypernet_layers: int) -> None:
    check_settings(
        "mixer",
        cfg,
        ("hypernet_dim", 1 <= hypernet_dim <= 4096, "1 to 4096"),
        ("hypernet_layers", 1 <= hypernet_layers <= 2, "1 to 2"),
    )


class QtranJointQ(nn.Module):
    """QTRAN's value of a joint action (Son et al. 2019), from what agents encode and do, and V."""

    def __init__(
        self, n_agents: int, n_actions: int, n_features: int, state_size: int, embed_dim: int
    ) -> None:
        super().__init__()
        self.n_actions = n_actions
        pair = n_features + n_actions
        self.encode = nn.Sequential(nn.Linear(pair, pair), nn.ReLU(), nn.Linear(pair, pair))
        self.joint = nn.Sequential(
            nn.Linear(state_size + pair, embed_dim),
            nn.ReLU(),
            nn.Linear(embed_dim, embed_dim),
            nn.ReLU(),
            nn.Linear(embed_dim, 1),
        )
        self.state = nn.Sequential(
            nn.Linear(state_size, embed_dim),
            nn.ReLU(),
            nn.Linear(embed_dim, embed_dim),
            nn.ReLU(),
            nn.Linear(embed_dim, 1),
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


def hypernet(n_in: int, n_out: int, n_hidden: int, n_layers: int) -> nn.Module:
    """A small network whose output are weights."""
    if n_layers == 1:
        return nn.Linear(n_in, n_out)
    return nn.Sequential(nn.Linear(n_in, n_hidden), nn.ReLU(), nn.Linear(n_hidden, n_out))


def one_hot(actions: Tensor, n_actions: int) -> Tensor:
    """[..., N] ones where the actions [...] are."""
    return nn.functional.one_hot(actions, n_actions).float()
