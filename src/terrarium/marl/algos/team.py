"""The loss of teams whose values a mixer joins: VDN, QMIX and QPLEX, with DIFFER and sharing."""

import torch
from torch import Tensor

from terrarium.marl.algos.value import Loss, Reading, ValueLearner, error_of_rows, mean_square
from terrarium.marl.batch import masked_mean
from terrarium.marl.buffers.replay import ReplayRows
from terrarium.marl.differ import DifferConfig, Experiences, select, slopes_of, split
from terrarium.marl.sharing.exchange import Exchange
from terrarium.marl.sharing.loss import Lesson, received_loss


def team_loss(
    learner: ValueLearner,
    rows: ReplayRows,
    reading: Reading,
    differ: DifferConfig,
    exchange: Exchange,
) -> Loss:
    """The error of the team's value, or of its agents one by one, and of what they are sent."""
    goals = team_goals(learner, rows, reading)  # [R, L]
    differs, mixer, metrics = differ.select != "none", learner.online.mixer, dict[str, Tensor]()
    if not differs and not exchange.is_on:
        state = rows.look.state[:, :-1]
        total = mixer(reading.taken, reading.best, rows.actions, state)  # [R, L]
        errors = total - goals
        return team_of(rows, total, errors, mean_square(errors, rows), metrics)
    # With DIFFER agents learn one by one, so of the team's error only the mixer does.
    taken = reading.taken.detach() if differs else reading.taken
    total, slopes = slopes_of(rows, taken, reading.best, mixer)
    errors = total - goals
    each = split(
        rows,
        reading.taken,
        reading.next_taken,
        slopes * errors.detach().unsqueeze(-1),
        learner.cfg.gamma,
    )
    loss = mean_square(errors, rows)
    if differs:
        weights = select(each.errors, each.there, differ, learner.progress, learner.generator)
        loss = loss + individual_loss(rows, reading.taken, each.errors, weights)
        metrics["selected"] = masked_mean((weights > 0.0).float(), each.there)
    received, more = shared_loss(learner, rows, reading, each, exchange)
    return team_of(rows, total, errors, loss + received, metrics | more)


def team_of(
    rows: ReplayRows, total: Tensor, errors: Tensor, loss: Tensor, metrics: dict[str, Tensor]
) -> Loss:
    """A loss, and what is written down about a team's values and errors [R, L]."""
    about = {
        "td_error": masked_mean(errors.detach().abs(), rows.filled),
        "q_taken": masked_mean(total.detach(), rows.filled),
    }
    return Loss(loss, error_of_rows(errors, rows), about | metrics)


@torch.no_grad()
def team_goals(learner: ValueLearner, rows: ReplayRows, reading: Reading) -> Tensor:
    """What the team's values [R, L] should have been."""
    next_total = learner.target.mixer(
        reading.next_taken, reading.next_best, reading.next_actions, rows.look.state[:, 1:]
    )
    return learner.goals(rows, next_total)


def individual_loss(rows: ReplayRows, taken: Tensor, errors: Tensor, weights: Tensor) -> Tensor:
    """Each agent's error [R, L, A] as a loss of its own, as much as it counts.

    Divided by steps, not by experiences: with all of them selected, its gradient is the team's.
    """
    goals = (taken - errors).detach()
    squares = (weights * (taken - goals).square()).sum(-1)  # [R, L]
    return (squares * rows.step_weights).sum() / rows.filled.sum().clamp(min=1)


def shared_loss(
    learner: ValueLearner, rows: ReplayRows, reading: Reading, each: Experiences, exchange: Exchange
) -> tuple[Tensor, dict[str, Tensor]]:
    """What receivers learn from what was sent to them."""
    if not exchange.is_on:
        return each.errors.new_zeros(()), {}
    look = rows.look[:, :-1]
    goes_to = exchange.send(
        look, reading.features[:, :-1], each.errors, each.there, learner.generator
    )  # [R, L, A, A]
    sent = masked_mean(goes_to.any(-1).float(), each.there)
    if not goes_to.any():  # asking every network about everything would be for nothing
        return each.errors.new_zeros(()), {"sent": sent}
    agents, cfg = (learner.online.agents, learner.target.agents), learner.cfg
    lesson = Lesson(each.rewards, each.ends)
    loss = received_loss(rows, goes_to, lesson, agents, cfg.gamma, cfg.double_q)
    return exchange.cfg.coef * loss, {"sent": sent}
