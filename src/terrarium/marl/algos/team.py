"""TD loss of Q_tot: VDN, QMIX and QPLEX, with DIFFER and experience sharing."""

from dataclasses import replace

import torch
from torch import Tensor

from terrarium.marl.algos.value import Loss, QValues, ValueLearner, error_of_rows, mean_square
from terrarium.marl.batch import masked_mean
from terrarium.marl.buffers.replay_buffer import ReplayBatch
from terrarium.marl.differ import (
    DifferConfig,
    importance_of,
    mixing_gradients,
    select,
    split,
)
from terrarium.marl.sharing.exchange import Exchange
from terrarium.marl.sharing.loss import shared_loss


def team_loss(
    learner: ValueLearner,
    rows: ReplayBatch,
    q_values: QValues,
    differ: DifferConfig,
    exchange: Exchange,
) -> Loss:
    """The error of the team's value, or of its agents one by one, and of what they are sent."""
    targets = team_targets(learner, rows, q_values)  # [R, L]
    differs, mixer, metrics = differ.select != "none", learner.online.mixer, dict[str, Tensor]()
    if not differs and not exchange.is_on:
        state = rows.obs.state[:, :-1]
        total = mixer(q_values.taken, q_values.best, rows.actions, state)  # [R, L]
        errors = total - targets
        return team_of(rows, total, errors, mean_square(errors, rows), metrics)
    # With DIFFER agents learn one by one, so of the team's error only the mixer does.
    taken = q_values.taken.detach() if differs else q_values.taken
    total, slopes = mixing_gradients(rows, taken, q_values.best, mixer)
    errors = total - targets
    each = split(
        rows,
        q_values.taken,
        q_values.next_taken,
        slopes * errors.detach().unsqueeze(-1),
        learner.cfg.gamma,
    )
    loss = mean_square(errors, rows)
    if differs:
        weights = select(each.errors, each.there, differ, learner.progress, learner.generator)
        loss = loss + individual_loss(rows, q_values.taken, each.errors, weights)
        importance = importance_of(each.errors, each.there, weights, differ, learner.progress)
        each = replace(each, importance=importance)
        metrics["selected"] = masked_mean((weights > 0.0).float(), each.there)
    loss, more = shared_loss(learner, rows, q_values.features, each, loss)
    return team_of(rows, total, errors, loss, metrics | more)


def team_of(
    rows: ReplayBatch, total: Tensor, errors: Tensor, loss: Tensor, metrics: dict[str, Tensor]
) -> Loss:
    """A loss, and what is written down about a team's values and errors [R, L]."""
    about = {
        "td_error": masked_mean(errors.detach().abs(), rows.filled),
        "q_taken": masked_mean(total.detach(), rows.filled),
    }
    return Loss(loss, error_of_rows(errors, rows), about | metrics)


@torch.no_grad()
def team_targets(learner: ValueLearner, rows: ReplayBatch, q_values: QValues) -> Tensor:
    """What the team's values [R, L] should have been."""
    next_total = learner.target.mixer(
        q_values.next_taken, q_values.next_best, q_values.next_actions, rows.obs.state[:, 1:]
    )
    return learner.targets(rows, next_total)


def individual_loss(rows: ReplayBatch, taken: Tensor, errors: Tensor, weights: Tensor) -> Tensor:
    """Each agent's error [R, L, A] as a loss of its own, as much as it counts.

    Divided by steps, not by experiences: with all of them selected, its gradient is the team's.
    """
    targets = (taken - errors).detach()
    squares = (weights * (taken - targets).square()).sum(-1)  # [R, L]
    return (squares * rows.step_weights).sum() / rows.filled.sum().clamp(min=1)
