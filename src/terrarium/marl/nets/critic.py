"""The value's network: how good the battle is for each agent."""

from torch import Tensor, nn

from terrarium.marl.batch import Look
from terrarium.marl.nets.attention import AgentEncoder, TableEncoder
from terrarium.marl.nets.config import NetConfig, Spec
from terrarium.marl.nets.layers import linear
from terrarium.marl.nets.mlp import VectorEncoder, state_of_each


class Critic(nn.Module):
    """Values of all agents. A central one knows everything, others what the agent sees."""

    def __init__(self, spec: Spec, cfg: NetConfig, central: bool) -> None:
        super().__init__()
        self.central = central
        self.encoder: TableEncoder | AgentEncoder | VectorEncoder
        if cfg.encoder == "attention":
            kind = TableEncoder if central else AgentEncoder
            self.encoder = kind(cfg.width, cfg.token, cfg.heads, spec.n_aimed > 0)
        else:
            n_in = spec.obs_width + (spec.state_size if central else 0)
            self.encoder = VectorEncoder(n_in, cfg.width)
        self.value = linear(cfg.width, 1, 1.0)

    def forward(self, look: Look) -> Tensor:
        """look [...] -> values [..., A]."""
        if isinstance(self.encoder, TableEncoder):
            features = self.encoder(look)
        elif isinstance(self.encoder, AgentEncoder):
            features, _ = self.encoder(look)
        else:
            features = self.encoder(state_of_each(look) if self.central else look.obs)
        values: Tensor = self.value(features).squeeze(-1)
        return values

    @property
    def n_inputs(self) -> int:
        """How many numbers it reads of each unit, or of the whole battle."""
        first = next(layer for layer in self.modules() if isinstance(layer, nn.Linear))
        return first.in_features
