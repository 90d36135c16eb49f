"""A PettingZoo environment: two agents on a line have to meet."""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

STEPS = (-1, 0, 1)
Rewards = dict[str, float]
Flags = dict[str, bool]


class Meeting(ParallelEnv):
    """Each step costs 0.1; who meets is paid 1, and the episode ends."""

    metadata = {"name": "meeting"}  # noqa: RUF012  as PettingZoo has it

    def __init__(self, size: int, max_cycles: int) -> None:
        self.size, self.max_cycles = size, max_cycles
        self.possible_agents = ["walker_0", "walker_1"]
        self.agents: list[str] = []
        # PettingZoo wants the same object each time that it asks.
        self._seen = spaces.Box(-1.0, 1.0, (2,), np.float32)
        self._done = spaces.Discrete(len(STEPS))

    def observation_space(self, agent: str) -> spaces.Box:
        return self._seen

    def action_space(self, agent: str) -> spaces.Discrete:
        return self._done

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, dict[str, Any]]]:
        rng = np.random.default_rng(seed)
        self.agents, self.t = list(self.possible_agents), 0
        self.at = rng.integers(self.size, size=2)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, int]
    ) -> tuple[dict[str, NDArray[np.float32]], Rewards, Flags, Flags, dict[str, dict[str, Any]]]:
        moves = [STEPS[actions[agent]] for agent in self.agents]
        self.at = np.clip(self.at + moves, 0, self.size - 1)
        self.t += 1
        met, late = bool(self.at[0] == self.at[1]), self.t >= self.max_cycles
        agents = self.agents
        observations = self._observations()
        if met or late:
            self.agents = []
        return (
            observations,
            dict.fromkeys(agents, 1.0 if met else -0.1),
            dict.fromkeys(agents, met),
            dict.fromkeys(agents, late and not met),
            {agent: {} for agent in agents},
        )

    def _observations(self) -> dict[str, NDArray[np.float32]]:
        """The own place and the way to the other, both as parts of the line."""
        other = self.at[::-1]
        rows = np.stack((self.at, other - self.at), 1) / self.size
        return dict(zip(self.agents, rows.astype(np.float32), strict=True))


def parallel_env(size: int = 8, max_cycles: int = 20) -> Meeting:
    """What `pettingzoo:meeting:parallel_env` calls; its arguments are the settings `task.*`."""
    return Meeting(size, max_cycles)
