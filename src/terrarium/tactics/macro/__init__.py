"""How a whole game is played: a view of it goes in, orders come out. Knows no engine, no client."""
