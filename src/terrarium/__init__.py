"""Train StarCraft II armies without StarCraft II, then take them to the ladder."""

__version__ = "0.1.0"

__all__ = ["__version__"]
