"""Cores: recurrent state between encoder and heads. `CORES` names them."""

from typing import Any, ClassVar, Protocol

from torch import Tensor

from terrarium.import_paths import Contract, find_class
from terrarium.marl.net_config import NetConfig, config_of
from terrarium.marl.nets.recurrent import GruCore, LstmCore, NoCore
from terrarium.marl.nets.transformer_core import TransformerCore
from terrarium.marl.nets.transformer_encoder import TokenCore


class Core(Protocol):
    """A `torch.nn.Module` that is made from (net, cfg), where cfg is its `Config`."""

    Config: ClassVar[type[Any]]
    """its settings, a `PartConfig`: the section `core`"""
    carry_size: int
    """numbers of recurrent state of each agent"""

    def __init__(self, net: NetConfig, cfg: Any) -> None: ...

    def __call__(self, x: Tensor, carry: Tensor, resets: Tensor) -> tuple[Tensor, Tensor]:
        """x [B, T, A, H], carry [B, A, C], resets [B, T] -> features [B, T, A, H], carry.

        Where resets are true an episode begins, and nothing of the state before may be left.
        """

    def remember(self, carry: Tensor, features: Tensor) -> Tensor:
        """The carry [B, A, C] of agents who have heard messages, with features [B, A, H] since."""


CORES: dict[str, type[Any]] = {
    "none": NoCore,
    "gru": GruCore,
    "lstm": LstmCore,
    "transformer": TransformerCore,
    "token": TokenCore,
}

CORE_CONTRACT = Contract("a core", ("Config", "forward", "remember"), ("net", "cfg"), Core)


def find_core(name: str) -> type[Any]:
    return find_class("net.core", name, CORES, CORE_CONTRACT)


def make_core(net: NetConfig) -> Any:
    kind = find_core(net.core)
    return kind(net, config_of(kind, net.core_config))
