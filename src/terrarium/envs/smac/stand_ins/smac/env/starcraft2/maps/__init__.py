"""Stands in for the package of SMAC that has this name."""

from terrarium.envs.smac.maps import get_map_params, map_present

__all__ = ["get_map_params", "map_present"]
