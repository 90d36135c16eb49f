"""Movement: paths, steering, collision, and where a body can be."""
