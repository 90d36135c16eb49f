"""What a map must be to be played; a mistake is one line."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from terrarium.data.maps.grids import (
    blocked_by,
    grown,
    mask_of,
    regions,
    townhall_ban,
    townhall_cells,
)
from terrarium.data.maps.objects import Cell, MapObject, cells_of, object_types
from terrarium.errors import TerrariumError, nearest

if TYPE_CHECKING:
    from terrarium.data.maps.game_map import GameMap

MIN_SIZE, MAX_SIZE = 16, 256  # cells a side; no map of the game is larger
WIDTH_STEP = 8
"""Rows of the API's bit grids are whole bytes"""


class MapError(TerrariumError):
    """A map that cannot be played."""


def check_map(game_map: "GameMap") -> None:
    _check_sizes(game_map)
    _check_playable(game_map)
    _check_objects(game_map)
    _check_starts(game_map)
    _check_reach(game_map)


def _error(game_map: "GameMap", problem: str) -> MapError:
    return MapError(f"map {game_map.name}: {problem}".replace("\n", "\\n"))


def _check_sizes(game_map: "GameMap") -> None:
    grids: dict[str, tuple[NDArray[np.generic], type[np.generic]]] = {
        "pathing_grid": (game_map.pathing_grid, np.bool_),
        "placement_grid": (game_map.placement_grid, np.bool_),
        "terrain_height": (game_map.terrain_height, np.uint8),
        "sight_blocker": (game_map.sight_blocker, np.bool_),
    }
    shape = game_map.pathing_grid.shape
    for name, (grid, kind) in grids.items():
        if grid.ndim != 2 or grid.shape != shape or grid.dtype != kind:
            raise _error(
                game_map,
                f"{name} has the shape {grid.shape} of {grid.dtype}; that of the pathing grid is "
                f"{shape}, and {kind.__name__} is needed",
            )
    height, width = shape
    if width % WIDTH_STEP or not all(MIN_SIZE <= n <= MAX_SIZE for n in shape):
        raise _error(
            game_map,
            f"{width} x {height} cells; {MIN_SIZE} to {MAX_SIZE} a side are allowed, and the width "
            f"must be a multiple of {WIDTH_STEP}",
        )


def _check_playable(game_map: "GameMap") -> None:
    x0, y0, x1, y1 = game_map.playable
    height, width = game_map.pathing_grid.shape
    if not (0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height):
        raise _error(
            game_map,
            f"the playable area {x0}, {y0} to {x1}, {y1} does not lie on {width} x {height} cells",
        )
    outside = np.ones((height, width), np.bool_)
    outside[y0:y1, x0:x1] = False
    wrong = {
        "is open to walkers, but not in the playable area": game_map.pathing_grid & outside,
        "allows building, but not walking": game_map.placement_grid & ~game_map.pathing_grid,
        "blocks sight, but nobody can walk there": game_map.sight_blocker & ~game_map.pathing_grid,
    }
    for what, cells in wrong.items():
        if cells.any():
            y, x = np.argwhere(cells)[0].tolist()
            raise _error(game_map, f"cell ({x}, {y}) {what}")


def _check_objects(game_map: "GameMap") -> None:
    owner: dict[Cell, MapObject] = {}
    x0, y0, x1, y1 = game_map.playable
    for o in game_map.objects:
        if o.type not in object_types():
            guess = nearest(o.type, object_types())
            raise _error(game_map, f'unknown object "{o.type}".{guess}')
        shape = o.kind.shape
        sides = ((o.x, shape.width), (o.y, shape.height))
        if shape.width and any((2 * at - size) % 2 for at, size in sides):
            raise _error(
                game_map,
                f"{_spelled(o)} is not on the grid: its {shape.width} x {shape.height} cells must "
                "be whole ones",
            )
        if o.kind.is_resource and o.amount <= 0:
            raise _error(game_map, f"{_spelled(o)} holds {o.amount}; it must hold something")
        if o.contents is not None and not o.kind.is_resource:
            raise _error(game_map, f"{_spelled(o)} has contents, but is no resource")
        for cell in cells_of(shape, o.x, o.y)[0]:
            if not (x0 <= cell[0] < x1 and y0 <= cell[1] < y1):
                raise _error(game_map, f"{_spelled(o)} is not inside the playable area")
            other = owner.get(cell)
            # On maps of the game rocks overlap each other, and fields behind them.
            if other and "destructible" not in (o.kind.kind, other.kind.kind):
                raise _error(
                    game_map,
                    f"{_spelled(o)} and {_spelled(other)} both take cell {cell}",
                )
            owner[cell] = o


def _check_starts(game_map: "GameMap") -> None:
    if not game_map.starts:
        raise _error(game_map, "it has no start location; a player needs one")
    shape = game_map.pathing_grid.shape
    free = game_map.buildable() & ~townhall_ban(shape, game_map.objects)
    taken: set[Cell] = set()
    for x, y in game_map.starts:
        if (x % 1, y % 1) != (0.5, 0.5):
            raise _error(game_map, f"start ({x:g}, {y:g}) is not the center of a cell")
        for cell in townhall_cells(x, y):
            if cell in taken or not (mask_of(shape, [cell]) & free).any():
                raise _error(
                    game_map,
                    f"there is no room for a townhall at start ({x:g}, {y:g}): cell {cell}",
                )
            taken.add(cell)


def _check_reach(game_map: "GameMap") -> None:
    """Players reach each other and every resource once rocks are gone."""
    shape = game_map.pathing_grid.shape
    resources = game_map.resources
    island = regions(game_map.pathing_grid & ~blocked_by(shape, resources))
    homes = [int(island[int(y), int(x)]) for x, y in game_map.starts]
    for (x, y), home in zip(game_map.starts, homes, strict=True):
        if home != homes[0]:
            x0, y0 = game_map.starts[0]
            raise _error(
                game_map, f"no way leads from start ({x0:g}, {y0:g}) to start ({x:g}, {y:g})"
            )
    for o in resources:
        body = mask_of(shape, cells_of(o.kind.shape, o.x, o.y)[1])
        if not (island[grown(body)] == homes[0]).any():
            raise _error(game_map, f"{_spelled(o)} cannot be reached from any start")


def _spelled(o: MapObject) -> str:
    return f"{o.type} at ({o.x:g}, {o.y:g})"
