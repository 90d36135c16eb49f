"""SMAC's base class, for code that asks whether it has such an environment or derives its own."""

from abc import ABC
from collections.abc import Sequence
from typing import Any

from terrarium.envs.smac import StarCraft2Env


class MultiAgentEnv(ABC):
    """What every environment of SMAC's kind can do: one's own overrides all but `get_env_info`."""

    n_agents: int
    episode_limit: int

    def reset(self) -> tuple[Sequence[Any], Any]:
        """Begin an episode: observations of all agents, and the state."""
        raise NotImplementedError

    def step(self, actions: Sequence[int]) -> tuple[float, bool, dict[str, Any]]:
        """Play one step: reward, whether the episode is over, info."""
        raise NotImplementedError

    def get_obs(self) -> Sequence[Any]:
        """The observations of all agents."""
        raise NotImplementedError

    def get_obs_agent(self, agent_id: int) -> Any:
        """The observation of one agent."""
        raise NotImplementedError

    def get_obs_size(self) -> int:
        """The length of one observation."""
        raise NotImplementedError

    def get_state(self) -> Any:
        """The global state."""
        raise NotImplementedError

    def get_state_size(self) -> int:
        """The length of the state."""
        raise NotImplementedError

    def get_avail_actions(self) -> Sequence[Sequence[int]]:
        """For each agent, 1 for each action that may be chosen."""
        raise NotImplementedError

    def get_avail_agent_actions(self, agent_id: int) -> Sequence[int]:
        """1 for each action that an agent may choose."""
        raise NotImplementedError

    def get_total_actions(self) -> int:
        """How many actions there are."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of what the environment holds."""
        raise NotImplementedError

    def get_env_info(self) -> dict[str, Any]:
        """Sizes that learners ask for first."""
        return {
            "state_shape": self.get_state_size(),
            "obs_shape": self.get_obs_size(),
            "n_actions": self.get_total_actions(),
            "n_agents": self.n_agents,
            "episode_limit": self.episode_limit,
        }


MultiAgentEnv.register(StarCraft2Env)
