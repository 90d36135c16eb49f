"""Sharing rules with a network that learns how much experience helps whom."""

from dataclasses import dataclass
from typing import Any, ClassVar

from torch import Tensor, nn

from terrarium.config import check_ranges
from terrarium.marl.optimizers import Adam
from terrarium.marl.sharing.config import ShareConfig
from terrarium.marl.sharing.sharing_rule import SharingRule


@dataclass(frozen=True)
class LearnedRuleConfig(ShareConfig):
    """Sharing by a network of the rule."""

    rule_dim: int = 32
    """hidden units of the rule's network"""
    rule_lr: float = 0.001
    """learning rate of the rule's network"""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_ranges("share", self, rule_dim=(2, 4096), rule_lr=(1e-12, 1.0))


class LearnedRule(SharingRule):
    """A rule whose network is learned beside those of the agents."""

    learns: ClassVar[bool] = True

    def __init__(self, net: nn.Module, cfg: LearnedRuleConfig) -> None:
        self._net, self._optimizer = net, Adam(net.parameters(), cfg.rule_lr)

    def descend(self, loss: Tensor) -> None:
        """One gradient step."""
        self._optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch does not say
        self._optimizer.step()

    def state_dict(self) -> dict[str, Any]:
        return {"net": self._net.state_dict(), "optimizer": self._optimizer.state_dict()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._net.load_state_dict(state["net"])
        self._optimizer.load_state_dict(state["optimizer"])
