"""Stands in for the module of SMACv2 that has this name."""

from terrarium.envs.smac.multi_agent_env import MultiAgentEnv

__all__ = ["MultiAgentEnv"]
