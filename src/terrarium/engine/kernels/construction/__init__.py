"""Construction: where structures can stand, who builds them, and what is added to them."""
