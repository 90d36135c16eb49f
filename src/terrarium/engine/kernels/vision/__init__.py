"""Vision: what each player sees."""
