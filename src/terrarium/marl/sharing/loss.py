"""What receivers learn from experience that was sent to them."""

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from terrarium.marl.batch import masked_mean, pick
from terrarium.marl.buffers.replay_batch import ReplayBatch
from terrarium.marl.buffers.replay_buffer import ReplayBuffer
from terrarium.marl.differ import IndividualExperience
from terrarium.marl.nets.actor import Actor, SeparateActors
from terrarium.marl.sharing.agent_buffers import AgentBuffers, Received
from terrarium.marl.sharing.exchange import Exchange, Lesson
from terrarium.marl.sharing.sharing_rule import Offer


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
        replay: ReplayBuffer | None,
    ) -> None:
        """`agents` are the online and the target networks; rows were drawn from `replay`."""
        self._exchange, self._agents, self._replay = exchange, agents, replay
        self._gamma, self._double_q, self._generator = gamma, double_q, generator

    def __call__(
        self, batch: ReplayBatch, q: HasFeatures, each: IndividualExperience, own: Tensor
    ) -> tuple[Tensor, dict[str, Tensor], IndividualExperience]:
        exchange = self._exchange
        offer = Offer(q.features[:, :-1], each.errors, each.rewards, each.there, batch.owner)
        goes_to = exchange.send(batch.obs[:, :-1], offer, self._generator)  # [R, L, A, A]
        weights = weights_of(goes_to, each.importance)
        received = self._received(batch, offer, weights, each)
        if exchange.buffers is not None:
            received = self._from_buffers(exchange.buffers, batch, weights, each)
        received = exchange.cfg.coef * received
        fraction = (received / (own + received).clamp(min=1e-12)).detach()
        sent = masked_mean((goes_to > 0.0).any(-1).float(), each.there)
        return received, {"sent": sent, "received_fraction": fraction}, each

    def _received(
        self, batch: ReplayBatch, offer: Offer, weights: Tensor, each: IndividualExperience
    ) -> Tensor:
        """The loss of what is sent now; the rule is shown what receivers think of it."""
        exchange = self._exchange
        # Asking every network about everything would be for nothing, if nothing was sent.
        if not exchange.learns and (exchange.buffers is not None or not weights.any()):
            return weights.new_zeros(())
        lesson = SharedExperience(each.rewards, each.ends)
        errors, targets = received_errors(batch, lesson, self._agents, self._gamma, self._double_q)
        if exchange.learns:
            exchange.remember(Lesson(batch, offer, errors.detach(), targets))
        return weighted_squares(batch, weights, errors)

    def _from_buffers(
        self,
        buffers: AgentBuffers,
        batch: ReplayBatch,
        weights: Tensor,
        each: IndividualExperience,
    ) -> Tensor:
        """Insert what is sent into the buffers of receivers; the loss of what they draw there."""
        assert self._replay is not None, "rows were drawn from it"
        buffers.attach(self._replay, each.errors.shape[-1])
        buffers.insert(batch, weights, each.rewards, each.ends)
        drawn = buffers.draw(self._exchange.cfg.batch_size, self._generator)
        return buffered_loss(self._replay, drawn, self._agents, self._gamma, self._double_q)


def buffered_loss(
    replay: ReplayBuffer,
    drawn: Received,
    agents: tuple[Actor | SeparateActors, Actor | SeparateActors],
    gamma: float,
    double: bool,
) -> Tensor:
    """Squared errors of receivers about what they have drawn from their buffers.

    In each of them received experience counts beside own by how much there is of both, as if
    both were drawn from one buffer.
    """
    device = next(agents[0].parameters()).device
    # The rows, and which of them each experience is in.
    ids, at = torch.unique(drawn.row, return_inverse=True)
    if not len(ids):
        return torch.zeros((), device=device)
    rows = replay.rows(ids, torch.ones(len(ids))).to(device)
    online, later, best = values_as_each(rows, agents, double)  # [J, R, L, A]
    who = drawn.receiver if len(online) > 1 else torch.zeros_like(drawn.receiver)
    where = tuple(x.to(device) for x in (who, at, drawn.step, drawn.sender))
    after = pick(later[where], best[where]).masked_fill(drawn.ends.to(device), 0.0)  # [N]
    errors = online[where] - (drawn.reward.to(device) + gamma * after)
    counts = (drawn.weight * drawn.share).to(device)
    return (errors.square() * counts).sum()


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
    """
    errors, _ = received_errors(rows, lesson, agents, gamma, double)
    return weighted_squares(rows, weights, errors)


def received_errors(
    rows: ReplayBatch,
    lesson: SharedExperience,
    agents: tuple[Actor | SeparateActors, Actor | SeparateActors],
    gamma: float,
    double: bool,
) -> tuple[Tensor, Tensor]:
    """TD errors [J, R, L, A] of each network about the experience of each agent, and its targets.

    Errors are computed anew: what surprised the sender need not surprise the receiver.
    """
    online, later, best = values_as_each(rows, agents, double)
    after = pick(later, best).masked_fill(lesson.ends, 0.0)  # [J, R, L, A]
    targets = lesson.rewards + gamma * after  # [J, R, L, A]
    return online - targets, targets


def values_as_each(
    rows: ReplayBatch, agents: tuple[Actor | SeparateActors, Actor | SeparateActors], double: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Of each network in the situation of each agent: the value [J, R, L, A] of what was done,
    the target network's values [J, R, L, A, N] of the next step, and the action taken there."""
    online, target = agents
    each = online.logits_as_each(rows.obs, rows.carry, rows.resets)  # [J, R, L + 1, A, N]
    with torch.no_grad():
        each_later = target.logits_as_each(rows.obs, rows.carry, rows.resets)
        greedy = (each if double else each_later)[:, :, 1:].argmax(-1)  # [J, R, L, A]
    actions = rows.actions.expand(len(each), *rows.actions.shape)
    return pick(each[:, :, :-1], actions), each_later[:, :, 1:], greedy


def weighted_squares(rows: ReplayBatch, weights: Tensor, errors: Tensor) -> Tensor:
    """[] squares of errors [J, R, L, A] as much as they count, [R, L, A, A], a step."""
    # One network for all answers for every receiver alike.
    who = weights.movedim(-1, 0) if len(errors) > 1 else weights.sum(-1).unsqueeze(0)
    # What was not sent is 0 before it is squared: in padding values are the lowest number.
    squares = (errors.masked_fill(who == 0, 0.0).square() * who).sum((0, -1))  # [R, L]
    return (squares * rows.step_weights).sum() / rows.filled.sum().clamp(min=1)
