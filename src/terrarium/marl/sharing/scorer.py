"""Sharing by a learned scorer: a small network predicts how much an experience helps a receiver."""

from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from terrarium.marl.sharing.learned_rule import LearnedRule, LearnedRuleConfig
from terrarium.marl.sharing.sharing_rule import N_TOLD, Offer, in_deviations


@dataclass(frozen=True)
class ScorerConfig(LearnedRuleConfig):
    """Sharing by a learned scorer."""

    rule: str = "scorer"


class ScorerNet(nn.Module):
    """Two layers over what the sender has experienced and what the receiver is like.

    The first is a sum of two parts, each computed once for an agent and not for every pair.
    """

    def __init__(self, n_features: int, hidden_dim: int) -> None:
        super().__init__()
        self.sender = nn.Linear(n_features + N_TOLD, hidden_dim)
        self.receiver = nn.Linear(n_features, hidden_dim, bias=False)
        self.out = nn.Linear(hidden_dim, 1)

    def forward(self, inputs: Tensor) -> Tensor:
        """inputs [R, L, A, H + 2] -> predicted help [R, L, A, A]."""
        sent = self.sender(inputs).unsqueeze(-2)  # [R, L, A, 1, D]
        by = self.receiver(inputs[..., :-N_TOLD]).unsqueeze(-3)  # [R, L, 1, A, D]
        helps: Tensor = self.out((sent + by).relu()).squeeze(-1)
        return helps


class LearnedScorer(LearnedRule):
    """Sends what is predicted to help somebody most, to those whom it is predicted to help."""

    Config: ClassVar[type[Any]] = ScorerConfig

    def __init__(self, cfg: ScorerConfig, n_agents: int, n_features: int) -> None:
        self.net = ScorerNet(n_features, cfg.rule_dim)
        super().__init__(self.net, cfg)

    @torch.no_grad()
    def weigh(self, offer: Offer, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        self.net.to(offer.errors.device)
        helps = self.net(offer.inputs).masked_fill(~offer.pairs, -torch.inf)  # [R, L, A, A]
        return helps.max(-1).values, (helps > 0.0).to(offer.errors.dtype)

    def learn(self, offer: Offer, help_: Tensor) -> None:
        pairs = offer.pairs
        errors = nn.functional.huber_loss(
            self.net(offer.inputs), in_deviations(help_, pairs), reduction="none"
        )
        loss = (errors * pairs).sum() / pairs.sum().clamp(min=1)
        self.descend(loss)
