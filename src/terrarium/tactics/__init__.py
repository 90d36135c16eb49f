"""What a good player does: pure functions from a view of the game to orders."""
