"""The SC2 API over the engine: what clients of the game take for its executable."""
