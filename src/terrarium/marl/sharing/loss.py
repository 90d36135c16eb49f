"""What receivers learn from experience that was sent to them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch
from torch import Tensor

from terrarium.marl.batch import masked_mean, pick
from terrarium.marl.buffers.replay_buffer import ReplayBatch
from terrarium.marl.differ import IndividualExperience
from terrarium.marl.nets.actor import Actor, SeparateActors
from terrarium.marl.sharing.exchange import Lesson
from terrarium.marl.sharing.pair_rules import Offer

if TYPE_CHECKING:  # which imports this package
    from terrarium.marl.algos.value import ValueLearner


@dataclass(frozen=True)
class SharedExperience:
    """Individual experience, as a receiver needs it."""

    rewards: Tensor  # [R, L, A] of the agent that sent it
    ends: Tensor  # [R, L, A] it did not live on after this step


def shared_loss(
    learner: "ValueLearner",
    rows: ReplayBatch,
    features: Tensor,
    each: IndividualExperience,
    own: Tensor,
) -> tuple[Tensor, dict[str, Tensor]]:
    """The agents' own loss [], and beside it what receivers learn from what was sent to them.

    `features` [R, L + 1, A, H] are those of the agents.
    """
    exchange = learner.exchange
    if not exchange.is_on:
        return own, {}
    offer = Offer(features[:, :-1], each.errors, each.rewards, each.there, rows.owner)
    goes_to = exchange.send(rows.obs[:, :-1], offer, learner.generator)  # [R, L, A, A]
    sent = masked_mean((goes_to > 0.0).any(-1).float(), each.there)
    metrics = {"sent": sent, "received_fraction": torch.zeros(())}
    # Asking every network about everything would be for nothing, if nothing was sent.
    if not goes_to.any() and not exchange.learns:
        return own, metrics
    agents, cfg = (learner.online.agents, learner.target.agents), learner.cfg
    lesson = SharedExperience(each.rewards, each.ends)
    errors, targets = received_errors(rows, lesson, agents, cfg.gamma, cfg.double_q)
    if exchange.learns:
        exchange.remember(Lesson(rows, offer, errors.detach(), targets))
    received = weighted_squares(rows, weights_of(goes_to, each.importance), errors)
    received = exchange.cfg.coef * received
    total = own + received
    metrics["received_fraction"] = (received / total.clamp(min=1e-12)).detach()
    return total, metrics


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
    online, target = agents
    each = online.logits_as_each(rows.obs, rows.carry, rows.resets)  # [J, R, L + 1, A, N]
    with torch.no_grad():
        each_later = target.logits_as_each(rows.obs, rows.carry, rows.resets)
        greedy = (each if double else each_later)[:, :, 1:].argmax(-1)  # [J, R, L, A]
        later = pick(each_later[:, :, 1:], greedy).masked_fill(lesson.ends, 0.0)
        targets = lesson.rewards + gamma * later  # [J, R, L, A]
    actions = rows.actions.expand(len(each), *rows.actions.shape)
    return pick(each[:, :, :-1], actions) - targets, targets


def weighted_squares(rows: ReplayBatch, weights: Tensor, errors: Tensor) -> Tensor:
    """[] squares of errors [J, R, L, A] as much as they count, [R, L, A, A], a step."""
    # One network for all answers for every receiver alike.
    who = weights.movedim(-1, 0) if len(errors) > 1 else weights.sum(-1).unsqueeze(0)
    # What was not sent is 0 before it is squared: in padding values are the lowest number.
    squares = (errors.masked_fill(who == 0, 0.0).square() * who).sum((0, -1))  # [R, L]
    return (squares * rows.step_weights).sum() / rows.filled.sum().clamp(min=1)
