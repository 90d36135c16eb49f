"""Economy: what workers bring, and what it buys."""
