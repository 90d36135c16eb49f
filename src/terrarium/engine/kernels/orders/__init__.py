"""Orders: what a unit may be told, its queue, and what scenarios order."""
