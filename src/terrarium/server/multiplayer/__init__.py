"""Games between clients of several server processes, which compute the same game in lockstep."""
