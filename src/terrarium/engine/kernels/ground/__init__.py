"""Ground of whole games: creep, power, and what they do to units."""
