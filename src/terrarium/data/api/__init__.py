"""What the API of the game says beside the rules: names and ids of its abilities."""
