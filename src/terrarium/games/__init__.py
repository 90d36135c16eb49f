"""One whole game in Python: views of players, commands from orders, computer opponents, results."""
