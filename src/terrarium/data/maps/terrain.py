"""A map as the ground of a battle: what the engine's tables are made of."""

import numpy as np
from numpy.typing import NDArray

from terrarium.data.battles.scenario import Terrain
from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.grids import Mask, blocked_by, taken_by

LEVEL_STEPS = 16
"""of the height grid between two cliff levels, 2.0 in the game's units"""
GROUND_STEP = 127
"""the step of z = 0"""
STEPS_PER_Z = 8
_OFF = 6
"""A cell that differs more than this from those around it is an error of the recorded grid"""


def terrain_of(game_map: GameMap, with_objects: bool = True) -> Terrain:
    """The ground of a map; resources, rocks and towers block it unless they are left out."""
    walkable = game_map.pathing_grid.copy()
    buildable = game_map.placement_grid.copy()
    if with_objects:
        walkable &= ~blocked_by(walkable.shape, game_map.objects)
        buildable &= ~taken_by(walkable.shape, game_map.objects)
    height = repaired_height(game_map)
    lowest = int(height[game_map.pathing_grid].min())
    # Levels of all maps are 15 above a multiple of 16.
    base = lowest - (lowest + 1) % LEVEL_STEPS
    above = np.maximum(height.astype(np.int64) - base, 0)
    level, rest = np.divmod(above, LEVEL_STEPS)
    x0, y0, x1, y1 = map(float, game_map.playable)
    terrain = Terrain(
        name=game_map.name,
        title=game_map.title,
        width=game_map.width,
        height=game_map.height,
        playable=(x0, y0, x1, y1),
        walkable=walkable,
        level=level.astype(np.uint8),
        ramp=np.where(rest == 0, 0, 1 + rest * 3 // LEVEL_STEPS).astype(np.uint8),
        z=(height.astype(np.float64) - GROUND_STEP) / STEPS_PER_Z,
        creep=np.zeros_like(walkable),
        buildable=buildable,
        sight_blocker=game_map.sight_blocker,
    )
    for grid in (walkable, terrain.level, terrain.ramp, terrain.z, terrain.creep, buildable):
        grid.setflags(write=False)
    return terrain


def repaired_height(game_map: GameMap) -> NDArray[np.uint8]:
    """The heights, where beside the upper corners of ramps the game's grid has some cells of the
    low ground within the high one: they get the median of the open cells around them."""
    height, ground = game_map.terrain_height.astype(np.int64), game_map.pathing_grid
    median = _median_around(height, ground)
    wrong = ground & (np.abs(height - median) > _OFF)
    return np.where(wrong, median, height).astype(np.uint8)


def _median_around(height: NDArray[np.int64], ground: Mask) -> NDArray[np.int64]:
    """Of the eight cells around each that are open; its own height where none is."""
    n_rows, n_columns = height.shape
    known = np.pad(np.where(ground, height, 1000), 1, constant_values=1000)
    around = np.sort(
        [
            known[y : y + n_rows, x : x + n_columns]
            for y in range(3)
            for x in range(3)
            if (y, x) != (1, 1)
        ],
        axis=0,
    )
    n_open = (around < 1000).sum(axis=0)
    middle = np.maximum(n_open - 1, 0) // 2
    median = np.take_along_axis(around, middle[None], axis=0)[0]
    return np.where(n_open > 0, median, height)
