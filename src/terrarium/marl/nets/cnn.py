"""Entity encoder: a map of the units around the agent, read by convolutions."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from terrarium.config import check_ranges
from terrarium.envs.schema import FEATURES, PAIR_DX, PAIR_FEATURES
from terrarium.envs.tasks.spec import Spec
from terrarium.marl.batch import Obs
from terrarium.marl.net_config import NetConfig, PartConfig
from terrarium.marl.nets.building_blocks import linear
from terrarium.marl.nets.unit_columns import UnitEncoder, others_seen, with_ids

_NAMES = list(FEATURES)
_ALLY, _ENEMY = _NAMES.index("ally"), _NAMES.index("enemy")
_DRAWN = [_NAMES.index(name) for name in ("health", "shield", "damage", "range")]
_TARGETABLE = PAIR_FEATURES.index("targetable")
N_CHANNELS = 2 * (1 + len(_DRAWN)) + 1
"""Of each side: how many, their health and shields, how hard they hit and how far; and how many
the agent may attack or heal"""
_FIRST, _SECOND = 16, 32
"""Channels after each convolution"""


@dataclass(frozen=True)
class CnnConfig(PartConfig):
    """Sizes of the CNN encoder."""

    grid_size: int = 11
    """cells along each side of the map around the agent"""
    token_dim: int = 16
    """size of an entity token"""

    def __post_init__(self) -> None:
        check_ranges("encoder", self, grid_size=(3, 64), token_dim=(4, 4096))


class CnnEncoder(UnitEncoder):
    """Two convolutions over the map, joined with what the agent knows of itself.

    The map is coarse, so it says where crowds are; who is aimed at is asked of tokens, which know
    exactly where each unit stands.
    """

    Config: ClassVar[type[CnnConfig]] = CnnConfig
    skips_absent: ClassVar[bool] = False

    def __init__(self, spec: Spec, net: NetConfig, cfg: CnnConfig) -> None:
        super().__init__(spec, net, cfg.token_dim, n_counts=0)
        hidden_dim, grid_size = net.hidden_dim, cfg.grid_size
        self.grid_size = grid_size
        n_left = -(-grid_size // 4)  # each convolution halves the sides
        self.convolve = nn.Sequential(
            _convolution(N_CHANNELS, _FIRST), nn.ReLU(), _convolution(_FIRST, _SECOND), nn.ReLU()
        )
        self.map = linear(_SECOND * n_left * n_left, hidden_dim)
        self.join = linear(2 * hidden_dim, hidden_dim)

    def forward(self, obs: Obs, ids: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Features [B, A, H] of the agents, and tokens [B, A, M, K] of whom they see."""
        self.columns.check(obs)
        units = self.unit(obs.table[..., self.columns.of_anybody])  # [B, M, K]
        tokens = (self.pair(obs.pairs) + units.unsqueeze(-3)).relu()  # [B, A, M, K]
        known = obs.table[..., : obs.n_agents, self.columns.of_itself]
        own = self.itself(with_ids(known, ids)).relu()  # [B, A, H]
        maps = draw_map(obs, self.grid_size).flatten(0, -4)  # [B A, C, R, R]
        seen = self.map(self.convolve(maps).flatten(-3)).relu()  # [B A, H]
        features = self.join(torch.cat((own, seen.view(own.shape)), -1)).relu()  # [B, A, H]
        return features * obs.acting.unsqueeze(-1), tokens  # the dead see nothing


def draw_map(obs: Obs, grid_size: int) -> Tensor:
    """[..., A, C, R, R] sums over those in each cell of a square around each agent, as wide as it
    sees in both directions. The agent itself is not on it: it is always in the middle."""
    rows = obs.table[..., _DRAWN]  # [..., M, 4]
    told = nn.functional.pad(rows, (1, 0), value=1.0)  # [..., M, 5] with a 1 to count them
    sides = obs.table[..., [_ALLY, _ENEMY]].unsqueeze(-1)  # [..., M, 2, 1]
    of_units = (sides * told.unsqueeze(-2)).flatten(-2)  # [..., M, 10]
    seen = others_seen(obs).unsqueeze(-1)  # [..., A, M, 1]
    shape = (*seen.shape[:-1], -1)
    channels = torch.cat(
        (of_units.unsqueeze(-3).expand(shape), obs.pairs[..., _TARGETABLE, None]), -1
    )  # [..., A, M, C]
    channels = (channels * seen).transpose(-1, -2)  # [..., A, C, M]
    places = obs.pairs[..., PAIR_DX : PAIR_DX + 2]  # [..., A, M, 2]
    cells = ((places + 1.0) * (0.5 * grid_size)).long().clamp(0, grid_size - 1)
    cell = (cells[..., 1] * grid_size + cells[..., 0]).unsqueeze(-2)  # [..., A, 1, M]
    drawn = channels.new_zeros(*channels.shape[:-1], grid_size * grid_size)
    drawn.scatter_add_(-1, cell.expand(channels.shape), channels)  # [..., A, C, R R]
    return drawn.view(*drawn.shape[:-1], grid_size, grid_size)


def _convolution(n_in: int, n_out: int) -> nn.Conv2d:
    layer = nn.Conv2d(n_in, n_out, 3, stride=2, padding=1)
    nn.init.orthogonal_(layer.weight, nn.init.calculate_gain("relu"))
    assert layer.bias is not None
    nn.init.zeros_(layer.bias)
    return layer
