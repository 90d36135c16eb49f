"""Setup: how a game begins, and how units come into it."""
