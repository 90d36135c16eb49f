"""Encoders with attention: one for agents, over whom they see; one for critics, over everybody."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from terrarium.config import check_ranges
from terrarium.envs.schema import FEATURES, SKILL_FEATURES
from terrarium.envs.tasks.spec import Spec
from terrarium.marl.batch import Obs
from terrarium.marl.net_config import NetConfig, PartConfig
from terrarium.marl.nets.building_blocks import AttentionPool, linear
from terrarium.marl.nets.entity_products import pair_tokens
from terrarium.marl.nets.unit_columns import (
    N_COUNTS,
    UnitEncoder,
    log_counts,
    read_columns,
    with_ids,
)


@dataclass(frozen=True)
class AttentionConfig(PartConfig):
    """Sizes of the attention encoder."""

    token_dim: int = 16
    """size of an entity token"""
    n_heads: int = 4
    """attention heads"""

    def __post_init__(self) -> None:
        check_ranges("encoder", self, token_dim=(4, 4096), n_heads=(1, 64))


class AttentionEncoder(UnitEncoder):
    """Each agent's own token attends to the tokens of those it sees.

    A token is the sum of what anybody knows of a unit and of how the observer stands to it; the
    first part is computed once for all observers. There is one for each observer and unit, so
    tokens are narrower than what stands for an agent: they are most of the work in large battles.
    """

    Config: ClassVar[type[AttentionConfig]] = AttentionConfig

    def __init__(self, spec: Spec, net: NetConfig, cfg: AttentionConfig) -> None:
        super().__init__(spec, net, cfg.token_dim)
        hidden_dim = net.hidden_dim
        self.pool = AttentionPool(hidden_dim, cfg.token_dim, cfg.n_heads)
        self.join = linear(2 * hidden_dim, hidden_dim)

    def forward(self, obs: Obs, ids: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Features [B, A, H] of the agents, and tokens [B, A, M, K] of whom they see."""
        self.columns.check(obs)
        units = read_columns(obs.table, self.columns.of_anybody, self.unit)  # [B, M, K]
        tokens = pair_tokens(obs.pairs, self.pair.weight, units)  # [B, A, M, K]
        known = obs.table[..., : obs.n_agents, :]
        known = with_ids(torch.cat((known, log_counts(obs.mask, obs.n_agents)), -1), ids)
        own = read_columns(known, self.columns.of_itself, self.itself).relu()  # [B, A, H]
        seen = self.pool(own, tokens, obs.mask)  # [B, A, H]
        features = self.join(torch.cat((own, seen), -1)).relu()  # [B, A, H]
        return features * obs.acting.unsqueeze(-1), tokens  # the dead see nothing


class TableEncoder(nn.Module):
    """Each agent's row of the global table attends to all rows.

    Its input holds every agent's own features, and its size does not grow with their number. How
    many units live on either side stands beside what they are like on average. The query of a dead
    agent is a row of zeros.
    """

    def __init__(self, hidden_dim: int, token_dim: int, n_heads: int, has_abilities: bool) -> None:
        super().__init__()
        self.unit = linear(len(FEATURES) + len(SKILL_FEATURES) * has_abilities, hidden_dim)
        self.narrow = linear(hidden_dim, token_dim)
        self.pool = AttentionPool(hidden_dim, token_dim, n_heads)
        self.join = linear(2 * hidden_dim + N_COUNTS, hidden_dim)

    def forward(self, obs: Obs) -> Tensor:
        """Features [B, A, H] of the whole battle, as it concerns each agent."""
        units = self.unit(obs.table).relu() * obs.alive.unsqueeze(-1)  # [B, M, H]
        tokens = self.narrow(units).relu()  # [B, M, K]
        own = units[..., : obs.n_agents, :]  # [B, A, H]
        mask = obs.alive.unsqueeze(-2)  # [B, 1, M] of all agents
        seen = self.pool(own, tokens.unsqueeze(-3), mask)  # [B, A, H]
        counts = log_counts(mask, obs.n_agents).expand(*own.shape[:-1], -1)  # [B, A, 2]
        features: Tensor = self.join(torch.cat((own, seen, counts), -1)).relu()
        return features
