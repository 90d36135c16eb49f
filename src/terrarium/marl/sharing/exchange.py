"""Sharing as a whole: when it happens, and what receivers learn from it."""

import math
from typing import Any

import torch
from torch import Tensor

from terrarium.marl.batch import Obs
from terrarium.marl.sharing.config import ShareConfig
from terrarium.marl.sharing.receivers import Receivers
from terrarium.marl.sharing.senders import Sender


class Exchange:
    """Decides in each gradient step what is sent to whom."""

    def __init__(self, cfg: ShareConfig, n_agents: int) -> None:
        self.cfg = cfg
        self.sender, self.receivers = Sender(cfg, n_agents), Receivers(cfg)
        self._n_steps, self._entropy = 0, math.inf

    @property
    def is_on(self) -> bool:
        return self.cfg.rule != "none"

    def send(
        self,
        obs: Obs,
        features: Tensor,
        errors: Tensor,
        there: Tensor,
        generator: torch.Generator,
    ) -> Tensor:
        """[R, L, A, A] bool: this experience of the first agent goes to the second one."""
        sent = self.sender.mark(errors, there, generator)  # [R, L, A]
        goes_to = self.receivers.of(obs, features, there) & sent.unsqueeze(-1)
        return goes_to if self._is_due(errors, there) else torch.zeros_like(goes_to)

    def _is_due(self, errors: Tensor, there: Tensor) -> bool:
        """Every so many steps, or when what is learned from has changed since the last time."""
        self._n_steps += 1
        if self.cfg.trigger == "fixed":
            return (self._n_steps - 1) % self.cfg.interval == 0
        entropy = entropy_of(errors[there])
        if abs(entropy - self._entropy) <= self.cfg.entropy_change:
            return False
        self._entropy = entropy
        return True

    def state_dict(self) -> dict[str, Any]:
        return {
            "sender": self.sender.state_dict(),
            "receivers": self.receivers.state_dict(),
            "n_steps": self._n_steps,
            "entropy": self._entropy,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.sender.load_state_dict(state["sender"])
        self.receivers.load_state_dict(state["receivers"])
        self._n_steps, self._entropy = int(state["n_steps"]), float(state["entropy"])


def entropy_of(errors: Tensor) -> float:
    """Of errors [N] as shares of their sum: 1 if all are alike, 0 if one is everything."""
    sizes = errors.detach().abs().double()
    total, n = sizes.sum(), len(sizes)
    if n < 2 or total == 0.0:
        return 1.0
    shares = sizes / total
    return float(torch.special.entr(shares).sum()) / math.log(n)
