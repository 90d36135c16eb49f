"""Melee maps: grids, resources and other neutral objects, generated, imported or from files."""
