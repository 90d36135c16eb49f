"""Scripted players, and the views of a battle that they decide by."""
