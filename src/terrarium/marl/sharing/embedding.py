"""Sharing by embeddings: receivers attend to what a transformer makes of a batch."""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from terrarium.marl.sharing.learned_rule import LearnedRule, LearnedRuleConfig
from terrarium.marl.sharing.sharing_rule import N_TOLD, Offer, in_deviations

MAX_WEIGHT = 10.0
"""An experience counts at most so many times as much as others"""
ENTROPY_COEF = 0.01
"""Bonus for attention that is spread"""


@dataclass(frozen=True)
class EmbeddingConfig(LearnedRuleConfig):
    """Sharing by embeddings of a batch."""

    rule: str = "embedding"


class BatchEncoder(nn.Module):
    """A transformer over the steps of each agent in a sequence; queries of receivers, and keys."""

    def __init__(self, n_features: int, embed_dim: int, n_heads: int = 2) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.read = nn.Linear(n_features + N_TOLD, embed_dim)
        self.layer = nn.TransformerEncoderLayer(
            embed_dim, n_heads, 2 * embed_dim, dropout=0.0, batch_first=True, norm_first=True
        )
        self.query = nn.Linear(embed_dim, embed_dim)
        self.key = nn.Linear(embed_dim, embed_dim)

    def embed(self, offer: Offer) -> Tensor:
        """[R, L, A, E] each experience in the light of the others of its agent in its sequence."""
        n_rows, n_steps, n_agents = offer.there.shape
        tokens = self.read(offer.inputs).transpose(1, 2).flatten(0, 1)  # [R A, L, E]
        same = offer.owner.unsqueeze(-1) == offer.owner.unsqueeze(-2)  # [R, L, L]
        known = offer.there.movedim(-1, 1).unsqueeze(-2)  # [R, A, 1, L]
        itself = torch.eye(n_steps, dtype=torch.bool, device=same.device)
        allowed = (same.unsqueeze(1) & known) | itself  # [R, A, L, L]
        mask = ~allowed.flatten(0, 1).repeat_interleave(self.n_heads, 0)  # [R A h, L, L]
        embedded: Tensor = self.layer(tokens, src_mask=mask)
        return embedded.view(n_rows, n_agents, n_steps, -1).transpose(1, 2)

    def attention(self, offer: Offer) -> Tensor:
        """[R, L, A, A] of each receiver, last, over all experience of the others in the batch; in
        all 1. What a receiver asks comes from all that it has experienced itself."""
        embedded, there = self.embed(offer), offer.there.unsqueeze(-1).float()
        mean = (embedded * there).sum((0, 1)) / there.sum((0, 1)).clamp(min=1.0)  # [A, E]
        queries = self.query(mean) / math.sqrt(mean.shape[-1])
        scores = self.key(embedded) @ queries.T  # [R, L, A, A]
        scores = scores.masked_fill(~offer.pairs, torch.finfo(scores.dtype).min)
        weights: Tensor = scores.flatten(0, 2).softmax(0).view(scores.shape)
        return weights * offer.pairs  # of nobody there is nothing


class Embedding(LearnedRule):
    """Sends what receivers attend to most; it counts by their attention."""

    Config: ClassVar[type[Any]] = EmbeddingConfig

    def __init__(self, cfg: EmbeddingConfig, n_agents: int, n_features: int) -> None:
        self.net = BatchEncoder(n_features, cfg.rule_dim)
        super().__init__(self.net, cfg)

    @torch.no_grad()
    def weigh(self, offer: Offer, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        self.net.to(offer.errors.device)
        attention = self.net.attention(offer)  # [R, L, A, A]
        n_pairs = offer.pairs.sum((0, 1, 2))  # [A]
        weights = (attention * n_pairs).clamp(max=MAX_WEIGHT)  # 1 if attention were even
        return attention.max(-1).values, weights.to(offer.errors.dtype)

    def learn(self, offer: Offer, help_: Tensor) -> None:
        """More attention to what has helped: the help that is expected under it rises."""
        attention = self.net.attention(offer)
        helped = (attention * in_deviations(help_, offer.pairs)).sum((0, 1, 2))  # [A]
        # Bounded before the logarithm, whose slope is endless at 0.
        spread = -(attention * attention.clamp(min=1e-12).log()).sum((0, 1, 2))  # [A]
        loss = -(helped + ENTROPY_COEF * spread).mean()
        self.descend(loss)
