"""Entity encoder with self-attention, after UPDeT (Hu et al. 2021)."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from terrarium.config import check_ranges
from terrarium.envs.tasks.spec import Spec
from terrarium.marl.batch import Obs
from terrarium.marl.net_config import (
    NetConfig,
    NetError,
    PartConfig,
    check_heads,
)
from terrarium.marl.nets.building_blocks import linear, split_axis
from terrarium.marl.nets.unit_columns import UnitEncoder, log_counts, themselves, with_ids


@dataclass(frozen=True)
class TransformerEncoderConfig(PartConfig):
    """Sizes of the transformer encoder; its tokens have net.hidden_dim numbers."""

    n_layers: int = 1
    """layers of self-attention"""
    n_heads: int = 4
    """attention heads"""

    def __post_init__(self) -> None:
        check_ranges("encoder", self, n_layers=(1, 16), n_heads=(1, 64))

    def check(self, net: NetConfig) -> None:
        check_heads("encoder", net, self.n_heads)


class TransformerEncoder(UnitEncoder):
    """Tokens of the agent itself and of whom it sees pass through blocks of self-attention.

    An agent's own token stands in its own place among the members; what becomes of it stands for
    the agent, and what becomes of the others is aimed at.
    """

    Config: ClassVar[type[TransformerEncoderConfig]] = TransformerEncoderConfig

    def __init__(self, spec: Spec, net: NetConfig, cfg: TransformerEncoderConfig) -> None:
        hidden_dim = net.hidden_dim
        super().__init__(spec, net, hidden_dim)
        self.blocks = nn.ModuleList(_Block(hidden_dim, cfg.n_heads) for _ in range(cfg.n_layers))
        # Without it a memory token, which comes around again and again, would grow and grow.
        self.norm = nn.LayerNorm(hidden_dim)

    def forward(self, obs: Obs, ids: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Features [B, A, H] of the agents, and tokens [B, A, M, H] of whom they see."""
        tokens, mask = self.read(obs, ids)
        tokens = self.mix(tokens, mask)
        return self.own(tokens, obs), tokens

    def read(self, obs: Obs, ids: Tensor | None) -> tuple[Tensor, Tensor]:
        """Tokens [B, A, M, H] before they meet, and which of them count, [B, A, M]."""
        self.columns.check(obs)
        units = self.unit(obs.table[..., self.columns.of_anybody])  # [B, M, H]
        tokens = self.pair(obs.pairs) + units.unsqueeze(-3)  # [B, A, M, H]
        known = obs.table[..., : obs.n_agents, self.columns.of_itself]
        known = torch.cat((known, log_counts(obs.mask, obs.n_agents)), -1)
        own = self.itself(with_ids(known, ids))  # [B, A, H]
        places = themselves(obs)  # [A, M]
        tokens = torch.where(places.unsqueeze(-1), own.unsqueeze(-2), tokens)
        # Itself, even if dead: attention to nobody at all is not a number.
        return tokens, obs.mask | places

    def mix(self, tokens: Tensor, mask: Tensor) -> Tensor:
        """tokens [B, A, M, H], of which those in the mask [B, A, M] are looked at -> the same."""
        allowed = mask.flatten(0, -2)[:, None, None]  # [B A, 1, 1, M]
        flow = tokens.flatten(0, -3)  # [B A, M, H]
        for block in self.blocks:
            flow = block(flow, allowed)
        mixed: Tensor = self.norm(flow)
        return mixed.view(tokens.shape)

    def own(self, tokens: Tensor, obs: Obs) -> Tensor:
        """The agents' own tokens [B, A, H] among all; the dead see nothing."""
        mine = tokens.diagonal(dim1=-3, dim2=-2).transpose(-1, -2)  # [B, A, H]
        return mine * obs.acting.unsqueeze(-1)


@dataclass(frozen=True)
class TokenCoreConfig(PartConfig):
    """The token core has no settings."""

    def check(self, net: NetConfig) -> None:
        if net.encoder != "transformer":
            raise NetError(
                "net.core=token remembers by a token among those of net.encoder=transformer, and "
                f"net.encoder is {net.encoder}; use net.encoder=transformer, or net.core=gru"
            )


class TokenCore(nn.Module):
    """Remembers by a token more: what becomes of it is there again in the next step."""

    Config: ClassVar[type[TokenCoreConfig]] = TokenCoreConfig

    def __init__(self, net: NetConfig, cfg: TokenCoreConfig) -> None:
        super().__init__()
        self.carry_size = net.hidden_dim

    def forward(
        self,
        encoder: TransformerEncoder,
        obs: Obs,
        memory: Tensor,
        resets: Tensor,
        ids: Tensor | None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """obs [B, T], memory [B, A, H], resets [B, T] -> features [B, T, A, H], tokens
        [B, T, A, M, H], memory."""
        tokens, mask = encoder.read(obs.merge(), ids)  # [B T, A, M, H], [B T, A, M]
        mask = split_axis(nn.functional.pad(mask, (0, 1), value=True), resets.shape)
        steps = split_axis(tokens, resets.shape).unbind(1)  # T times [B, A, M, H]
        keep = (~resets).to(memory.dtype)[..., None, None]  # [B, T, 1, 1]
        mixed = []
        for t, step in enumerate(steps):
            memory = memory * keep[:, t]  # [B, A, H]
            together = torch.cat((step, memory.unsqueeze(-2)), -2)  # [B, A, M + 1, H]
            out = encoder.mix(together, mask[:, t])
            memory = out[..., -1, :]
            mixed.append(out[..., :-1, :])
        tokens = torch.stack(mixed, 1)  # [B, T, A, M, H]
        return encoder.own(tokens, obs), tokens, memory

    def remember(self, memory: Tensor, features: Tensor) -> Tensor:
        """The memory of agents who have heard messages: it takes in their features [B, A, H]."""
        return memory + features


class _Block(nn.Module):
    """Attention of all to all, then two linear layers, each beside a way around it."""

    def __init__(self, hidden_dim: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.norm, self.norm_more = nn.LayerNorm(hidden_dim), nn.LayerNorm(hidden_dim)
        self.look = linear(hidden_dim, 3 * hidden_dim, gain=1.0)
        self.out = linear(hidden_dim, hidden_dim, gain=1.0)
        self.more = nn.Sequential(
            linear(hidden_dim, 2 * hidden_dim), nn.ReLU(), linear(2 * hidden_dim, hidden_dim, 1.0)
        )

    def forward(self, x: Tensor, allowed: Tensor) -> Tensor:
        """x [B, M, H], allowed [B, 1, 1, M] -> [B, M, H]."""
        heads = self.look(self.norm(x)).unflatten(-1, (3, self.n_heads, -1))  # [B, M, 3, h, d]
        query, key, value = heads.permute(2, 0, 3, 1, 4)  # [B, h, M, d] each
        # Not written out: scores of all for all would be most of the memory in large battles.
        seen = nn.functional.scaled_dot_product_attention(query, key, value, allowed)
        x = x + self.out(seen.transpose(1, 2).flatten(-2))  # [B, M, H]
        result: Tensor = x + self.more(self.norm_more(x))
        return result
