"""The particle environments of mpe2 (Lowe et al. 2017), all agents at once."""

import importlib
import os
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from pettingzoo import ParallelEnv

from terrarium.envs.pettingzoo.errors import PettingZooError
from terrarium.errors import TerrariumError, nearest

COOPERATIVE = {
    "collect_treasure": True,
    "simple": True,
    "simple_adversary": False,
    "simple_crypto": False,
    "simple_formation": True,
    "simple_line": True,
    "simple_push": False,
    "simple_reference": True,
    "simple_speaker_listener": True,
    "simple_spread": True,
    "simple_tag": False,
    "simple_world_comm": False,
}
"""mpe2's environments without their versions, and whether all agents want the same"""

Step = tuple[
    dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
]


def particle_modules() -> Mapping[str, Any]:
    """The modules of mpe2 by their names with versions: simple_spread_v3."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        listed = importlib.import_module("mpe2.all_modules")
    except ModuleNotFoundError as error:
        raise TerrariumError(
            f"mpe/ environments need the package mpe2 ({error.name} is missing): "
            'pip install "terrarium-sc2[mpe]"'
        ) from error
    return {name.removeprefix("mpe/"): found for name, found in listed.mpe_environments.items()}


def particle_module(name: str) -> Any:
    """The module of an environment, named with its version or without."""
    modules = particle_modules()
    for versioned, module in modules.items():
        if name in (versioned, unversioned(versioned)):
            return module
    raise PettingZooError(
        f"the installed mpe2 has no {name}.{nearest(name, modules)} It has: "
        f"{', '.join(sorted(modules))}"
    )


def unversioned(name: str) -> str:
    """The name of an environment that stays when mpe2 changes its version: simple_spread."""
    return re.sub(r"_v\d+$", "", name)


class ParticleEnv(ParallelEnv):
    """Drives mpe2's turn-taking environment once a step instead of once for each agent.

    mpe2's own `parallel_env` lets the agents take turns and hands over all dictionaries at each
    one, which takes twice as long. Results are the same to the bit.
    """

    def __init__(self, raw: Any) -> None:
        self._raw = raw
        self.metadata = raw.metadata
        self.render_mode = raw.render_mode
        self.possible_agents: list[str] = list(raw.possible_agents)
        self.agents: list[str] = []

    @property
    def unwrapped(self) -> Any:
        """mpe2's environment, whose `world` holds agents and landmarks"""
        return self._raw

    def observation_space(self, agent: str) -> Any:
        return self._raw.observation_space(agent)

    def action_space(self, agent: str) -> Any:
        return self._raw.action_space(agent)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Begin an episode."""
        self._raw.reset(seed=seed, options=options)
        self.agents = list(self.possible_agents)
        return self._observations(), dict(self._raw.infos)

    def step(self, actions: dict[str, Any]) -> Step:
        """Move everybody at once."""
        raw = self._raw
        raw.current_actions = [self._prepared(name, actions[name]) for name in self.agents]
        raw._execute_world_step()
        raw.steps += 1
        # As mpe2 has it: at the time limit an episode is cut off, even if it is won just then.
        truncated = raw.steps >= raw.max_cycles
        terminated = not truncated and bool(raw.scenario.is_terminal(raw.world))
        if self.render_mode == "human":
            raw.render()
        played = self.agents
        if truncated or terminated:
            self.agents = []
        return (
            self._observations(),
            {name: raw.rewards[name] for name in played},
            dict.fromkeys(played, terminated),
            dict.fromkeys(played, truncated),
            dict(raw.infos),
        )

    def render(self) -> Any:
        return self._raw.render()

    def state(self) -> Any:
        return self._raw.state()

    def close(self) -> None:
        """Close the window, if there is one: mpe2's `close` would end pygame for all others."""
        if self._raw.renderOn:
            self._raw.close()

    def _observations(self) -> dict[str, Any]:
        raw = self._raw
        return {name: raw.observe(name) for name in self.possible_agents}

    def _prepared(self, name: str, action: Any) -> Any:
        if not self._raw.continuous_actions:
            # mpe2 divides in place: an array would change in the hands of who gave it.
            return int(action)
        space = self._raw.action_space(name)
        return np.clip(action, space.low, space.high)
