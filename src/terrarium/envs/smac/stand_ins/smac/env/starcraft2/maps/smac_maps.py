"""Stands in for the module of SMAC that has this name."""

from terrarium.envs.smac.maps import get_smac_map_registry

__all__ = ["get_smac_map_registry"]
