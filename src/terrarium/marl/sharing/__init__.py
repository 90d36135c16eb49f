"""Experience that agents send each other: who sends what, who receives it, and when."""
