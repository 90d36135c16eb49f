"""What receivers learn from experience that was sent to them."""

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from terrarium.marl.batch import masked_mean, pick
from terrarium.marl.buffers.replay_batch import ReplayBatch
from terrarium.marl.differ import IndividualExperience
from terrarium.marl.nets.actor import Actor, SeparateActors
from terrarium.marl.sharing.exchange import Exchange


@dataclass(frozen=True)
class SharedExperience:
    """Individual experience, as a receiver needs it."""

    rewards: Tensor  # [R, L, A] of the agent that sent it
    ends: Tensor  # [R, L, A] it did not live on after this step


class HasFeatures(Protocol):
    """Q-values, as far as sharing has to know them."""

    @property
    def features(self) -> Tensor:
        """[R, L + 1, A, H] of the online network"""


class Sharing:
    """The loss of what receivers learn from what was sent to them."""

    trains_alone = False

    def __init__(
        self,
        exchange: Exchange,
        agents: tuple[Actor | SeparateActors, Actor | SeparateActors],
        gamma: float,
        double_q: bool,
        generator: torch.Generator,
    ) -> None:
        """`agents` are the online and the target networks."""
        self._exchange, self._agents = exchange, agents
        self._gamma, self._double_q, self._generator = gamma, double_q, generator

    def __call__(
        self, batch: ReplayBatch, q: HasFeatures, each: IndividualExperience, own: Tensor
    ) -> tuple[Tensor, dict[str, Tensor], IndividualExperience]:
        obs, features = batch.obs[:, :-1], q.features[:, :-1]
        goes_to = self._exchange.send(
            obs, features, each.errors, each.there, self._generator
        )  # [R, L, A, A]
        sent = masked_mean(goes_to.any(-1).float(), each.there)
        if not goes_to.any():  # asking every network about everything would be for nothing
            none = own.new_zeros(())
            return none, {"sent": sent, "received_fraction": none}, each
        received = self._exchange.cfg.coef * received_loss(
            batch,
            weights_of(goes_to, each.importance),
            SharedExperience(each.rewards, each.ends),
            self._agents,
            self._gamma,
            self._double_q,
        )
        fraction = (received / (own + received).clamp(min=1e-12)).detach()
        return received, {"sent": sent, "received_fraction": fraction}, each


def weights_of(goes_to: Tensor, importance: Tensor) -> Tensor:
    """[R, L, A, A] how much what was sent counts for each receiver.

    As much as for its sender, shared among the receivers: however many agents there are, received
    experience is learned from once more, not once more by each of them.
    """
    n_receivers = (goes_to > 0).sum(-1, keepdim=True).clamp(min=1)
    return goes_to * importance.unsqueeze(-1) / n_receivers


def received_loss(
    rows: ReplayBatch,
    weights: Tensor,
    lesson: SharedExperience,
    agents: tuple[Actor | SeparateActors, Actor | SeparateActors],
    gamma: float,
    double: bool,
) -> Tensor:
    """Squared errors of the receivers' own networks about what they were sent.

    `weights` [R, L, A, A] are 0 for what was not sent, by sender, then receiver; `agents` are the
    learning and the target ones.
    Errors are computed anew: what surprised the sender need not surprise the receiver.
    """
    online, target = agents
    each = online.logits_as_each(rows.obs, rows.carry, rows.resets)  # [J, R, L + 1, A, N]
    with torch.no_grad():
        each_later = target.logits_as_each(rows.obs, rows.carry, rows.resets)
        greedy = (each if double else each_later)[:, :, 1:].argmax(-1)  # [J, R, L, A]
        later = pick(each_later[:, :, 1:], greedy).masked_fill(lesson.ends, 0.0)
        targets = lesson.rewards + gamma * later  # [J, R, L, A]
    actions = rows.actions.expand(len(each), *rows.actions.shape)
    errors = pick(each[:, :, :-1], actions) - targets  # [J, R, L, A]
    # One network for all answers for every receiver alike.
    who = weights.movedim(-1, 0) if len(each) > 1 else weights.sum(-1).unsqueeze(0)
    # What was not sent is 0 before it is squared: in padding values are the lowest number.
    squares = (errors.masked_fill(who == 0, 0.0).square() * who).sum((0, -1))  # [R, L]
    return (squares * rows.step_weights).sum() / rows.filled.sum().clamp(min=1)
