"""Gymnasium environments of kinds that its own toys do not have."""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.wrappers import TimeLimit

ACTIONS: dict[str, spaces.Space[Any]] = {
    "choice": spaces.Discrete(3, start=2),
    "choices": spaces.MultiDiscrete([2, 4]),
    "bits": spaces.MultiBinary(3),
    "numbers": spaces.Box(np.array([-2.0, 0.0], np.float32), np.array([2.0, 5.0], np.float32)),
}


class Echo(gymnasium.Env[Any, Any]):
    """Shows its last action and the step in a matrix; paid for the sum of what was done."""

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 8}  # noqa: RUF012  as Gymnasium has it
    observation_space = spaces.Box(-10.0, 10.0, (2, 2), np.float32)

    def __init__(self, kind: str, length: int, ends: bool, render_mode: str | None) -> None:
        self.action_space, self.render_mode = ACTIONS[kind], render_mode
        self.length, self.ends, self.step_number = length, ends, 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        self.step_number, self.offset = 0, float(self.np_random.integers(5))
        return self._look(0.0), {}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        assert self.action_space.contains(action), action
        self.step_number += 1
        total = float(np.sum(action))
        ended = self.ends and self.step_number == self.length
        return self._look(total), total, ended, False, {}

    def render(self) -> Any:
        picture = np.zeros((20, 30, 3), np.uint8)
        picture[:, : self.step_number] = (250, 10, 10)
        return picture

    def _look(self, total: float) -> Any:
        return np.array([[self.step_number, total], [self.offset, 0.0]], np.float32)


def echo(
    kind: str = "choice", length: int = 4, ends: bool = True, render_mode: str | None = None
) -> Any:
    """It ends after `length` steps, or is cut off by a time limit."""
    env = Echo(kind, length, ends, render_mode)
    return env if ends else TimeLimit(env, length)


def both() -> Any:
    """Ends in the very step that is the last one allowed."""
    return TimeLimit(Echo("choice", 3, True, None), 3)


def number() -> int:
    return 7


def endless() -> Any:
    env = Echo("choice", 3, True, None)
    env.action_space = spaces.Box(-np.inf, np.inf, (1,))
    return env
