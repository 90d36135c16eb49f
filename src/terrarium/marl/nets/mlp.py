"""Encoders of flat observations: they fit one scenario, as in the papers."""

from typing import ClassVar

import torch
from torch import Tensor, nn

from terrarium.envs.tasks.spec import Spec
from terrarium.marl.batch import Obs
from terrarium.marl.net_config import NetConfig, NetError, PartConfig, n_ids_of
from terrarium.marl.nets.building_blocks import linear
from terrarium.marl.nets.unit_columns import with_ids


class MlpEncoder(nn.Module):
    """Two layers over an agent's observation, with LayerNorm (Yu et al. 2022)."""

    Config: ClassVar[type[PartConfig]] = PartConfig
    reads_units: ClassVar[bool] = False
    token_dim: ClassVar[int] = 0
    n_sides: ClassVar[int] = 1

    def __init__(self, spec: Spec, net: NetConfig, cfg: PartConfig) -> None:
        super().__init__()
        self.n_ids = n_ids_of(spec, net)
        self.n_in = spec.obs_width + self.n_ids
        self.layers = self.make_layers(self.n_in, net.hidden_dim)

    @staticmethod
    def make_layers(n_in: int, hidden_dim: int) -> nn.Module:
        return mlp(n_in, hidden_dim)

    def forward(self, obs: Obs, ids: Tensor | None = None) -> tuple[Tensor, None]:
        """Features [B, A, H]; there are no tokens."""
        x = with_ids(obs.vector, ids)  # [B, A, D]
        if x.shape[-1] != self.n_in:
            raise NetError(
                f"this policy reads vectors of {self.n_in - self.n_ids} numbers and the scenario "
                f"shows {obs.vector.shape[-1]}; only the encoders of units fit every scenario: "
                "net.encoder=attention, hpn, transformer, cnn"
            )
        return self.layers(x), None


class LinearEncoder(MlpEncoder):
    """One layer over an agent's observation, as PyMARL's agents."""

    @staticmethod
    def make_layers(n_in: int, hidden_dim: int) -> nn.Module:
        return nn.Sequential(linear(n_in, hidden_dim), nn.ReLU())


def mlp(n_in: int, hidden_dim: int) -> nn.Sequential:
    """Two layers with LayerNorm before, between and after."""
    return nn.Sequential(
        nn.LayerNorm(n_in),
        linear(n_in, hidden_dim),
        nn.ReLU(),
        nn.LayerNorm(hidden_dim),
        linear(hidden_dim, hidden_dim),
        nn.ReLU(),
        nn.LayerNorm(hidden_dim),
    )


def agent_states(obs: Obs) -> Tensor:
    """[..., A, S + D] the state, and beside it what each agent sees."""
    state = obs.state.unsqueeze(-2).expand(*obs.vector.shape[:-1], -1)
    return torch.cat((state, obs.vector), -1)
