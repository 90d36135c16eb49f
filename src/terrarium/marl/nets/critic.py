"""The value's network: how good the battle is for each agent."""

from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from terrarium.config import check_ranges
from terrarium.envs.tasks.spec import Spec
from terrarium.marl.batch import Obs
from terrarium.marl.net_config import NetConfig, n_ids_of
from terrarium.marl.nets.attention import TableEncoder
from terrarium.marl.nets.building_blocks import initialize, linear
from terrarium.marl.nets.crops import Crop, crops_of, put_back_with_absent
from terrarium.marl.nets.encoders import encode, make_encoder, reads_units
from terrarium.marl.nets.mlp import agent_states, mlp
from terrarium.marl.nets.unit_columns import one_hot_ids


@dataclass(frozen=True)
class CriticConfig:
    """Attention of a centralized critic over all units; without views of units nothing reads it."""

    token_dim: int = 16
    """size of an entity token"""
    n_heads: int = 4
    """attention heads"""

    def __post_init__(self) -> None:
        check_ranges("critic", self, token_dim=(4, 4096), n_heads=(1, 64))


_DEFAULTS = CriticConfig()


class Critic(nn.Module):
    """Values of all agents. A central one knows everything, others what the agent sees.

    With views of units a central one reads the whole table, however agents are read; others have
    an encoder, and ids, as agents have.
    """

    def __init__(
        self, spec: Spec, net: NetConfig, central: bool, cfg: CriticConfig = _DEFAULTS
    ) -> None:
        super().__init__()
        self.central, self.net = central, net
        self.n_ids = 0 if central else n_ids_of(spec, net)
        self.encoder: Any
        if central:
            self.encoder = state_encoder(spec, net, cfg)
        else:
            self.encoder = make_encoder(spec, net)
        self.value = linear(net.hidden_dim, 1, 1.0)
        initialize(self, net.init)

    def forward(self, obs: Obs, crops: list[Crop] | None = None) -> Tensor:
        """obs [...] -> values [..., A]; `crops` are those of the merged obs, where they are known
        already."""
        if self.central:
            features = encode_state(self.encoder, obs, crops)
        else:
            features, _ = encode(self.encoder, self.net, obs, one_hot_ids(self.n_ids, obs))
        values: Tensor = self.value(features).squeeze(-1)
        return values

    @property
    def n_inputs(self) -> int:
        """How many numbers it reads of each unit, or of the whole battle."""
        first = next(layer for layer in self.modules() if isinstance(layer, nn.Linear))
        return first.in_features


def state_encoder(spec: Spec, net: NetConfig, cfg: CriticConfig) -> TableEncoder | nn.Sequential:
    """What a centralized critic reads the state with, however agents read their observations."""
    if reads_units(net):
        return TableEncoder(net.hidden_dim, cfg.token_dim, cfg.n_heads, spec.n_aimed > 0)
    return mlp(spec.obs_width + spec.state_size, net.hidden_dim)


def encode_state(
    encoder: TableEncoder | nn.Sequential, obs: Obs, crops: list[Crop] | None = None
) -> Tensor:
    """Features [..., A, H] of the whole battle, as it concerns each agent."""
    if not isinstance(encoder, TableEncoder):
        features: Tensor = encoder(agent_states(obs))
        return features
    shape = obs.avail.shape[:-1]
    flat = obs.merge(len(shape) - 1) if len(shape) > 2 else obs
    if crops is None:
        crops = crops_of(flat) if len(shape) > 1 else []
    if not crops:
        features = encoder(obs)
        return features
    # Absent agents ask the same question: one of them answers for all.
    read = put_back_with_absent(crops, [encoder(crop.obs) for crop in crops], obs.n_agents)
    return read.view(*shape, -1)
