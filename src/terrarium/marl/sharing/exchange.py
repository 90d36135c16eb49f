"""Sharing as a whole: when it happens, and what receivers learn from it."""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from terrarium.marl.batch import Obs, pick
from terrarium.marl.buffers.replay_batch import ReplayBatch
from terrarium.marl.nets.actor import Actor, SeparateActors
from terrarium.marl.sharing.agent_buffers import AgentBuffers
from terrarium.marl.sharing.config import ShareConfig
from terrarium.marl.sharing.receivers import Receivers
from terrarium.marl.sharing.senders import Sender
from terrarium.marl.sharing.sharing_rule import Offer, help_of


@dataclass(frozen=True)
class Lesson:
    """What receivers thought of a batch."""

    rows: ReplayBatch
    offer: Offer
    errors: Tensor  # [J, R, L, A] of each network, about the experience of each agent
    targets: Tensor  # [J, R, L, A]


class Exchange:
    """Decides in each gradient step what is sent to whom."""

    def __init__(self, cfg: ShareConfig, n_agents: int, n_features: int) -> None:
        self.cfg = cfg
        self.sender, self.receivers = Sender(cfg, n_agents, n_features), Receivers(cfg)
        self.buffers = AgentBuffers(n_agents, cfg.buffer_size) if cfg.storage == "buffer" else None
        self._n_steps, self._entropy = 0, math.inf
        self._lesson: Lesson | None = None

    @property
    def is_on(self) -> bool:
        return self.cfg.rule != "none"

    def send(self, obs: Obs, offer: Offer, generator: torch.Generator) -> Tensor:
        """[R, L, A, A] how much the experience of the first agent counts for the second one; 0 if
        it is not sent."""
        weights = self.sender.mark(offer, generator)  # [R, L, A, A or 1]
        received = weights * self.receivers.of(obs, offer.features, offer.there)  # [R, L, A, A]
        due = self._is_due(offer.errors, offer.there)
        return received if due else torch.zeros_like(received)

    @property
    def learns(self) -> bool:
        """Whether its rule wants to know how much experience has helped."""
        return self.sender.rule.learns

    def remember(self, lesson: "Lesson") -> None:
        """What receivers thought of a batch before a gradient step."""
        self._lesson = lesson

    def learn(self, agents: Actor | SeparateActors) -> None:
        """Let the rule learn after a gradient step how much experience has helped receivers."""
        if self._lesson is None:
            return
        lesson, self._lesson = self._lesson, None
        rows, actions = lesson.rows, lesson.rows.actions
        with torch.no_grad():
            each = agents.logits_as_each(rows.obs, rows.carry, rows.resets)[:, :, :-1]
            after = pick(each, actions.expand(len(each), *actions.shape)) - lesson.targets
        self.sender.rule.learn(lesson.offer, help_of(lesson.errors, after))

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
            "buffers": self.buffers.state_dict() if self.buffers is not None else {},
            "n_steps": self._n_steps,
            "entropy": self._entropy,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.sender.load_state_dict(state["sender"])
        self.receivers.load_state_dict(state["receivers"])
        if self.buffers is not None:
            self.buffers.load_state_dict(state["buffers"])
        self._n_steps, self._entropy = int(state["n_steps"]), float(state["entropy"])


def entropy_of(errors: Tensor) -> float:
    """Of errors [N] as shares of their sum: 1 if all are alike, 0 if one is everything."""
    sizes = errors.detach().abs().double()
    total, n = sizes.sum(), len(sizes)
    if n < 2 or total == 0.0:
        return 1.0
    shares = sizes / total
    return float(torch.special.entr(shares).sum()) / math.log(n)
