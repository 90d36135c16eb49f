"""Stands in for the package of SMAC that has this name."""

from terrarium.envs.multi_agent_env import MultiAgentEnv
from terrarium.envs.smac import StarCraft2Env

__all__ = ["MultiAgentEnv", "StarCraft2Env"]
