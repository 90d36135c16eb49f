"""Stands in for the package of SMACv2 that has this name."""

from terrarium.envs.smac.multi_agent_env import MultiAgentEnv
from terrarium.envs.smac.smacv2 import CapabilityEnv as StarCraft2Env
from terrarium.envs.smac.smacv2 import StarCraftCapabilityEnvWrapper

__all__ = ["MultiAgentEnv", "StarCraft2Env", "StarCraftCapabilityEnvWrapper"]
