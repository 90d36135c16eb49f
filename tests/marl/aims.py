"""An environment with every kind of action, in which it is known what is best."""

from typing import Any, ClassVar

import numpy as np
from gymnasium.spaces import Box, Discrete, MultiBinary, MultiDiscrete, Space
from pettingzoo import ParallelEnv

N_GOALS = 3


class Aims(ParallelEnv[str, Any, Any]):
    """Each agent is shown a goal, and is paid 1 for the action that it asks for; `length` steps.

    `leaves`: the first agent is done after its first step; `breaks`: an observation is NaN then.
    """

    metadata: ClassVar[dict[str, Any]] = {"name": "aims"}

    def __init__(self, length: int = 1, leaves: str = "", breaks: bool = False) -> None:
        self.possible_agents = ["one_0", "several_0", "number_0", "flag_0"]
        self.agents: list[str] = []
        self.max_cycles, self.leaves, self.breaks = length, leaves, breaks
        self.spaces: dict[str, Space[Any]] = {
            "one_0": Discrete(4, start=2),
            "several_0": MultiDiscrete([3, 2]),
            "number_0": Box(np.array([-2.0, 0.0]), np.array([6.0, 1.0]), dtype=np.float64),
            "flag_0": MultiBinary(2),
        }
        # The same object for good, as PettingZoo asks for: others are compared at every reset.
        self.seen_space = Box(-np.inf, np.inf, (N_GOALS,), np.float32)

    def observation_space(self, agent: str) -> Space[Any]:
        return self.seen_space

    def action_space(self, agent: str) -> Space[Any]:
        return self.spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        self.rng = np.random.default_rng(seed)
        self.goals = dict(
            zip(self.possible_agents, self.rng.integers(0, N_GOALS, 4).tolist(), strict=True)
        )
        self.agents, self.n_steps = list(self.possible_agents), 0
        return self._seen(), {agent: {} for agent in self.agents}

    def _seen(self) -> dict[str, Any]:
        return {
            agent: np.eye(N_GOALS, dtype=np.float32)[self.goals[agent]]
            for agent in self.possible_agents
        }

    def step(self, actions: dict[str, Any]) -> tuple[dict[str, Any], ...]:
        self.n_steps += 1
        everybody = self.agents
        rewards = {agent: self._pay(agent, actions[agent]) for agent in everybody}
        cut = self.n_steps >= self.max_cycles
        terminated = dict.fromkeys(everybody, False)
        truncated = dict.fromkeys(everybody, cut)
        if self.leaves and "one_0" in everybody and not cut:
            (terminated if self.leaves == "terminated" else truncated)["one_0"] = True
        self.agents = [a for a in everybody if not (terminated[a] or truncated[a])]
        seen = self._seen()
        if self.breaks and self.n_steps == 2:
            seen["flag_0"] = np.full(N_GOALS, np.nan, np.float32)
        return (
            {agent: seen[agent] for agent in everybody},
            rewards,
            terminated,
            truncated,
            {agent: {} for agent in everybody},
        )

    def _pay(self, agent: str, action: Any) -> float:
        goal = self.goals[agent]
        if agent == "one_0":
            return float(action == goal + 2)
        if agent == "several_0":
            return 0.5 * float(action[0] == goal) + 0.5 * float(action[1] == goal % 2)
        if agent == "number_0":
            wanted = np.array([2.0 * goal, 0.5 * goal])  # both inside of the bounds
            return 1.0 - float(np.abs((action - wanted) / np.array([8.0, 1.0])).mean())
        return 0.5 * float(action[0] == goal % 2) + 0.5 * float(action[1] == (goal > 0))


def parallel_env(length: int = 1, leaves: str = "", breaks: bool = False) -> Aims:
    return Aims(length, leaves, breaks)
