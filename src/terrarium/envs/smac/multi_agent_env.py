"""SMAC's base class, for code that asks whether it has such an environment or derives its own."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from terrarium.envs.smac.env import StarCraft2Env


class MultiAgentEnv(ABC):
    """What every environment of SMAC's kind can do: one's own must override what is abstract."""

    n_agents: int
    episode_limit: int

    @abstractmethod
    def reset(self) -> tuple[Sequence[Any], Any]:
        """Begin an episode: observations of all agents, and the state."""

    @abstractmethod
    def step(self, actions: Sequence[int]) -> tuple[float, bool, dict[str, Any]]:
        """Play one step: reward, whether the episode is over, info."""

    @abstractmethod
    def get_obs(self) -> Sequence[Any]:
        """The observations of all agents."""

    @abstractmethod
    def get_obs_agent(self, agent_id: int) -> Any:
        """The observation of one agent."""

    @abstractmethod
    def get_obs_size(self) -> int:
        """The length of one observation."""

    @abstractmethod
    def get_state(self) -> Any:
        """The global state."""

    @abstractmethod
    def get_state_size(self) -> int:
        """The length of the state."""

    @abstractmethod
    def get_avail_actions(self) -> Sequence[Sequence[int]]:
        """For each agent, 1 for each action that may be chosen."""

    @abstractmethod
    def get_avail_agent_actions(self, agent_id: int) -> Sequence[int]:
        """1 for each action that an agent may choose."""

    @abstractmethod
    def get_total_actions(self) -> int:
        """How many actions there are."""

    def close(self) -> None:  # noqa: B027 - to override only where there is something to let go
        """Let go of what the environment holds: nothing, unless one's own does."""

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
