"""Facts: units, weapons, rule sets, terrains and scenarios, in TOML with a checked schema."""
