"""Whole games as environments, and games between computer opponents."""
