"""Hindsight (Andrychowicz et al. 2017): what was reached, taken for what had been wanted."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from terrarium.errors import TerrariumError, nearest
from terrarium.marl.batch import Own, draw
from terrarium.marl.buffers.replay_batch import ReplayBatch

STRATEGIES = ("future", "final")

Reward = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
"""achieved [..., A, G], goal [..., A, G] -> reward of the team [...], reached [...] bool"""


@dataclass(frozen=True)
class Goals:
    """Where observations hold what is wanted and what has been achieved, and what that is worth."""

    goal: slice
    """columns of what is wanted"""
    achieved: slice
    """as many columns of what has been achieved"""
    reward: Reward
    """what a step is worth by what it achieved, and whether it reached the goal"""
    ends: bool = True
    """reaching the goal terminates the episode"""

    def __post_init__(self) -> None:
        lengths = [part.stop - part.start for part in (self.goal, self.achieved)]
        if lengths[0] != lengths[1] or lengths[0] < 1:
            raise TerrariumError(
                f"a goal of {lengths[0]} columns and {lengths[1]} columns of what was achieved: "
                "both need the same number, at least 1"
            )


def relabel(
    rows: ReplayBatch, goals: Goals, share: float, strategy: str, generator: torch.Generator
) -> ReplayBatch:
    """Give about this share of the rows a goal that was achieved in the same row; a copy.

    `future` takes what one random step of the row achieved, `final` what its last step did. Each
    agent gets the goal that it achieved itself. The whole row has the new goal, and where reaching
    it ends the episode, the row ends there.
    """
    if strategy not in STRATEGIES:
        raise TerrariumError(
            f'strategy is "{strategy}".{nearest(strategy, STRATEGIES)} '
            f"Allowed: {', '.join(STRATEGIES)}"
        )
    vector = rows.obs.vector  # [R, L + 1, A, D]
    device, n_rows = vector.device, len(vector)
    lucky = torch.rand(n_rows, generator=generator).to(device) < share  # [R]
    chosen = lucky & rows.filled.any(-1)
    steps = _random_step(rows, generator) if strategy == "future" else _last_step(rows)  # [R]
    after = vector[torch.arange(n_rows, device=device), steps + 1]  # [R, A, D]
    return _with_goal(rows, after[..., goals.achieved], chosen, goals)


def _random_step(rows: ReplayBatch, generator: torch.Generator) -> Tensor:
    """[R] one of the steps that exist; any, where none does."""
    steps = draw(rows.filled.float(), generator)
    return steps.clamp(max=rows.filled.shape[-1] - 1)


def _last_step(rows: ReplayBatch) -> Tensor:
    """[R] the last step that exists; the first, where none does."""
    numbers = torch.arange(rows.filled.shape[-1], device=rows.filled.device)
    return (rows.filled * numbers).amax(-1)


def _with_goal(rows: ReplayBatch, goal: Tensor, chosen: Tensor, goals: Goals) -> ReplayBatch:
    """The chosen rows [R] as if their goal had been this one [R, A, G] from the begin."""
    vector = rows.obs.vector.clone()
    vector[chosen, ..., goals.goal] = goal[chosen].unsqueeze(1)  # at all L + 1 steps
    rewards, reached = goals.reward(vector[:, 1:, :, goals.achieved], vector[:, 1:, :, goals.goal])
    filled, terminated, chosen = rows.filled, rows.terminated, chosen.unsqueeze(-1)  # [R, 1]
    if goals.ends:
        before = reached.cumsum(-1) > reached  # [R, L] an earlier step has reached it
        filled = filled & ~(chosen & before)
        terminated = torch.where(chosen, reached & filled, terminated)
    rewards = torch.where(filled, rewards, 0.0).to(rows.rewards)  # [R, L]
    rewards = torch.where(chosen, rewards, rows.rewards)
    obs = replace(rows.obs, vector=vector)
    # A goal belongs to the team: with it, what each agent earned changes as well.
    own = Own(rewards.unsqueeze(-1), terminated.unsqueeze(-1), filled.unsqueeze(-1))
    return replace(rows, obs=obs, rewards=rewards, own=own, terminated=terminated, filled=filled)
