"""An encoder whose weights depend on whom it reads: hyper policy networks (Hao et al. 2023)."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from terrarium.config import check_ranges
from terrarium.envs.tasks.spec import Spec
from terrarium.marl.batch import Obs
from terrarium.marl.net_config import NetConfig, PartConfig, n_ids_of
from terrarium.marl.nets.building_blocks import linear
from terrarium.marl.nets.unit_columns import (
    Columns,
    columns_for,
    others_seen,
    with_ids,
)


@dataclass(frozen=True)
class HpnConfig(PartConfig):
    """Sizes of the HPN encoder."""

    token_dim: int = 16
    """hidden units of the hypernetworks; 64 is the published size"""

    def __post_init__(self) -> None:
        check_ranges("encoder", self, token_dim=(4, 4096))


class HpnEncoder(nn.Module):
    """The sum of x W(x) over those an agent sees: their order does not matter, each has its say.

    Tokens are what the hypernetworks know of each unit before their last layer, beside a 1. That
    layer, asked for w(x) and b(x) of a score h w(x) + b(x), is a query linear in h; so the actor's
    head, with queries of their own for allies and enemies, is the paper's output.
    """

    Config: ClassVar[type[HpnConfig]] = HpnConfig
    reads_units: ClassVar[bool] = True
    skips_absent: ClassVar[bool] = True
    # Tokens of allies and of enemies are not of one kind.
    n_sides: ClassVar[int] = 2

    def __init__(self, spec: Spec, net: NetConfig, cfg: HpnConfig) -> None:
        super().__init__()
        hidden_dim, hidden, n_ids = net.hidden_dim, cfg.token_dim, n_ids_of(spec, net)
        self.columns = columns_for(spec.n_aimed > 0)
        self.token_dim = hidden + 1
        self.itself = linear(len(self.columns.of_itself) + n_ids, hidden_dim)
        self.allies = _Hypernet(self.columns, hidden, hidden_dim)
        self.enemies = _Hypernet(self.columns, hidden, hidden_dim)

    def forward(self, obs: Obs, ids: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Features [B, A, H] of the agents, and tokens [B, A, M, K + 1] of whom they see."""
        self.columns.check(obs)
        n_agents = obs.n_agents
        units, mask = obs.table[..., self.columns.of_anybody], others_seen(obs)
        own = self.itself(with_ids(obs.table[..., :n_agents, self.columns.of_itself], ids))
        friends, first = self.allies(
            units[..., :n_agents, :], obs.pairs[..., :n_agents, :], mask[..., :n_agents]
        )  # [B, A, H], [B, A, A, K + 1]
        foes, second = self.enemies(
            units[..., n_agents:, :], obs.pairs[..., n_agents:, :], mask[..., n_agents:]
        )  # [B, A, H], [B, A, M - A, K + 1]
        features = (own + friends + foes).relu() * obs.acting.unsqueeze(-1)  # [B, A, H]
        return features, torch.cat((first, second), -2)  # [B, A, M, K + 1]


class _Hypernet(nn.Module):
    """Makes, from what is known of a unit, the matrix that reads it.

    W(x) is linear in the hidden k(x), so the sum of x W(x) over units is a constant matrix applied
    to the sum of the products k(x) x. Those sums are made first: neither the matrices, [f, H] for
    each observer and unit, nor what they yield for each unit, are ever in memory. What anybody
    knows of a unit and how the observer stands to it are multiplied apart, so the first, most of
    it, is not copied for every observer.
    """

    def __init__(self, columns: Columns, hidden: int, hidden_dim: int) -> None:
        super().__init__()
        n_known, n_pairs = len(columns.of_anybody), columns.n_pairs
        self.unit = linear(n_known, hidden)
        self.pair = linear(n_pairs, hidden, bias=False)
        self.made_for_unit = linear((hidden + 1) * n_known, hidden_dim, bias=False)
        self.made_for_pair = linear((hidden + 1) * n_pairs, hidden_dim, bias=False)

    def forward(self, units: Tensor, pairs: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """units [B, m, f], pairs [B, A, m, r], mask [B, A, m] -> the sum [B, A, H] over those in
        the mask, and hiddens [B, A, m, K + 1], the last of them 1."""
        hidden = (self.pair(pairs) + self.unit(units).unsqueeze(-3)).relu()  # [B, A, m, K]
        hidden = nn.functional.pad(hidden, (0, 1), value=1.0)  # [B, A, m, K + 1]
        counted = (hidden * mask.unsqueeze(-1)).transpose(-1, -2)  # [B, A, K + 1, m]
        of_units = counted.flatten(-3, -2) @ units  # [B, A (K + 1), f]
        of_units = of_units.view(*counted.shape[:-2], -1)  # [B, A, (K + 1) f]
        of_pairs = (counted @ pairs).flatten(-2)  # [B, A, (K + 1) r]
        return self.made_for_unit(of_units) + self.made_for_pair(of_pairs), hidden
