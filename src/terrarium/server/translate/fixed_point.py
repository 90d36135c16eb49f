"""The game's numbers: multiples of 1/4096."""

from terrarium.server.kernels.order_lists import FIXED_POINT


def cut(coordinate: float) -> float:
    """A coordinate as the game keeps it."""
    return int(coordinate * FIXED_POINT) / FIXED_POINT


def rounded(number: float) -> float:
    """A number of the data tables as the game keeps it."""
    return round(number * FIXED_POINT) / FIXED_POINT
