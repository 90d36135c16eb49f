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
    role_dim: int = 0
    """size of latent roles that condition the policy, as in ROMA; 0: no roles"""
    role_identity_coef: float = 0.0001
    """coefficient of the loss that makes roles identifiable by behavior"""
    role_difference_coef: float = 0.001
    """coefficient of the loss that makes roles specialized"""
    init: str = "orthogonal"
    """initial weights: orthogonal, or default, those of PyTorch's layers, as in PyMARL"""
    encoder_config: PartConfig = PartConfig()
    core_config: PartConfig = PartConfig()
    comm_config: PartConfig = PartConfig()

    def __post_init__(self) -> None:
        for name, low, high in (
            ("hidden_dim", 4, 4096),
            ("role_dim", 0, 64),
            ("role_identity_coef", 0.0, 1e6),
            ("role_difference_coef", 0.0, 1e6),
        ):
            value = getattr(self, name)
            if not low <= value <= high:
                raise NetError(f"net.{name} is {value}; allowed: {low:g} to {high:g}")
        if self.init not in INITS:
            raise NetError(
                f'net.init is "{self.init}".{nearest(self.init, INITS)} Allowed: {", ".join(INITS)}'
            )

        if self.role_dim and (self.core == "token" or not self.share_params):
            raise NetError(
                f"net.role_dim is {self.role_dim}: roles tell agents of one network apart, by what "
                "they see and remember; set net.share_params=true and another net.core than token, "
                "or net.role_dim=0"
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


def refuse_roles(net: NetConfig, algo: str) -> None:
    """For algorithms that leave out the losses of roles."""
    if net.role_dim:
        raise NetError(
            f"net.role_dim is {net.role_dim}: {algo} does not learn the losses of roles; mappo, "
            "ippo, iql, vdn, qmix, qplex and qtran do; set net.role_dim=0"
        )


def n_ids_of(spec: Spec, net: NetConfig) -> int:
    """Columns of the agents' ids among what an agent reads of itself."""
    return spec.n_agents if net.agent_id else 0
