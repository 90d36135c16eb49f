"""Games of bots that are written for burnysc2, played on servers of our own."""
