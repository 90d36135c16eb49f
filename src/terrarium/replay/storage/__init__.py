"""How records are stored: columns, packed into one file."""
