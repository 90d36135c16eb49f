"""Tables of the mechanics of abilities: one module each, its layout and how a row is made."""
