"""Measurements of whole games: speed, and how computer opponents develop and fight."""
