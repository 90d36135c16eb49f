"""SMAC and SMACv2: their interfaces over the engine."""

from terrarium.envs.smac.env import StarCraft2Env

__all__ = ["StarCraft2Env"]
