"""Flat maps for tests: two starts in opposite corners, nothing between them."""

import numpy as np

from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.layouts import CORNER, Look, place_base

SIZES = (32, 48, 64, 96, 128)
"""playable cells a side"""
BORDER = 8
HEIGHT = 191
"""the lowest level of ladder maps, z = 8"""
FROM_EDGE = 11.5
"""from the edges of the playable area to a townhall's center: its fields stand between"""


def flat_map(size: int, resources: bool = True) -> GameMap:
    """A square without cliffs, with a base of 8 fields and 2 geysers for each start or without."""
    shape = (size + 2 * BORDER, size + 2 * BORDER)
    ground = np.zeros(shape, np.bool_)
    ground[BORDER:-BORDER, BORDER:-BORDER] = True
    low, high = BORDER + FROM_EDGE, BORDER + size - FROM_EDGE
    starts = ((low, low), (high, high))
    bases = [
        *place_base(low, low, CORNER, Look(), flip_x=True, flip_y=True),
        *place_base(high, high, CORNER, Look()),
    ]
    kind = "two bases" if resources else "no resources"
    return GameMap(
        name=f"{'flat' if resources else 'empty'}_{size}",
        title=f"Flat, {kind}",
        playable=(BORDER, BORDER, BORDER + size, BORDER + size),
        pathing_grid=ground,
        placement_grid=ground.copy(),
        terrain_height=np.full(shape, HEIGHT, np.uint8),
        sight_blocker=np.zeros(shape, np.bool_),
        starts=starts,
        objects=tuple(bases) if resources else (),
    )
