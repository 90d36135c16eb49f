"""Scenarios and terrains, read from TOML."""
