"""Stands in for the module of SMACv2 that has this name."""

from terrarium.envs.smac.smacv2 import CapabilityEnv as StarCraft2Env

__all__ = ["StarCraft2Env"]
