"""The rules of the game: state in arrays, one kernel per rule, one tick at a time."""
