"""The settings of networks."""

from dataclasses import dataclass
from typing import Any

from terrarium.envs.tasks.spec import Spec
from terrarium.errors import TerrariumError, nearest

INITS = ("orthogonal", "default")


class NetError(TerrariumError):
    """A network that cannot be, or that does not fit."""


@dataclass(frozen=True)
class PartConfig:
    """Settings of a part of the network; this one has none."""

    def check(self, net: "NetConfig") -> None:
        """Refuse what does not fit the rest of the network."""


@dataclass(frozen=True)
class NetConfig:
    """Parts and sizes of the networks. The settings of a part are a section of their own."""

    encoder: str = "attention"
    """entity encoders: attention, hpn, transformer, cnn; flat observations: mlp, linear"""
    core: str = "lstm"
    """recurrent core: none, gru, lstm, transformer, or token (with the transformer encoder)"""
    comm: str = "none"
    """communication between agents that see each other: none, commnet or tarmac"""
    hidden_dim: int = 64
    """hidden units of encoder, core and heads"""
    share_params: bool = True
    """one network for all agents; false: one each, for a fixed number of agents"""
    agent_id: bool = False
    """append the agent id (one-hot) to the observation; for a fixed number of agents"""
    init: str = "orthogonal"
    """initial weights: orthogonal, or default, those of PyTorch's layers, as in PyMARL"""
    encoder_config: PartConfig = PartConfig()
    core_config: PartConfig = PartConfig()
    comm_config: PartConfig = PartConfig()

    def __post_init__(self) -> None:
        if not 4 <= self.hidden_dim <= 4096:
            raise NetError(f"net.hidden_dim is {self.hidden_dim}; allowed: 4 to 4096")
        if self.init not in INITS:
            raise NetError(
                f'net.init is "{self.init}".{nearest(self.init, INITS)} Allowed: {", ".join(INITS)}'
            )

    @property
    def n_features(self) -> int:
        """Numbers that stand for an agent after encoder and core."""
        return self.hidden_dim


def config_of(part: type[Any], given: PartConfig) -> Any:
    """The settings of a part; where none are given, its defaults."""
    return part.Config() if type(given) is PartConfig else given


def check_heads(section: str, net: NetConfig, n_heads: int) -> None:
    if net.hidden_dim % n_heads:
        raise NetError(
            f"net.hidden_dim is {net.hidden_dim} and {section}.n_heads {n_heads}: in a transformer "
            f"{section} net.hidden_dim must be a multiple of {section}.n_heads, such as "
            f"{n_heads * -(-net.hidden_dim // n_heads)}"
        )


def n_ids_of(spec: Spec, net: NetConfig) -> int:
    """Columns of the agents' ids among what an agent reads of itself."""
    return spec.n_agents if net.agent_id else 0
