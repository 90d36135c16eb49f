"""Whole games: who plays on which map, and what each player begins with."""
