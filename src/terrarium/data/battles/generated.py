"""A generated terrain as large as a ladder map, for tests of scale; the same on both sides."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from terrarium.data.battles.scenario import Terrain
from terrarium.data.battles.terrains import MAX_SIZE, frozen_terrain, ground_z, regions
from terrarium.errors import TerrariumError

MIN_SIZE = 64

_HEIGHTS = {1: 8.0, 2: 10.0}
_CLEARANCE = 3  # cells around ramps, gaps and starts that no rock may block
_TRIES = 50


@dataclass
class _Draft:
    """Grids under construction. Whatever is drawn is drawn twice, the second time turned by
    180 degrees about the center of the map."""

    border: int
    walkable: NDArray[np.bool_]
    level: NDArray[np.uint8]
    ramp: NDArray[np.uint8]
    keep_clear: NDArray[np.bool_]

    @classmethod
    def empty(cls, size: int) -> "_Draft":
        border = size // 16
        walkable = np.zeros((size, size), dtype=np.bool_)
        walkable[border : size - border, border : size - border] = True
        flat = np.zeros((size, size), dtype=np.uint8)
        return cls(border, walkable, flat + np.uint8(1), flat, np.zeros_like(walkable))


def generate_terrain(size: int, seed: int) -> Terrain:
    """A square terrain: a plateau in the corner of each side, plateaus between them, ramps,
    ridges with a gap, rocks. Equal seeds give equal terrains; all of its ground is connected."""
    size = _whole("size", size, MIN_SIZE, MAX_SIZE)
    seed = _whole("seed", seed, 0, None)
    rng = np.random.default_rng(seed)
    for _ in range(_TRIES):
        draft = _draw(size, rng)
        terrain = _terrain(draft, f"generated_{size}_{seed}")
        region = regions(terrain)
        # If both starts lie in one region, that region is its own mirror image: dropping the
        # pockets around it keeps the symmetry.
        start = draft.border + _CLEARANCE
        home = region[start, start]
        if 0 < home == region[-1 - start, -1 - start]:
            return frozen_terrain(replace(terrain, walkable=region == home))
    raise AssertionError(f"no connected terrain of size {size} from seed {seed}")


def _whole(what: str, value: object, low: int, high: int | None) -> int:
    number = int(value) if isinstance(value, int | np.integer) else None
    if number is None or isinstance(value, bool) or number < low or (high and number > high):
        allowed = f"{low} or more" if high is None else f"{low} to {high}"
        raise TerrariumError(
            f"{what} of a generated terrain: {value!r} is not a whole number, {allowed}"
        )
    return number


def _terrain(draft: _Draft, name: str) -> Terrain:
    size, border = draft.walkable.shape[0], float(draft.border)
    return Terrain(
        name=name,
        title=f"Generated, {size} x {size}",
        width=size,
        height=size,
        playable=(border, border, size - border, size - border),
        walkable=draft.walkable,
        level=draft.level,
        ramp=draft.ramp,
        z=ground_z(draft.level, draft.ramp, _HEIGHTS),
        creep=np.zeros_like(draft.walkable),
    )


def _draw(size: int, rng: np.random.Generator) -> _Draft:
    draft = _Draft.empty(size)
    start = draft.border
    _both(draft.keep_clear, start, start, 2 * _CLEARANCE, 2 * _CLEARANCE, True)
    _main_plateau(draft, rng)
    _middle_plateau(draft, rng)
    for vertical in (False, True):
        _ridge(draft, rng, vertical)
    _rocks(draft, rng)
    return draft


def _both(grid: NDArray[np.generic], x: int, y: int, width: int, height: int, value: int) -> None:
    """Fill a rectangle and the same rectangle turned about the center."""
    for view in (grid, grid[::-1, ::-1]):
        view[max(y, 0) : y + height, max(x, 0) : x + width] = value


def _main_plateau(draft: _Draft, rng: np.random.Generator) -> None:
    """The high ground in the corner where a side starts, with one ramp on each open edge."""
    size, start = draft.walkable.shape[0], draft.border
    width, height = (int(n) for n in rng.integers(size // 5, size // 4, size=2))
    _both(draft.level, start, start, width, height, 2)
    _ramp_right(draft, start + width, start + int(rng.integers(2, height - 6)), rng)
    _ramp_up(draft, start + int(rng.integers(2, width - 6)), start + height, rng)


def _middle_plateau(draft: _Draft, rng: np.random.Generator) -> None:
    """High ground between the sides, off the diagonal on which they meet."""
    size = draft.walkable.shape[0]
    width, height = (int(n) for n in rng.integers(size // 8, size // 5, size=2))
    x = int(rng.integers(5 * size // 8, 11 * size // 16))
    y = int(rng.integers(size // 4, size // 3))
    _both(draft.level, x, y, width, height, 2)
    _ramp_up(draft, x + int(rng.integers(1, width - 5)), y + height, rng)
    _ramp_right(draft, x + width, y + int(rng.integers(1, height - 5)), rng)


def _ramp_right(draft: _Draft, x: int, y: int, rng: np.random.Generator) -> None:
    """A ramp that falls to the right from the edge `x` of a plateau: upper third first."""
    wide = int(rng.integers(3, 5))
    for along, third in enumerate((3, 2, 1)):
        _both(draft.ramp, x + along, y, 1, wide, third)
    _keep_clear(draft, x, y, 3, wide)


def _ramp_up(draft: _Draft, x: int, y: int, rng: np.random.Generator) -> None:
    """A ramp that falls upwards on the map (to larger y) from the edge `y` of a plateau."""
    wide = int(rng.integers(3, 5))
    for along, third in enumerate((3, 2, 1)):
        _both(draft.ramp, x, y + along, wide, 1, third)
    _keep_clear(draft, x, y, wide, 3)


def _keep_clear(draft: _Draft, x: int, y: int, width: int, height: int) -> None:
    c = _CLEARANCE
    _both(draft.keep_clear, x - c, y - c, width + 2 * c, height + 2 * c, True)


def _ridge(draft: _Draft, rng: np.random.Generator, vertical: bool) -> None:
    """A wall from the border into the map with one gap: a choke."""
    size, start = draft.walkable.shape[0], draft.border
    wall = np.zeros_like(draft.walkable)
    at = int(rng.integers(3 * size // 8, 7 * size // 16))
    length = int(rng.integers(size // 4, size // 3))
    gap, gap_at = int(rng.integers(4, 7)), int(rng.integers(4, length - 10))
    boxes = ((start, gap_at), (start + gap_at + gap, length - gap_at - gap))
    for y, height in boxes:
        wall[y : y + height, at : at + 2] = True
    opening = (at, start + gap_at, 2, gap)
    if not vertical:
        wall, opening = wall.T, (opening[1], opening[0], gap, 2)
    wall = (wall | wall[::-1, ::-1]) & ~draft.keep_clear & (draft.level == 1)
    draft.walkable &= ~wall
    _keep_clear(draft, *opening)


def _rocks(draft: _Draft, rng: np.random.Generator) -> None:
    """Round obstacles here and there."""
    size = draft.walkable.shape[0]
    y, x = np.mgrid[0:size, 0:size]
    rock = np.zeros_like(draft.walkable)
    for center_x, center_y in rng.integers(draft.border, size - draft.border, (size // 6, 2)):
        radius = rng.uniform(0.8, 3.2)
        rock |= (x - center_x) ** 2 + (y - center_y) ** 2 <= radius**2
    rock = (rock | rock[::-1, ::-1]) & ~draft.keep_clear
    draft.walkable &= ~rock
