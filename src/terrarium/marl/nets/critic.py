"""The value's network: how good the battle is for each agent."""

from torch import Tensor, nn

from terrarium.envs.tasks.spec import Spec
from terrarium.marl.batch import Obs
from terrarium.marl.net_config import ENTITY_ENCODERS, NetConfig
from terrarium.marl.nets.attention import TableEncoder
from terrarium.marl.nets.building_blocks import initialize, linear
from terrarium.marl.nets.encoders import EntityEncoder, encode, make_encoder, n_ids_of
from terrarium.marl.nets.mlp import MlpEncoder, agent_states
from terrarium.marl.nets.unit_columns import one_hot_ids


class Critic(nn.Module):
    """Values of all agents. A central one knows everything, others what the agent sees.

    With views of units a central one reads the whole table, however agents are read; others have
    an encoder, and ids, as agents have.
    """

    def __init__(self, spec: Spec, cfg: NetConfig, central: bool) -> None:
        super().__init__()
        self.central = central
        self.n_ids = 0 if central else n_ids_of(spec, cfg)
        self.encoder: TableEncoder | EntityEncoder | MlpEncoder
        if not central:
            self.encoder = make_encoder(spec, cfg)
        elif cfg.encoder in ENTITY_ENCODERS:
            self.encoder = TableEncoder(
                cfg.hidden_dim, cfg.token_dim, cfg.n_heads, spec.n_aimed > 0
            )
        else:
            self.encoder = MlpEncoder(spec.obs_width + spec.state_size, cfg.hidden_dim)
        self.value = linear(cfg.hidden_dim, 1, 1.0)
        initialize(self, cfg.init)

    def forward(self, obs: Obs) -> Tensor:
        """obs [...] -> values [..., A]."""
        if isinstance(self.encoder, TableEncoder):
            features = self.encoder(obs)
        elif self.central:
            features = self.encoder(agent_states(obs))
        else:
            features, _ = encode(self.encoder, obs, one_hot_ids(self.n_ids, obs))
        values: Tensor = self.value(features).squeeze(-1)
        return values

    @property
    def n_inputs(self) -> int:
        """How many numbers it reads of each unit, or of the whole battle."""
        first = next(layer for layer in self.modules() if isinstance(layer, nn.Linear))
        return first.in_features
