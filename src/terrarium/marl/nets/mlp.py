"""Encoders of SMAC's flat vectors: they fit one scenario, as in the papers."""

import torch
from torch import Tensor, nn

from terrarium.marl.batch import Obs
from terrarium.marl.nets.building_blocks import linear


class MlpEncoder(nn.Module):
    """Two layers over an agent's observation, or over the global state beside it.

    A plain one has a single layer and normalizes nothing, as PyMARL's agents.
    """

    def __init__(self, n_in: int, hidden_dim: int, plain: bool = False) -> None:
        super().__init__()
        self.n_in = n_in
        if plain:
            self.layers = nn.Sequential(linear(n_in, hidden_dim), nn.ReLU())
            return
        self.layers = nn.Sequential(
            nn.LayerNorm(n_in),
            linear(n_in, hidden_dim),
            nn.ReLU(),
            nn.LayerNorm(hidden_dim),
            linear(hidden_dim, hidden_dim),
            nn.ReLU(),
            nn.LayerNorm(hidden_dim),
        )

    def forward(self, x: Tensor) -> Tensor:
        features: Tensor = self.layers(x)
        return features


def agent_states(obs: Obs) -> Tensor:
    """[..., A, S + D] the state, and beside it what each agent sees."""
    state = obs.state.unsqueeze(-2).expand(*obs.vector.shape[:-1], -1)
    return torch.cat((state, obs.vector), -1)
