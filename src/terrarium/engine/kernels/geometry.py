"""Distances, written once: ranges are edge to edge, and no kernel needs an angle."""

import math

from terrarium.engine.jit import kernel
from terrarium.engine.records import Records
from terrarium.engine.state import Game, has_structures

NEARLY = 1e-9
"""What is nearer by less than this is equally near: a coin decides, not a rounding error, which
would favor a side of the map."""
AT_OUTLINE = 0.2
"""How near to the outline of a structure touches it: the slack of those who have to."""


@kernel
def length(x: float, y: float) -> float:
    """Of a vector. Not math.hypot, whose last bits differ between compiled and plain mode."""
    return math.sqrt(x * x + y * y)


@kernel
def edge_distance(game: Game, me: Records, other: Records) -> float:
    """The gap between two units; 0 when they touch or overlap.

    Ranges count from circle to circle, also for structures. But walkers get no nearer to one on the
    grid than its outline, which may be outside of its circle: who is at the outline touches it.
    """
    radii = game.rules.types[me.kind].radius + game.rules.types[other.kind].radius
    gap = max(0.0, length(other.x - me.x, other.y - me.y) - radii)
    if gap > 0.0 and has_structures(game):
        return min(gap, outline_gap(game, me, other, gap), outline_gap(game, other, me, gap))
    return gap


@kernel
def outline_gap(game: Game, me: Records, other: Records, gap: float) -> float:
    """The gap to the outline of a unit that stands on the grid, for who is at it; else the one that
    is known."""
    if not game.rules.types[other.kind].structure:
        return gap
    v = int(game.blocked[int(other.y) * game.ground.size[0] + int(other.x)]) - 1
    if v < 0 or game.units[v].tag != other.tag:
        return gap
    distance, _, _ = to_outline(game, v, me.x, me.y)
    near = max(0.0, distance - game.rules.types[me.kind].radius)
    return near if near <= AT_OUTLINE else gap


@kernel
def to_outline(game: Game, v: int, x: float, y: float) -> tuple[float, float, float]:
    """How far a point is from the outline of a structure on the grid, less than 0 inside; and the
    direction straight away from it."""
    site = game.sites[v]
    shape = game.rules.footprints[site.footprint]
    px = x - site.left - 0.5 * shape.width
    py = y - site.bottom - 0.5 * shape.height
    outside, normal_x, normal_y = -1e30, 0.0, 0.0
    nearest, away_x, away_y = 1e30, 0.0, 0.0
    for k in range(shape.n_corners):
        after = k + 1 if k + 1 < shape.n_corners else 0
        edge_x = shape.corner_x[after] - shape.corner_x[k]
        edge_y = shape.corner_y[after] - shape.corner_y[k]
        size = length(edge_x, edge_y)
        edge_x, edge_y = edge_x / size, edge_y / size
        dx, dy = px - shape.corner_x[k], py - shape.corner_y[k]
        beyond = dx * edge_y - dy * edge_x
        if beyond > outside:
            outside, normal_x, normal_y = beyond, edge_y, -edge_x
        along = min(max(dx * edge_x + dy * edge_y, 0.0), size)
        dx, dy = dx - along * edge_x, dy - along * edge_y
        distance = length(dx, dy)
        if distance < nearest:
            nearest, away_x, away_y = distance, dx, dy
    if outside > 0.0 and nearest > NEARLY:
        return nearest, away_x / nearest, away_y / nearest
    return outside, normal_x, normal_y
