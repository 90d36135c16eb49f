"""Facts of the game: units, weapons, abilities, buffs, upgrades, read from TOML."""
