"""Rollouts: a policy steps a vector environment, and all transitions are stored."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from terrarium.envs.tasks.task import VectorEnv
from terrarium.envs.views import StepOutput
from terrarium.marl.batch import Obs, Own, obs_from_views, obs_zeros, own_zeros, parts

CPU = torch.device("cpu")


@dataclass(frozen=True)
class PolicyOutput:
    """Actions, their log-probabilities and the next recurrent state."""

    actions: Tensor  # [B, A] indices, or [B, A, N] vectors, see `marl.actions`
    log_probs: Tensor  # [B, A]
    carry: Tensor  # [B, A, C] recurrent state after the step


Act = Callable[[Obs, Tensor, Tensor], PolicyOutput]
"""obs [B, ...], carry [B, A, C], resets [B] -> PolicyOutput"""


@dataclass(frozen=True)
class Rollout:
    """T steps of B battles. `obs` has one more: what was seen after the last step."""

    obs: Obs  # [T + 1, B, ...]
    actions: Tensor  # [T, B, A] indices, or [T, B, A, N] vectors
    log_probs: Tensor  # [T, B, A] of the actions, when they were chosen
    advice: Tensor  # [T, B, A] what a teacher would have done; -1: there is none
    rewards: Tensor  # [T, B] of the team
    own: Own  # [T, B, A or 1]
    terminated: Tensor  # [T, B]
    truncated: Tensor  # [T, B]
    resets: Tensor  # [T + 1, B] an episode begins with this step
    carries: Tensor  # [T or 1, B, A, C] what was remembered before each step, or the first one
    ends: Obs  # [E, ...] what was seen last in the episodes that ended
    end_steps: Tensor  # [E] in which step
    end_rows: Tensor  # [E] in which battle

    @property
    def carry(self) -> Tensor:
        """[B, A, C] what the policy remembered before the first step."""
        return self.carries[0]

    @property
    def over(self) -> Tensor:
        """[T, B] an episode ended with this step."""
        return self.terminated | self.truncated


@dataclass(frozen=True)
class EndedEpisodes:
    """Those that ended during a rollout."""

    won: list[bool]
    returns: list[float]
    steps: list[int]


class Collector:
    """Plays on where it stopped: battles outlast rollouts."""

    def __init__(
        self,
        env: VectorEnv,
        n_steps: int,
        carry_size: int,
        device: torch.device = CPU,
        keeps_carries: bool = False,
    ) -> None:
        """`keeps_carries`: of every step, not only of the first one of a rollout."""
        self.env, self.n_steps = env, n_steps
        self.teacher: Callable[[], NDArray[np.int64]] | None = None
        n, a = env.n_envs, env.n_agents
        self._obs = obs_zeros(obs_from_views(env.now).to(device), n_steps + 1)
        shape = (n_steps, n, a)
        if env.action_columns:
            self._actions = torch.zeros((*shape, env.action_columns), device=device)
        else:
            self._actions = torch.zeros(shape, dtype=torch.int64, device=device)
        self._log_probs = torch.zeros(shape, device=device)
        self._advice = torch.full(shape, -1, dtype=torch.int64, device=device)
        self._rewards = torch.zeros((n_steps, n), device=device)
        self._own = own_zeros(env.own_reward.shape[1], n_steps, n).to(device)
        self._terminated = torch.zeros((n_steps, n), dtype=torch.bool, device=device)
        self._truncated = torch.zeros((n_steps, n), dtype=torch.bool, device=device)
        self._resets = torch.zeros((n_steps + 1, n), dtype=torch.bool, device=device)
        n_kept = n_steps if keeps_carries else 1
        self._carries = torch.zeros((n_kept, n, a, carry_size), device=device)
        self.carry = torch.zeros((n, a, carry_size), device=device)
        self.begins = torch.ones(n, dtype=torch.bool, device=device)

    def dismiss_teacher(self) -> None:
        """No more advice: a scripted player takes longer than the battles."""
        self.teacher = None
        self._advice.fill_(-1)

    def collect(self, act: Act) -> tuple[Rollout, EndedEpisodes]:
        """Let a policy play; the rollout is overwritten by the next one."""
        env = self.env
        episodes = EndedEpisodes([], [], [])
        ends: list[tuple[int, Tensor, Obs]] = []
        for t in range(self.n_steps):
            self._keep(t)
            self._own.there[t] = torch.from_numpy(env.there)
            if self.teacher is not None:
                self._advice[t] = torch.from_numpy(self.teacher())
            if t < len(self._carries):
                self._carries[t] = self.carry
            choice = act(self._obs[t], self.carry, self._resets[t])
            env.step(choice.actions.cpu().numpy())
            self.carry = choice.carry
            self._actions[t], self._log_probs[t] = choice.actions, choice.log_probs
            outcome = env.outcome
            self._rewards[t] = torch.from_numpy(outcome.reward)
            self._own.rewards[t] = torch.from_numpy(env.own_reward)
            self._own.terminated[t] = torch.from_numpy(env.own_terminated)
            self._terminated[t] = torch.from_numpy(outcome.terminated)
            self._truncated[t] = torch.from_numpy(outcome.truncated)
            self.begins = self._terminated[t] | self._truncated[t]
            rows = self.begins.cpu().nonzero().squeeze(1)
            if len(rows):
                ends.append((t, rows, obs_from_views(env.final)[rows]))
            _note(outcome, episodes)
        self._keep(self.n_steps)
        return self._rollout(ends), episodes

    def _keep(self, t: int) -> None:
        for room, part in zip(parts(self._obs), parts(obs_from_views(self.env.now)), strict=True):
            room[t] = part
        self._resets[t] = self.begins

    def _rollout(self, ends: list[tuple[int, Tensor, Obs]]) -> Rollout:
        nobody, device = obs_from_views(self.env.now)[:0], self.carry.device
        all_obs = [nobody, *(obs for _, _, obs in ends)]
        nothing = torch.zeros(0, dtype=torch.int64)
        steps = [nothing, *(torch.full_like(rows, t) for t, rows, _ in ends)]
        return Rollout(
            obs=self._obs,
            actions=self._actions,
            log_probs=self._log_probs,
            advice=self._advice,
            rewards=self._rewards,
            own=self._own,
            terminated=self._terminated,
            truncated=self._truncated,
            resets=self._resets,
            carries=self._carries,
            ends=Obs(*(torch.cat(same) for same in zip(*map(parts, all_obs), strict=True))).to(
                device
            ),
            end_steps=torch.cat(steps).to(device),
            end_rows=torch.cat([nothing, *(rows for _, rows, _ in ends)]).to(device),
        )

    def state_dict(self) -> dict[str, Any]:
        """Where the battles stand, and what the policy remembers of them."""
        battles = {name: torch.from_numpy(array) for name, array in self.env.save().items()}
        return {"battles": battles, "carry": self.carry, "begins": self.begins}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.env.load({name: part.numpy() for name, part in state["battles"].items()})
        self.carry = state["carry"].to(self.carry.device)
        self.begins = state["begins"].to(self.begins.device)


def _note(outcome: StepOutput, episodes: EndedEpisodes) -> None:
    over = outcome.terminated | outcome.truncated
    if over.any():
        episodes.won.extend(outcome.won[over].tolist())
        episodes.returns.extend(outcome.episode_return[over].tolist())
        episodes.steps.extend(outcome.episode_steps[over].tolist())
