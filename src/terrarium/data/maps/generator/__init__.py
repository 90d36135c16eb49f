"""Generated maps: seeded, the same for every player, in the manner of ladder maps."""
