"""COMA's critic: what each of an agent's actions is worth, given what the others do."""

import math

import torch
from torch import Tensor, nn

from terrarium.envs.tasks.spec import Spec
from terrarium.marl.batch import Obs
from terrarium.marl.net_config import NetConfig, NetError, PartConfig
from terrarium.marl.nets.building_blocks import initialize, linear
from terrarium.marl.nets.cores import make_core
from terrarium.marl.nets.critic import CriticConfig, encode_state, state_encoder
from terrarium.marl.nets.recurrent import NoCore

NO_ACTION = -1
"""Stands for the last action where an episode begins"""


class JointActions(nn.Module):
    """A row of weights for every agent's every action: a linear layer over all their one-hots.

    As one-hots the input of each agent would have n_agents x n_actions numbers, nearly all zero:
    hundreds of megabytes for a rollout of large teams.
    """

    def __init__(self, n_agents: int, n_actions: int, hidden_dim: int) -> None:
        super().__init__()
        self.n_agents, self.n_actions = n_agents, n_actions
        self.rows = nn.Embedding(n_agents * n_actions, hidden_dim)
        nn.init.normal_(self.rows.weight, std=1.0 / math.sqrt(n_agents))

    def forward(self, actions: Tensor) -> Tensor:
        """actions [..., A], -1 for none -> [..., A, H]."""
        first = torch.arange(self.n_agents, device=actions.device) * self.n_actions
        rows: Tensor = self.rows(first + actions.clamp(min=0))
        return rows * (actions != NO_ACTION).unsqueeze(-1)


class CounterfactualCritic(nn.Module):
    """Q [B, T, A, N] of each agent's actions; its own choice is the only thing it is not told.

    It knows the whole battle, the others' actions, everybody's last actions and whose values are
    asked for; it may have a core of its own to remember by. What everybody does has a place for
    every agent and action, so whatever the encoder it fits one scenario only.
    """

    def __init__(self, spec: Spec, net: NetConfig, memory: bool, cfg: CriticConfig) -> None:
        super().__init__()
        hidden = 2 * net.hidden_dim  # 128 with the usual hidden_dim, as in the paper's code
        self.shape = (spec.n_agents, spec.n_actions)
        self.encoder = state_encoder(spec, net, cfg)
        self.core = make_core(net) if memory else NoCore(net, PartConfig())
        self.join = linear(net.hidden_dim, hidden)
        self.now = JointActions(*self.shape, hidden)
        self.before = JointActions(*self.shape, hidden)
        self.whose = nn.Parameter(torch.randn(spec.n_agents, hidden) / math.sqrt(2.0))
        self.middle = linear(hidden, hidden)
        self.values = linear(hidden, spec.n_actions, 1.0)
        initialize(self, net.init)

    @property
    def carry_size(self) -> int:
        size: int = self.core.carry_size
        return size

    def forward(
        self, obs: Obs, carry: Tensor, resets: Tensor, actions: Tensor, last: Tensor
    ) -> Tensor:
        """obs [B, T], carry [B, A, C], resets [B, T], actions and last [B, T, A] -> Q."""
        features, _ = self.remember(obs, carry, resets)  # [B, T, A, W]
        # A product with zeros and ones, not "all less its own": no rounding may let its own
        # action through.
        others = 1.0 - torch.eye(self.shape[0], device=actions.device)  # [A, A]
        told = others @ self.now(actions) + self.before(last).sum(-2, keepdim=True)  # [B, T, A, H]
        hidden = (self.join(features) + told + self.whose).relu()
        values: Tensor = self.values(self.middle(hidden).relu())  # [B, T, A, N]
        return values

    def remember(self, obs: Obs, carry: Tensor, resets: Tensor) -> tuple[Tensor, Tensor]:
        """What it knows of each agent [B, T, A, W] whatever they do, and its carry after that."""
        found = tuple(obs.avail.shape[-2:])
        if found != self.shape:
            raise NetError(
                "COMA's critic fits one scenario: it was made for {} agents with {} actions and "
                "this one has {} with {}; train a new run for it".format(*self.shape, *found)
            )
        features = encode_state(self.encoder, obs)  # [B, T, A, W]
        known: tuple[Tensor, Tensor] = self.core(features, carry, resets)
        return known
