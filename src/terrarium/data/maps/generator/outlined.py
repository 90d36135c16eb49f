"""Generated maps in the place of recorded ones: their size, playable area and starts are given."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.data.maps.checks import MapError
from terrarium.data.maps.game_map import GameMap, Place
from terrarium.data.maps.generator.draws import Draws
from terrarium.data.maps.generator.generate import VOID, build_map
from terrarium.data.maps.generator.ladder import BASE_APART, MARGIN, apart, complete_plan
from terrarium.data.maps.generator.plan import BASE, MAIN, NATURAL, Area, Site
from terrarium.data.maps.generator.symmetry import FOUR, MIRROR, POINT, UPRIGHT_MIRROR, Symmetry
from terrarium.data.maps.ladder_maps import LadderMap
from terrarium.data.maps.objects import MapObject

BORDER = 8
"""cells around what is drawn, at least; the recorded grid lies around that"""
_TRIES = 4000
_TRIES_PER_BASE = 1000
"""so many seeds try to place all bases, the next ones a base of each player less"""
_DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1))


def ladder_like(outline: LadderMap) -> GameMap:
    """The first good map with this outline, from its seed on.

    All players have the same ground, so starts that no flip of the axes carries into each other
    are kept for the first player, and are as near as flips allow for the others.
    """
    for seed in range(outline.seed, outline.seed + _TRIES):
        made = try_outline(outline, seed)
        if made is not None:
            return made
    raise MapError(f"no map was found with the starts of {outline.name}")


def try_outline(outline: LadderMap, seed: int) -> GameMap | None:
    """The map of one seed; None if it did not come out well."""
    center = _center(outline)
    x0, y0, x1, y1 = outline.playable
    half_width = min(center[0] - x0, x1 - center[0])
    half_height = min(center[1] - y0, y1 - center[1])
    width, height = _side(half_width), _side(half_height)
    left, low = center[0] - width // 2, center[1] - height // 2
    symmetry = Symmetry(_flips(outline, center), width, height)
    in_x, in_y = width // 2 - half_width, height // 2 - half_height
    playable = (in_x, in_y, width - in_x, height - in_y)
    draws = Draws(seed)
    main = outline.starts[0][0] - left, outline.starts[0][1] - low
    home = _home(draws, symmetry, playable, main)
    if home is None:
        return None
    # On some there is no room for all bases that the recorded map has.
    n_families = max(2, outline.n_bases // len(outline.starts) - seed // _TRIES_PER_BASE)
    plan = complete_plan(draws, symmetry, playable, home, n_families)
    title = f"{outline.name} (generated)"
    made = None if plan is None else build_map(draws, plan, outline.name, title)
    return None if made is None else _moved(made, outline, left, low)


def _side(half: int) -> int:
    """Of the grid that is drawn: whole bytes of bits."""
    side = 2 * (half + BORDER)
    return side + -side % 8


def is_exact(outline: LadderMap) -> bool:
    """Do generated maps have all the starts of the recorded one?"""
    x, y = outline.starts[0]
    center = _center(outline)
    symmetry = Symmetry(_flips(outline, center), 2 * center[0], 2 * center[1])
    return set(symmetry.points(x, y)) == set(outline.starts)


def _center(outline: LadderMap) -> tuple[int, int]:
    """Between the starts; where they are not opposite, or four, in the middle of the area."""
    x0, y0, x1, y1 = outline.playable
    middle = (x0 + x1) // 2, (y0 + y1) // 2
    if len(outline.starts) != 2:
        return middle
    (ax, ay), (bx, by) = outline.starts
    return (
        int(ax + bx) // 2 if ax != bx else middle[0],
        int(ay + by) // 2 if ay != by else middle[1],
    )


def _flips(outline: LadderMap, center: tuple[int, int]) -> tuple[tuple[bool, bool], ...]:
    if len(outline.starts) == 4:
        return FOUR
    (ax, ay), (bx, by) = outline.starts
    if ay == by:
        return MIRROR
    return UPRIGHT_MIRROR if ax == bx else POINT


def _home(draws: Draws, symmetry: Symmetry, playable: Area, main: Place) -> list[Site] | None:
    """Main, natural, and a third base beyond it where there is room."""
    sites = [Site(MAIN, *main, level=2, reach=23, pinned=True)]
    to_natural, to_third = draws.between(29, 33), draws.between(27, 31)
    for dx, dy in draws.shuffled(_DIRECTIONS):
        aside = draws.between(-6, 6)
        x = main[0] + dx * to_natural + dy * aside
        y = main[1] + dy * to_natural + dx * aside
        if _has_room(symmetry, playable, sites, x, y):
            sites.append(Site(NATURAL, x, y, level=1, reach=12))
            break
    else:
        return None
    for dx, dy in draws.shuffled(_DIRECTIONS):
        x, y = sites[1].x + dx * to_third, sites[1].y + dy * to_third
        if _has_room(symmetry, playable, sites, x, y):
            sites.append(Site(BASE, x, y, level=0, reach=12))
            break
    return sites


def _has_room(symmetry: Symmetry, playable: Area, sites: list[Site], x: float, y: float) -> bool:
    x0, y0, x1, y1 = playable
    inside = x0 + MARGIN <= x <= x1 - MARGIN and y0 + MARGIN <= y <= y1 - MARGIN
    return inside and apart(symmetry, sites, x, y) >= BASE_APART


def _moved(made: GameMap, outline: LadderMap, left: int, low: int) -> GameMap:
    """The drawn map on the grid of the recorded one."""

    def placed(grid: NDArray[Any], fill: int) -> NDArray[Any]:
        width, height = outline.size
        result = np.full((height, width), fill, grid.dtype)
        from_x, from_y = max(0, -left), max(0, -low)
        part = grid[from_y : height - low, from_x : width - left]
        y, x = low + from_y, left + from_x
        result[y : y + part.shape[0], x : x + part.shape[1]] = part
        return result

    return replace(
        made,
        playable=outline.playable,
        pathing_grid=placed(made.pathing_grid, 0),
        placement_grid=placed(made.placement_grid, 0),
        terrain_height=placed(made.terrain_height, VOID),
        sight_blocker=placed(made.sight_blocker, 0),
        starts=tuple((x + left, y + low) for x, y in made.starts),
        objects=tuple(MapObject(o.type, o.x + left, o.y + low, o.contents) for o in made.objects),
    )
