"""Whole games: what players see of them, computer opponents, and games as environments."""
