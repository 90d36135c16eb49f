"""Stands in for the package of SMACv2 that has this name."""
