"""Raw coordinates: counted from the corner of the map, or of its playable area if asked for."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from terrarium.data.battles.scenario import Scenario
from terrarium.server.live_game import LiveGame

Grid = TypeVar("Grid", bound=np.generic)


def playable_area(game: LiveGame) -> tuple[int, int, int, int]:
    """x0, y0, x1, y1, from the corner of the map."""
    ground = game.map.ground
    area = ground.terrain.playable if isinstance(ground, Scenario) else ground.playable
    x0, y0, x1, y1 = (int(n) for n in area)
    return x0, y0, x1, y1


def raw_origin(game: LiveGame) -> tuple[float, float]:
    """The point that a client's coordinates are counted from."""
    if not game.options.raw_crop_to_playable_area:
        return 0.0, 0.0
    x, y, _, _ = playable_area(game)
    return float(x), float(y)


def cropped(game: LiveGame, grid: NDArray[Grid]) -> NDArray[Grid]:
    """What a client is shown of a grid, [y, x]."""
    if not game.options.raw_crop_to_playable_area:
        return grid
    x0, y0, x1, y1 = playable_area(game)
    return grid[y0:y1, x0:x1]
