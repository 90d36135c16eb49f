"""Is a generated map good enough to be played on?"""

import numpy as np
from numpy.typing import NDArray

from terrarium.data.maps.expansions import find_expansions
from terrarium.data.maps.game_map import GameMap, Place
from terrarium.data.maps.generator.plan import MapPlan
from terrarium.data.maps.generator.stamps import STEPS_PER_DIAGONAL
from terrarium.data.maps.grids import Mask, grown, mask_of, regions
from terrarium.data.maps.objects import Cell
from terrarium.data.maps.ramps import Wall, main_ramp

OPEN_SHARE = 0.55
"""of the playable area is open at least; six recorded maps have 0.64 to 0.75"""
NATURAL_AWAY = 70
"""steps from a main to the nearest other base at most"""
STARTS_APART = 60
"""steps from start to start at least, in percent of a side of the playable area"""


def has_wide_mains(highest: Mask, plan: MapPlan) -> bool:
    """Has each player enough of the open ground on the highest level? Quick, to be asked early."""
    n_players = len(plan.symmetry.flips)
    return bool(highest.sum() >= plan.main_cells * n_players)


def is_good(game_map: GameMap, plan: MapPlan, places: list[Place]) -> bool:
    """Bases are found where they were planned, ramps can be walled, ways have the right length."""
    x0, y0, x1, y1 = game_map.playable
    share = game_map.pathing_grid.sum() / ((x1 - x0) * (y1 - y0))
    if share < OPEN_SHARE:
        return False
    if not _cliffs_part_levels(game_map):
        return False
    if {e.place for e in find_expansions(game_map)} != set(places):
        return False
    if not all(_main_is_closed(game_map, start, plan.main_cells) for start in game_map.starts):
        return False
    steps = steps_from(game_map.walkable(), game_map.starts[0])
    others = [steps[int(y), int(x)] for x, y in places if (x, y) not in game_map.starts]
    starts = [steps[int(y), int(x)] for x, y in game_map.starts[1:]]
    if min(*others, *starts) < 0:
        return False  # only through rocks
    side = (x1 - x0 + y1 - y0) // 2
    return bool(min(others) <= NATURAL_AWAY and 100 * min(starts) >= STARTS_APART * side)


def _cliffs_part_levels(game_map: GameMap) -> bool:
    """Do open cells beside each other differ in height by no more than a ramp's do?"""
    height, ground = game_map.terrain_height.astype(np.int64), game_map.pathing_grid
    aside = np.abs(np.diff(height, axis=1))[ground[:, 1:] & ground[:, :-1]]
    upward = np.abs(np.diff(height, axis=0))[ground[1:] & ground[:-1]]
    return bool(max(aside.max(), upward.max()) <= STEPS_PER_DIAGONAL)


def _main_is_closed(game_map: GameMap, start: Place, fewest: int) -> bool:
    """One ramp leads to the main, and its wall can be built and closes it."""
    ramp = main_ramp(game_map, start)
    if ramp is None:
        return False
    wall = ramp.wall()
    buildable = game_map.buildable()
    needed = _wall_cells(wall)
    if not (mask_of(buildable.shape, needed) <= buildable).all():
        return False
    depots = [cell for at in wall.depots for cell in _square(at, 2)]
    closed = game_map.pathing_grid & ~mask_of(buildable.shape, depots)
    part = regions(closed)
    home = part[int(start[1]), int(start[0])]
    bottom_x, bottom_y = ramp.lower[0]
    return bool(part[bottom_y, bottom_x] != home and (part == home).sum() >= fewest)


def _wall_cells(wall: Wall) -> list[Cell]:
    """All that any of the walls takes, add-on included."""
    x, y = wall.barracks_with_addon
    squares = [(at, 2) for at in wall.depots] + [(wall.barracks, 3), ((x, y), 3)]
    return [cell for at, side in [*squares, ((x + 2.5, y - 0.5), 2)] for cell in _square(at, side)]


def _square(at: Place, side: int) -> list[Cell]:
    left, low = round(at[0] - side / 2), round(at[1] - side / 2)
    return [(left + dx, low + dy) for dx in range(side) for dy in range(side)]


def steps_from(walkable: Mask, start: Place) -> NDArray[np.int64]:
    """Steps to cells beside each other; -1 where none lead."""
    steps = np.full(walkable.shape, -1, np.int64)
    front = mask_of(walkable.shape, [(int(start[0]), int(start[1]))])
    reached, n = front.copy(), 0
    while front.any():
        steps[front] = n
        front = grown(front, diagonal=False) & walkable & ~reached
        reached |= front
        n += 1
    return steps
