"""Collecting: a policy plays many battles for some steps, and everything is kept."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from terrarium.envs.vector import VecEnv
from terrarium.marl.batch import Look, look_at, parts, stack_of


@dataclass(frozen=True)
class Choice:
    """What a policy decided for a batch of teams."""

    actions: Tensor  # [B, A]
    log_probs: Tensor  # [B, A]
    carry: Tensor  # [B, A, C] what it remembers afterwards


Act = Callable[[Look, Tensor, Tensor], Choice]
"""look [B, ...], carry [B, A, C], resets [B] -> Choice"""


@dataclass(frozen=True)
class Rollout:
    """T steps of B battles. `look` has one more: what was seen after the last step."""

    look: Look  # [T + 1, B, ...]
    actions: Tensor  # [T, B, A]
    log_probs: Tensor  # [T, B, A] of the actions, when they were chosen
    rewards: Tensor  # [T, B]
    terminated: Tensor  # [T, B]
    truncated: Tensor  # [T, B]
    resets: Tensor  # [T + 1, B] an episode begins with this step
    carry: Tensor  # [B, A, C] what the policy remembered before the first step
    ends: Look  # [E, ...] what was seen where the time limit cut an episode off
    end_steps: Tensor  # [E] in which step
    end_rows: Tensor  # [E] in which battle

    @property
    def over(self) -> Tensor:
        """[T, B] an episode ended with this step."""
        return self.terminated | self.truncated


@dataclass(frozen=True)
class Episodes:
    """Those that ended during a rollout."""

    won: list[bool]
    returns: list[float]
    steps: list[int]


class Collector:
    """Plays on where it stopped: battles outlast rollouts."""

    def __init__(self, env: VecEnv, n_steps: int, carry_size: int) -> None:
        self.env, self.n_steps = env, n_steps
        n, a = env.n_envs, env.n_agents
        self._look = stack_of(look_at(env.now), n_steps + 1)
        self._actions = torch.zeros((n_steps, n, a), dtype=torch.int64)
        self._log_probs = torch.zeros((n_steps, n, a))
        self._rewards = torch.zeros((n_steps, n))
        self._terminated = torch.zeros((n_steps, n), dtype=torch.bool)
        self._truncated = torch.zeros((n_steps, n), dtype=torch.bool)
        self._resets = torch.zeros((n_steps + 1, n), dtype=torch.bool)
        self.carry = torch.zeros((n, a, carry_size))
        self.begins = torch.ones(n, dtype=torch.bool)

    def collect(self, act: Act) -> tuple[Rollout, Episodes]:
        """Let a policy play; the rollout is overwritten by the next one."""
        env, before = self.env, self.carry
        episodes = Episodes([], [], [])
        ends: list[tuple[int, Tensor, Look]] = []
        for t in range(self.n_steps):
            self._keep(t)
            choice = act(self._look[t], self.carry, self.begins)
            env.step(choice.actions.numpy())
            self.carry = choice.carry
            self._actions[t], self._log_probs[t] = choice.actions, choice.log_probs
            self._rewards[t] = torch.from_numpy(env.reward)
            self._terminated[t] = torch.from_numpy(env.terminated)
            self._truncated[t] = torch.from_numpy(env.truncated)
            cut_off = np.flatnonzero(env.truncated)
            if len(cut_off):
                rows = torch.from_numpy(cut_off)
                ends.append((t, rows, look_at(env.final)[rows]))
            self.begins = torch.from_numpy(env.terminated | env.truncated)
            _note(env, episodes)
        self._keep(self.n_steps)
        return self._rollout(before, ends), episodes

    def _keep(self, t: int) -> None:
        for room, part in zip(parts(self._look), parts(look_at(self.env.now)), strict=True):
            room[t] = part
        self._resets[t] = self.begins

    def _rollout(self, carry: Tensor, ends: list[tuple[int, Tensor, Look]]) -> Rollout:
        nobody = look_at(self.env.now)[:0]
        looks = [nobody, *(look for _, _, look in ends)]
        nothing = torch.zeros(0, dtype=torch.int64)
        steps = [nothing, *(torch.full_like(rows, t) for t, rows, _ in ends)]
        return Rollout(
            look=self._look,
            actions=self._actions,
            log_probs=self._log_probs,
            rewards=self._rewards,
            terminated=self._terminated,
            truncated=self._truncated,
            resets=self._resets,
            carry=carry,
            ends=Look(*(torch.cat(same) for same in zip(*map(parts, looks), strict=True))),
            end_steps=torch.cat(steps),
            end_rows=torch.cat([nothing, *(rows for _, rows, _ in ends)]),
        )


def _note(env: VecEnv, episodes: Episodes) -> None:
    over = env.terminated | env.truncated
    if over.any():
        episodes.won.extend(env.outcome.won[over].tolist())
        episodes.returns.extend(env.outcome.episode_return[over].tolist())
        episodes.steps.extend(env.outcome.episode_steps[over].tolist())
