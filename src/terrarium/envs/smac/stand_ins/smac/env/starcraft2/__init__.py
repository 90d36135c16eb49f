"""Stands in for the package of SMAC that has this name."""
