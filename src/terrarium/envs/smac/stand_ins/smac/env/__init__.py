"""Stands in for the package of SMAC that has this name."""

from terrarium.envs.smac.env import StarCraft2Env
from terrarium.envs.smac.multi_agent_env import MultiAgentEnv

__all__ = ["MultiAgentEnv", "StarCraft2Env"]
