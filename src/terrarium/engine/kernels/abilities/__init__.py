"""Abilities: casts, buffs, areas on the ground, cargo, changes of form."""
