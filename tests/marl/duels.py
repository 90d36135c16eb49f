"""Worlds of two or three teams whose results are known by hand."""

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import ParallelEnv

N_NUMBERS = 3
LENGTH = 4


class Duel(ParallelEnv):
    """Each agent says a number, and earns it less what the other teams say on average.

    All see the step and a number that the seed decides. Where it is odd the episode is a step
    shorter, so that those of a batch end at different times.
    """

    metadata = {"name": "duel"}  # noqa: RUF012  as PettingZoo has it

    def __init__(
        self, agents: list[str], length: int, pushes: str = "", n_numbers: int = N_NUMBERS
    ) -> None:
        self.possible_agents, self.agents = agents, []
        self.length, self.t = length, 0
        # The same objects for good, as PettingZoo asks for: others are compared at every reset.
        self.seen_space = spaces.Box(0.0, 20.0, (2,), np.float32)
        numbers, push = spaces.Discrete(n_numbers), spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.spaces = {
            agent: push if pushes and agent.startswith(pushes) else numbers for agent in agents
        }

    def observation_space(self, agent: str) -> Any:
        return self.seen_space

    def action_space(self, agent: str) -> Any:
        return self.spaces[agent]

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        draws = np.random.default_rng(seed)
        self.shown, self.t, self.agents = draws.integers(0, 10), 0, list(self.possible_agents)
        self.last = self.length - int(self.shown % 2)
        return self._seen(), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, Any]) -> Any:
        self.t += 1
        said = {agent: float(np.sum(action)) for agent, action in actions.items()}
        paid = {}
        for agent in actions:
            team = agent.split("_")[0]
            others = [said[one] for one in said if one.split("_")[0] != team]
            paid[agent] = said[agent] - sum(others) / max(1, len(others))
        everybody, over = self.agents, self.t >= self.last
        self.agents = [] if over else everybody
        return (
            self._seen(),
            paid,
            dict.fromkeys(everybody, False),
            dict.fromkeys(everybody, over),
            {agent: {} for agent in everybody},
        )

    def _seen(self) -> dict[str, Any]:
        seen = np.array([self.t, self.shown], np.float32)
        return {agent: seen.copy() for agent in self.possible_agents}


def duel(max_cycles: int = LENGTH, n_numbers: int = N_NUMBERS) -> Duel:
    """Two of team a, one of team b; all choose among numbers."""
    return Duel(["a_0", "a_1", "b_0"], max_cycles, n_numbers=n_numbers)


def mixed_duel(max_cycles: int = LENGTH) -> Duel:
    """The same, but team b says real numbers: actions of all are vectors."""
    return Duel(["a_0", "a_1", "b_0"], max_cycles, pushes="b")


def apart(max_cycles: int = LENGTH) -> Duel:
    """Agents of two teams take turns in the list, so that places are no ranges."""
    return Duel(["a_0", "b_0", "a_1", "b_1"], max_cycles)


def three(max_cycles: int = LENGTH) -> Duel:
    return Duel(["a_0", "b_0", "c_0"], max_cycles)


def alone(max_cycles: int = LENGTH) -> Duel:
    """One team: nothing to play against, and nothing is paid."""
    return Duel(["a_0"], max_cycles)


def odd_names(max_cycles: int = LENGTH) -> Duel:
    """The name of one team begins with that of another, and one has a space."""
    return Duel(["red_0", "red_fox_0", "old owl_0"], max_cycles)


def section_names(max_cycles: int = LENGTH) -> Duel:
    return Duel(["net_0", "b_0"], max_cycles)


def name_of(factory: str) -> str:
    return f"pettingzoo:tests.marl.duels:{factory}"
