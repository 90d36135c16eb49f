"""An encoder over units: the mean over those seen, as Deep Sets (Zaheer et al. 2017)."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from terrarium.config import check_settings
from terrarium.envs.tasks.spec import Spec
from terrarium.marl.batch import Obs
from terrarium.marl.net_config import NetConfig, PartConfig, n_ids_of
from terrarium.marl.nets.unit_columns import columns_for, with_ids


@dataclass(frozen=True)
class DeepSetsConfig(PartConfig):
    """The section `encoder`, when this encoder is chosen."""

    token_dim: int = 32
    """size of an entity token"""

    def __post_init__(self) -> None:
        check_settings("encoder", self, ("token_dim", 4 <= self.token_dim <= 4096, "4 to 4096"))


class DeepSets(nn.Module):
    """The agent's own row, joined with the mean token of the units that it sees."""

    Config = DeepSetsConfig
    reads_units = True
    n_sides = 1

    def __init__(self, spec: Spec, net: NetConfig, cfg: DeepSetsConfig) -> None:
        super().__init__()
        self.columns = columns_for(spec.n_aimed > 0)
        self.token_dim = cfg.token_dim
        n_own = len(self.columns.of_itself) + n_ids_of(spec, net)
        self.unit = nn.Linear(len(self.columns.of_anybody), cfg.token_dim)
        self.pair = nn.Linear(self.columns.n_pairs, cfg.token_dim)
        self.join = nn.Linear(n_own + cfg.token_dim, net.hidden_dim)

    def forward(self, obs: Obs, ids: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Features [B, A, H] of the agents, and tokens [B, A, M, K] that actions are aimed at."""
        units = self.unit(obs.table[..., self.columns.of_anybody])  # [B, M, K]
        tokens = (self.pair(obs.pairs) + units.unsqueeze(-3)).relu()  # [B, A, M, K]
        seen = obs.mask.unsqueeze(-1).to(tokens.dtype)  # [B, A, M, 1]
        mean = (tokens * seen).sum(-2) / seen.sum(-2).clamp(min=1.0)  # [B, A, K]
        own = with_ids(obs.table[..., : obs.n_agents, self.columns.of_itself], ids)
        features = self.join(torch.cat((own, mean), -1)).relu()  # [B, A, H]
        return features * obs.acting.unsqueeze(-1), tokens  # the dead see nothing
