"""Trained policies as players: loaded, evaluated, played against each other."""
