"""Which encoder reads what an agent sees, by its name."""

from torch import Tensor

from terrarium.envs.tasks.spec import Spec
from terrarium.marl.batch import Obs
from terrarium.marl.net_config import ENTITY_ENCODERS, NetConfig, NetError
from terrarium.marl.nets.attention import AttentionEncoder
from terrarium.marl.nets.cnn import CnnEncoder
from terrarium.marl.nets.hpn import HpnEncoder
from terrarium.marl.nets.mlp import MlpEncoder
from terrarium.marl.nets.transformer_encoder import TransformerEncoder
from terrarium.marl.nets.unit_columns import with_ids

EntityEncoder = AttentionEncoder | HpnEncoder | TransformerEncoder | CnnEncoder


def make_encoder(spec: Spec, cfg: NetConfig) -> EntityEncoder | MlpEncoder:
    """What reads an agent's own view; all but the one of vectors also yield tokens to aim at."""
    has_abilities, n_ids = spec.n_aimed > 0, n_ids_of(spec, cfg)
    if cfg.encoder == "attention":
        return AttentionEncoder(cfg.hidden_dim, cfg.token_dim, cfg.n_heads, has_abilities, n_ids)
    if cfg.encoder == "hpn":
        return HpnEncoder(cfg.hidden_dim, cfg.token_dim, has_abilities, n_ids)
    if cfg.encoder == "transformer":
        return TransformerEncoder(cfg.hidden_dim, cfg.n_layers, cfg.n_heads, has_abilities, n_ids)
    if cfg.encoder == "cnn":
        return CnnEncoder(cfg.hidden_dim, cfg.token_dim, cfg.grid_size, has_abilities, n_ids)
    return MlpEncoder(spec.obs_width + n_ids, cfg.hidden_dim, plain=cfg.encoder == "linear")


def n_ids_of(spec: Spec, cfg: NetConfig) -> int:
    return spec.n_agents if cfg.agent_id else 0


def encode(
    encoder: EntityEncoder | MlpEncoder, obs: Obs, ids: Tensor | None
) -> tuple[Tensor, Tensor | None]:
    """Features [B, A, H], and tokens [B, A, M, K] if there are any."""
    if not isinstance(encoder, MlpEncoder):
        features, tokens = encoder(obs, ids)
        return features, tokens
    x = with_ids(obs.vector, ids)  # [B, A, D]
    if x.shape[-1] != encoder.n_in:
        n_ids = 0 if ids is None else ids.shape[-1]
        raise NetError(
            f"this policy reads vectors of {encoder.n_in - n_ids} numbers and the scenario shows "
            f"{obs.vector.shape[-1]}; only the encoders of units fit every scenario: "
            f"net.encoder={', '.join(ENTITY_ENCODERS)}"
        )
    return encoder(x), None
