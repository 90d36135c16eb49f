"""Encoders: from an agent's observation to features. `ENCODERS` names them."""

from typing import Any, ClassVar, Protocol

from torch import Tensor, nn

from terrarium.envs.tasks.spec import Spec
from terrarium.import_paths import Contract, find_class, is_import_path
from terrarium.marl.batch import Obs
from terrarium.marl.net_config import NetConfig, NetError, config_of
from terrarium.marl.nets.attention import AttentionEncoder
from terrarium.marl.nets.cnn import CnnEncoder
from terrarium.marl.nets.hpn import HpnEncoder
from terrarium.marl.nets.mlp import LinearEncoder, MlpEncoder
from terrarium.marl.nets.transformer_encoder import TransformerEncoder


class Encoder(Protocol):
    """A `torch.nn.Module` that is made from (spec, net, cfg), where cfg is its `Config`.

    With a class attribute `skips_absent = True` it says that absent units change nothing, wherever
    others stand among agents and among the rest: then it may be shown fewer of them.
    """

    Config: ClassVar[type[Any]]
    """its settings, a `PartConfig`: the section `encoder`"""
    reads_units: ClassVar[bool]
    """it reads tables of units, and fits every scenario; otherwise flat observations"""
    token_dim: int
    """size of the tokens that actions are aimed at; 0: it has none"""
    n_sides: int
    """2: tokens of allies and enemies have queries of their own; else 1"""

    def __init__(self, spec: Spec, net: NetConfig, cfg: Any) -> None: ...

    def __call__(self, obs: Obs, ids: Tensor | None) -> tuple[Tensor, Tensor | None]:
        """obs [B, ...], ids [A, I] -> features [B, A, H], and tokens [B, A, M, K] of all units.

        Without views of units, or with `token_dim` 0, there are no tokens.
        """


ENCODERS: dict[str, type[Any]] = {
    "attention": AttentionEncoder,
    "hpn": HpnEncoder,
    "transformer": TransformerEncoder,
    "cnn": CnnEncoder,
    "mlp": MlpEncoder,
    "linear": LinearEncoder,
}

ENCODER_CONTRACT = Contract(
    "an encoder", ("Config", "reads_units", "n_sides", "forward"), ("spec", "net", "cfg"), Encoder
)


def find_encoder(name: str) -> type[Any]:
    return find_class("net.encoder", name, ENCODERS, ENCODER_CONTRACT)


def make_encoder(spec: Spec, net: NetConfig) -> Any:
    kind = find_encoder(net.encoder)
    encoder = kind(spec, net, config_of(kind, net.encoder_config))
    if is_import_path(net.encoder):
        _check_encoder(encoder, net)
    return encoder


def _check_encoder(encoder: Any, net: NetConfig) -> None:
    if not isinstance(encoder, nn.Module) or not isinstance(
        getattr(encoder, "token_dim", None), int
    ):
        raise NetError(
            f"{net.encoder} is no torch.nn.Module with a number token_dim; the contract is in "
            f"{ENCODER_CONTRACT.home}"
        )


def encode(
    encoder: Any, net: NetConfig, obs: Obs, ids: Tensor | None
) -> tuple[Tensor, Tensor | None]:
    """Features [B, A, H] and tokens [B, A, M, K] of an encoder, which must have these shapes."""
    features, tokens = encoder(obs, ids)
    wanted = (*obs.avail.shape[:-1], net.hidden_dim)
    if features.shape != wanted:
        raise NetError(
            f"net.encoder={net.encoder} gives features {list(features.shape)}, and "
            f"[B, A, net.hidden_dim] = {list(wanted)} is needed; the contract is in "
            f"{ENCODER_CONTRACT.home}"
        )
    if encoder.token_dim:
        wanted = (*obs.mask.shape, encoder.token_dim)
        if tokens is None or tokens.shape != wanted:
            raise NetError(
                f"net.encoder={net.encoder} has to give tokens [B, A, M, token_dim] = "
                f"{list(wanted)}; the contract is in {ENCODER_CONTRACT.home}"
            )
    return features, tokens


def reads_units(net: NetConfig) -> bool:
    """Whether a network reads tables of units, not flat observations."""
    return bool(find_encoder(net.encoder).reads_units)


def views_of(net: NetConfig) -> tuple[str, ...]:
    """What an environment has to show for these networks."""
    return ("pairs", "table") if reads_units(net) else ("obs", "state")
