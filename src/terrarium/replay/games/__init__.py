"""Records of whole games: what happened to every unit, to the ground and to the players."""
