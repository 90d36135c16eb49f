"""What receivers learn from experience that was sent to them."""

from dataclasses import dataclass

import torch
from torch import Tensor

from terrarium.marl.batch import pick
from terrarium.marl.buffers.replay_batch import ReplayBatch
from terrarium.marl.nets.actor import Actor, SeparateActors


@dataclass(frozen=True)
class SharedExperience:
    """Individual experience, as a receiver needs it."""

    rewards: Tensor  # [R, L, A] of the agent that sent it
    ends: Tensor  # [R, L, A] it did not live on after this step


def received_loss(
    rows: ReplayBatch,
    goes_to: Tensor,
    lesson: SharedExperience,
    agents: tuple[Actor | SeparateActors, Actor | SeparateActors],
    gamma: float,
    double: bool,
) -> Tensor:
    """Squared errors of the receivers' own networks about what they were sent.

    `goes_to` [R, L, A, A] is sender, then receiver; `agents` are the learning and the target ones.
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
    who = goes_to.movedim(-1, 0) if len(each) > 1 else goes_to.sum(-1).unsqueeze(0)
    # What was not sent is 0 before it is squared: in padding values are the lowest number.
    squares = (errors.masked_fill(who == 0, 0.0).square() * who).sum((0, -1))  # [R, L]
    return (squares * rows.step_weights).sum() / rows.filled.sum().clamp(min=1)
