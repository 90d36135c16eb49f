"""Combat: targets, weapons, shots, damage, death, healing, regeneration."""
