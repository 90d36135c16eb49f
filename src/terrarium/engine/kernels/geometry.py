"""Distances, written once: ranges are edge to edge, and no kernel needs an angle."""

import math

from terrarium.engine.jit import kernel
from terrarium.engine.records import Records
from terrarium.engine.state import Game

NEARLY = 1e-9
"""What is nearer by less than this is equally near: a coin decides, not a rounding error, which
would favor a side of the map."""


@kernel
def length(x: float, y: float) -> float:
    """Of a vector. Not math.hypot, whose last bits differ between compiled and plain mode."""
    return math.sqrt(x * x + y * y)


@kernel
def edge_distance(game: Game, me: Records, other: Records) -> float:
    """The gap between two units; 0 when they touch or overlap."""
    radii = game.rules.types[me.kind].radius + game.rules.types[other.kind].radius
    return max(0.0, length(other.x - me.x, other.y - me.y) - radii)
