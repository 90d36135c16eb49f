"""DIFFER (Hu et al. 2023): individual experience replay on top of a mixer.

The team's TD error times dQ_tot/dQ_i is the TD error of agent i: its gradient is the team's. So
each step of each agent is an experience of its own, which is selected by its own priority.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

import torch
from torch import Tensor

from terrarium.errors import TerrariumError, nearest
from terrarium.marl.batch import masked_mean
from terrarium.marl.buffers.replay_batch import ReplayBatch
from terrarium.schedules import Schedule, check_schedule

SELECTIONS = ("none", "all", "greedy", "greedy_weight", "PER_weight", "PER_hard")
MAX_GRADIENT = 10.0
_SMALLEST = 0.01  # added to errors before they become chances, as in the authors' program


@dataclass(frozen=True)
class DifferConfig:
    """Selection and weights of individual experience."""

    select: str = "none"
    """selection of individual experience: none (no DIFFER), all, greedy, greedy_weight,
    PER_weight, PER_hard"""
    selected_ratio: Schedule = Schedule("0.8 -> 1 at 60%")
    """fraction of the individual experience that is selected"""
    per_alpha: Schedule = Schedule("0.6")
    """PER: exponent of the priorities"""
    per_beta: Schedule = Schedule("0.6 -> 1")
    """PER_weight: exponent of the importance weights"""

    def __post_init__(self) -> None:
        if self.select not in SELECTIONS:
            raise TerrariumError(
                f'differ.select is "{self.select}".{nearest(self.select, SELECTIONS)} '
                f"Allowed: {', '.join(SELECTIONS)}"
            )
        check_schedule(
            "differ.selected_ratio", self.selected_ratio, 0.01, 1.0
        )  # of nothing, nothing is learned
        for name in ("per_alpha", "per_beta"):
            check_schedule(f"differ.{name}", getattr(self, name), 0.0, 1.0)


class HasTaken(Protocol):
    """Q-values, as far as DIFFER has to know them."""

    @property
    def taken(self) -> Tensor:
        """[R, L, A] of the actions taken"""


@dataclass(frozen=True)
class IndividualExperience:
    """A batch, agent by agent; values are those that its errors were made with."""

    errors: Tensor  # [R, L, A]
    rewards: Tensor  # [R, L, A] that would have led each agent, alone, to this error
    ends: Tensor  # [R, L, A] the agent does not live on after this step
    there: Tensor  # [R, L, A] it was alive before
    importance: Tensor  # [R, L, A] how much it counts each time that it is learned from


def mixing_gradients(
    rows: ReplayBatch, taken: Tensor, best: Tensor, mixer: Callable[..., Tensor]
) -> tuple[Tensor, Tensor]:
    """The team's value [R, L], and its slopes [R, L, A]: what it gains with the value of an agent.

    They are asked for themselves, not made from gradients of a loss, which say nothing where there
    is no error. From values that are detached only the mixer learns.
    """
    given = taken if taken.requires_grad else taken.detach().requires_grad_()
    total = mixer(given, best.detach(), rows.actions, rows.obs.state[:, :-1])
    (slopes,) = torch.autograd.grad(total.sum(), given, retain_graph=True)
    return total, slopes.clamp(-MAX_GRADIENT, MAX_GRADIENT)


def split(
    rows: ReplayBatch, taken: Tensor, next_taken: Tensor, errors: Tensor, gamma: float
) -> IndividualExperience:
    """What each agent experienced, whose errors [R, L, A] are known; values are [R, L, A]."""
    acting = rows.obs.acting  # [R, L + 1, A]
    ends = ~acting[:, 1:] | rows.terminated.unsqueeze(-1)
    later = gamma * next_taken.masked_fill(ends, 0.0)
    return IndividualExperience(
        errors=errors,
        rewards=taken.detach() - errors - later,
        ends=ends,
        there=acting[:, :-1] & rows.filled.unsqueeze(-1),
        importance=torch.ones_like(errors),
    )


class Differ:
    """The loss of selected individual experience; of the team's loss only the mixer learns."""

    trains_alone = True

    def __init__(self, cfg: DifferConfig, progress: float, generator: torch.Generator) -> None:
        self._cfg, self._progress, self._generator = cfg, progress, generator

    def __call__(
        self, batch: ReplayBatch, q: HasTaken, each: IndividualExperience, own: Tensor
    ) -> tuple[Tensor, dict[str, Tensor], IndividualExperience]:
        cfg, progress = self._cfg, self._progress
        weights = select(each.errors, each.there, cfg, progress, self._generator)
        importance = importance_of(each.errors, each.there, weights, cfg, progress)
        metrics = {"selected": masked_mean((weights > 0.0).float(), each.there)}
        loss = individual_loss(batch, q.taken, each.errors, weights)
        return loss, metrics, replace(each, importance=importance)


def individual_loss(batch: ReplayBatch, taken: Tensor, errors: Tensor, weights: Tensor) -> Tensor:
    """Each agent's error [R, L, A] as a loss of its own, as much as it counts.

    Divided by steps, not by experiences: with all of them selected, its gradient is the team's.
    """
    targets = (taken - errors).detach()
    squares = (weights * (taken - targets).square()).sum(-1)  # [R, L]
    return (squares * batch.step_weights).sum() / batch.filled.sum().clamp(min=1)


def select(
    errors: Tensor, there: Tensor, cfg: DifferConfig, share: float, generator: torch.Generator
) -> Tensor:
    """How much each experience [...] counts; `share` of the run is done."""
    sizes = errors.abs()[there]  # [N] without padding and the dead
    n_chosen = int(cfg.selected_ratio.at(share) * len(sizes))
    weights = torch.zeros_like(errors)
    weights[there] = _weights(sizes, n_chosen, cfg, share, generator)
    return weights


def importance_of(
    errors: Tensor, there: Tensor, weights: Tensor, cfg: DifferConfig, share: float
) -> Tensor:
    """How much each experience [...] counts for each time that it is learned from: what the
    selection gives, `weights`, without how often it was drawn."""
    if cfg.select == "greedy_weight":
        return weights
    importance = torch.ones_like(errors)
    if cfg.select == "PER_weight" and weights.any():
        rarity = _rarity(_chances(errors.abs()[there], cfg, share), cfg, share)
        importance[there] = (rarity / rarity[weights[there] > 0.0].max()).clamp(max=1.0)
    return importance


def _chances(sizes: Tensor, cfg: DifferConfig, share: float) -> Tensor:
    """By the sizes of their errors [N]."""
    chances = (sizes + _SMALLEST) ** cfg.per_alpha.at(share)
    return chances / chances.sum()


def _rarity(chances: Tensor, cfg: DifferConfig, share: float) -> Tensor:
    return (len(chances) * chances) ** -cfg.per_beta.at(share)


def _weights(
    sizes: Tensor, n_chosen: int, cfg: DifferConfig, share: float, generator: torch.Generator
) -> Tensor:
    if cfg.select == "all":
        return torch.ones_like(sizes)
    if n_chosen == 0:
        return torch.zeros_like(sizes)
    if cfg.select in ("greedy", "greedy_weight"):
        largest, where = sizes.topk(n_chosen)
        excess = largest - largest[-1]
        # Of errors that are all alike none stands out, and each counts fully.
        level = excess / excess[0] if excess[0] > 0.0 else torch.ones_like(excess)
        chosen = level if cfg.select == "greedy_weight" else torch.ones_like(level)
        return torch.zeros_like(sizes).scatter(0, where, chosen)
    chances = _chances(sizes, cfg, share)
    drawn = torch.multinomial(chances.cpu(), n_chosen, replacement=True, generator=generator)
    counts = torch.bincount(drawn, minlength=len(sizes)).to(sizes)
    if cfg.select == "PER_hard":
        return counts
    rarity = _rarity(chances, cfg, share)
    return counts * rarity / rarity[counts > 0].max()
