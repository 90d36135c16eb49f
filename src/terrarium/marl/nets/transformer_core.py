"""A core that remembers by looking back: causal attention over the last steps of the episode."""

import math
from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from terrarium.config import check_ranges
from terrarium.marl.net_config import NetConfig, PartConfig, check_heads
from terrarium.marl.nets.building_blocks import linear


@dataclass(frozen=True)
class TransformerCoreConfig(PartConfig):
    """Sizes of the transformer core."""

    n_layers: int = 1
    """layers of attention"""
    n_heads: int = 4
    """attention heads"""
    window: int = 16
    """steps that it attends to"""

    def __post_init__(self) -> None:
        check_ranges("core", self, n_layers=(1, 16), n_heads=(1, 64), window=(1, 512))

    def check(self, net: NetConfig) -> None:
        check_heads("core", net, self.n_heads)


class TransformerCore(nn.Module):
    """Layers of attention over a window of steps, as if each had read the ones before.

    A carry holds, for each layer, what it was given in the last steps and whether there was
    anything: [B, A, layers * window * (hidden_dim + 1)].
    """

    Config: ClassVar[type[TransformerCoreConfig]] = TransformerCoreConfig

    def __init__(self, net: NetConfig, cfg: TransformerCoreConfig) -> None:
        super().__init__()
        self.hidden_dim, self.window = net.hidden_dim, cfg.window
        self.layers = nn.ModuleList(
            _Layer(net.hidden_dim, cfg.n_heads, cfg.window) for _ in range(cfg.n_layers)
        )

    @property
    def carry_size(self) -> int:
        return len(self.layers) * self.window * (self.hidden_dim + 1)

    def forward(self, x: Tensor, carry: Tensor, resets: Tensor) -> tuple[Tensor, Tensor]:
        """x [B, T, A, H], carry [B, A, C], resets [B, T] -> features [B, T, A, H], carry."""
        n_rows, _, n_agents, hidden_dim = x.shape
        memory = carry.view(n_rows, n_agents, len(self.layers), self.window, hidden_dim + 1)
        allowed = self._allowed(resets, memory[:, :, 0, :, -1] > 0.5)  # [B, A, T, W + T]
        flow, kept = x.transpose(1, 2), []  # [B, A, T, H]
        for i, layer in enumerate(self.layers):
            past = torch.cat((memory[:, :, i, :, :-1], flow), 2)  # [B, A, W + T, H]
            kept.append(past[:, :, -self.window :])
            flow = layer(flow, past, allowed)
        there = allowed[:, :, -1, -self.window :].to(x.dtype)  # [B, A, W] of this episode
        new = [torch.cat((part, there.unsqueeze(-1)), -1).flatten(2) for part in kept]
        return flow.transpose(1, 2), torch.cat(new, -1)

    def remember(self, carry: Tensor, features: Tensor) -> Tensor:
        """The carry of agents who have heard messages: later steps look at their features
        [B, A, H] after those."""
        memory = carry.view(*carry.shape[:2], len(self.layers), self.window, self.hidden_dim + 1)
        memory = memory.clone()
        memory[:, :, 0, -1, :-1] = features
        return memory.flatten(2)

    def _allowed(self, resets: Tensor, there: Tensor) -> Tensor:
        """Which of the remembered and the new steps each new step may look at."""
        n_steps = resets.shape[1]
        episode = resets.long().cumsum(1)  # [B, T]
        steps = torch.arange(n_steps, device=resets.device)
        ago = steps[:, None] - steps  # [T, T]
        recent = (ago >= 0) & (ago < self.window)
        new = (episode.unsqueeze(2) == episode.unsqueeze(1)) & recent  # [B, T, T]
        # Step t of this stretch is window + t after the oldest that is remembered.
        reach = steps[:, None] < torch.arange(self.window, device=resets.device)  # [T, W]
        old = there.unsqueeze(2) & reach & (episode == 0)[:, None, :, None]  # [B, A, T, W]
        return torch.cat((old, new.unsqueeze(1).expand(-1, there.shape[1], -1, -1)), -1)


class _Layer(nn.Module):
    """Attention to the past, then two linear layers, each beside a way around it."""

    def __init__(self, hidden_dim: int, n_heads: int, window: int) -> None:
        super().__init__()
        self.n_heads, self.window = n_heads, window
        self.norm, self.norm_more = nn.LayerNorm(hidden_dim), nn.LayerNorm(hidden_dim)
        self.query = linear(hidden_dim, hidden_dim, gain=1.0)
        self.keys = linear(hidden_dim, 2 * hidden_dim, gain=1.0)
        self.out = linear(hidden_dim, hidden_dim, gain=1.0)
        self.more = nn.Sequential(
            linear(hidden_dim, 2 * hidden_dim), nn.ReLU(), linear(2 * hidden_dim, hidden_dim, 1.0)
        )
        self.ago = nn.Parameter(torch.zeros(n_heads, window))  # how much each distance counts

    def forward(self, x: Tensor, past: Tensor, allowed: Tensor) -> Tensor:
        """x [B, A, T, H] of the new steps, past [B, A, W + T, H] -> [B, A, T, H]."""
        n_steps, n_past = x.shape[2], past.shape[2]
        query = self._heads(self.query(self.norm(x)))  # [B, A, h, T, d]
        key, value = (self._heads(y) for y in self.keys(self.norm(past)).chunk(2, -1))
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])  # [B, A, h, T, W + T]
        places = torch.arange(n_past, device=x.device)
        ago = places[n_past - n_steps :, None] - places  # [T, W + T]
        scores = scores + self.ago[:, ago.clamp(0, self.window - 1)]
        scores = scores.masked_fill(~allowed.unsqueeze(2), torch.finfo(x.dtype).min)
        seen = (scores.softmax(-1) @ value).transpose(2, 3).flatten(-2)  # [B, A, T, H]
        x = x + self.out(seen)
        result: Tensor = x + self.more(self.norm_more(x))
        return result

    def _heads(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:-1], self.n_heads, -1).transpose(2, 3)
