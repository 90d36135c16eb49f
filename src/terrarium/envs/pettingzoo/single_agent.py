"""Gymnasium environments as PettingZoo environments with a single agent."""

from collections.abc import Callable
from typing import Any

import gymnasium
from gymnasium.envs.registration import load_env_creator
from gymnasium.wrappers import TimeLimit
from pettingzoo import ParallelEnv

from terrarium.envs.pettingzoo.errors import PettingZooError, blaming
from terrarium.errors import TerrariumError, nearest
from terrarium.import_paths import import_from_here

SINGLE = "gym:"
AGENT = "agent"

Step = tuple[
    dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
]


def check_gymnasium_name(name: str) -> None:
    """Refuse an id that nobody has registered; modules are imported when an environment is made."""
    found = name.removeprefix(SINGLE)
    if ":" not in found and found not in gymnasium.registry:
        known = [f"{SINGLE}{each}" for each in gymnasium.registry]
        raise TerrariumError(
            f'unknown environment "{name}".{nearest(name, known)} Allowed: gym:<id>, an id that '
            "Gymnasium knows with its version, gym:module:<id>, or gym:package.module:factory"
        )


def gymnasium_factory(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """What makes an environment, and what its options are handed to."""
    module, _, found = name.removeprefix(SINGLE).rpartition(":")
    if module:
        with blaming(name, f"importing {module}"):
            home = import_from_here(module)
        if found not in gymnasium.registry:
            factory = getattr(home, found, None)
            if not callable(factory):
                public = [key for key, value in vars(home).items() if callable(value)]
                raise PettingZooError(
                    f"{name}: {module} has no function {found}, and registers no environment of "
                    f"this name.{nearest(found, public)}"
                )
            return factory, factory
    entry = gymnasium.spec(found).entry_point
    with blaming(name, "importing it"):
        creator = load_env_creator(entry) if isinstance(entry, str) else entry

    def make(**options: Any) -> Any:
        # Our own checks name the environment; Gymnasium's would print warnings beside them.
        return gymnasium.make(found, disable_env_checker=True, **options)

    return make, creator or make


class SingleAgentEnv(ParallelEnv):
    """A Gymnasium environment: its agent is a team of one."""

    def __init__(self, name: str, env: Any) -> None:
        if not isinstance(env, gymnasium.Env):
            raise PettingZooError(
                f"{name} gives {type(env).__name__} instead of an environment of Gymnasium"
            )
        self._env = env
        self.metadata = {**env.metadata, "name": name.removeprefix(SINGLE)}
        self.render_mode = env.render_mode
        self.possible_agents, self.agents = [AGENT], list[str]()

    @property
    def unwrapped(self) -> Any:
        return self._env.unwrapped

    @property
    def max_steps(self) -> int | None:
        """after how many steps an episode is truncated, if one of its wrappers does that"""
        env = self._env
        while isinstance(env, gymnasium.Wrapper):
            if isinstance(env, TimeLimit):
                return int(env._max_episode_steps)
            env = env.env
        return None

    def observation_space(self, agent: str) -> Any:
        return self._env.observation_space

    def action_space(self, agent: str) -> Any:
        return self._env.action_space

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        seen, info = self._env.reset(seed=seed, options=options)
        self.agents = [AGENT]
        return {AGENT: seen}, {AGENT: info}

    def step(self, actions: dict[str, Any]) -> Step:
        seen, reward, terminated, truncated, info = self._env.step(actions[AGENT])
        if terminated or truncated:
            self.agents = []
        # Whoever has ended in the last step that was allowed has ended: nothing follows.
        cut_off = bool(truncated) and not terminated
        return (
            {AGENT: seen},
            {AGENT: float(reward)},
            {AGENT: bool(terminated)},
            {AGENT: cut_off},
            {AGENT: info},
        )

    def render(self) -> Any:
        return self._env.render()

    def close(self) -> None:
        self._env.close()
