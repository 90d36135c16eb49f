"""Stands in for the module of SMACv2 that has this name."""

from terrarium.envs.smac.maps import get_smacv2_map_registry as get_smac_map_registry

__all__ = ["get_smac_map_registry"]
