"""Our battles beside recordings of the real game."""
