"""Ground: which cells are open, how high they are, and the ramps between levels."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from terrarium.data.maps.generator.draws import Draws, value_noise
from terrarium.data.maps.generator.joins import CHOKE, MAIN_RAMP, OPEN, RAMP, Join
from terrarium.data.maps.generator.plan import FIELD, MAIN, MapPlan
from terrarium.data.maps.generator.regions import TILE, Pair, Regions
from terrarium.data.maps.generator.stamps import DIAGONALS, DIRECTIONS, STEPS_PER_DIAGONAL, Stamp
from terrarium.data.maps.generator.symmetry import Symmetry, flipped
from terrarium.data.maps.grids import Mask, grown, regions

LEVEL_HEIGHTS = (191, 207, 223)
HIGHEST = 2
"""the level of mains"""
CLIFF_APART = 2
"""cells of cliff at least between open ground of two levels, on each side"""
_CLIFF, _WALL = 4, 4  # half the thickness of cliffs and walls, in half cells
_FAR_EDGE, _NEAR_EDGE = (
    13,
    2,
)  # cells of closed ground along the edges, far from sites and near them
# Half cells around the meeting of three regions in which walls are thicker.
_CORNER, _MAIN_CORNER = 14, 20
_CUT = 14  # cells that the corners of the playable area lose
_SMALLEST_PILLAR = 6  # cells; smaller pieces of closed ground are opened


@dataclass
class GroundDraft:
    """Grids of cells under construction."""

    symmetry: Symmetry
    open: Mask
    level: NDArray[np.int64]
    ramp: Mask
    height: NDArray[np.int64]
    """of ramps; elsewhere that of the level"""
    kept: Mask
    """cells that must stay as they are: ramps and what belongs to them"""
    stamps: list[tuple[Stamp, bool]] = field(default_factory=list)
    """of the first image of each ramp, and whether rocks close it"""
    rocky_chokes: list[tuple[int, int]] = field(default_factory=list)
    """of the first image of each opening that rocks close"""


def make_ground(draws: Draws, regions_: Regions, joins: Mapping[Pair, Join]) -> GroundDraft | None:
    """Walls, cliffs and ramps; None if a main's ramp found no place."""
    plan = regions_.plan
    ground = _bare(draws, regions_, joins)
    for number, x, y in plan.images:
        site = plan.sites[number]
        disc = _disc(ground.open.shape, x, y, site.radius)
        ground.open |= disc
        ground.level[disc] = site.level
    done: set[Pair] = set()
    for pair, join in sorted(joins.items(), key=lambda item: (item[1].width != MAIN_RAMP, item[0])):
        if pair in done:
            continue
        done.update(regions_.orbit(pair))
        if join.kind == CHOKE:
            _open_choke(draws, ground, regions_, pair, join)
        elif join.kind == RAMP:
            found = _add_ramp(draws, ground, regions_, pair, join)
            if not found and join.width == MAIN_RAMP:
                return None
    x0, y0, x1, y1 = plan.playable
    inside = np.zeros_like(ground.open)
    inside[y0 + 1 : y1 - 1, x0 + 1 : x1 - 1] = True
    ground.open &= inside
    _part_levels(ground)
    clean(ground, plan)
    return ground


def _bare(draws: Draws, regions_: Regions, joins: Mapping[Pair, Join]) -> GroundDraft:
    plan, shape = regions_.plan, regions_.first.shape
    n_images = len(plan.images)
    thickness = np.full((n_images, n_images), _WALL)
    for a in range(n_images):
        for b in range(n_images):
            join = joins.get((min(a, b), max(a, b)))
            mains = MAIN in (plan.sites[plan.images[k][0]].kind for k in (a, b))
            if join is not None and join.kind == OPEN:
                thickness[a, b] = -1
            elif mains or regions_.levels[a] != regions_.levels[b]:
                thickness[a, b] = _CLIFF
    rough = plan.symmetry.even(value_noise(draws, shape, 7, 2))
    thick = thickness[regions_.first, regions_.second]
    at_main = np.array([plan.sites[number].kind == MAIN for number, _, _ in plan.images])
    widest = np.where(at_main[regions_.first], _MAIN_CORNER, _CORNER)
    corner = np.clip(widest - regions_.third_gap, 0, widest) // 2
    thick = np.where(thick > 0, np.maximum(thick + rough, 2) + corner, thick)
    wall = plan.symmetry.everywhere(regions_.gap <= thick)
    is_open = ~wall & _inside(draws, regions_)
    big = np.ones((TILE, TILE), np.int64)
    level = np.kron(regions_.levels[regions_.first], big)
    cells = np.kron(is_open, big).astype(np.bool_)
    empty = np.zeros(cells.shape, np.bool_)
    return GroundDraft(plan.symmetry, cells, level, empty, level * 0, empty.copy())


def _inside(draws: Draws, regions_: Regions) -> Mask:
    """Tiles far enough from the edges: bases reach nearer to them than what lies between."""
    plan, (rows, columns) = regions_.plan, regions_.first.shape
    x0, y0, x1, y1 = plan.playable
    x = TILE * np.arange(columns)
    y = TILE * np.arange(rows)
    edge_x, edge_y = np.minimum(x - x0, x1 - TILE - x), np.minimum(y - y0, y1 - TILE - y)[:, None]
    edge = np.minimum(edge_x, edge_y)
    noise = plan.symmetry.even(value_noise(draws, (rows, columns), 9, 2))
    reach = [plan.sites[number].reach + 3 for number, _, _ in plan.images]
    near = regions_.squared <= (2 * np.array(reach)[regions_.first]) ** 2
    # Mains are round: they are closed wherever the townhall is far away.
    is_main = np.array([plan.sites[number].kind == MAIN for number, _, _ in plan.images])
    round_main = (2 * (np.array(reach) - 3)[regions_.first]) ** 2
    far_in_main = is_main[regions_.first] & (regions_.squared > round_main)
    inside: Mask = edge >= np.where(near, _NEAR_EDGE + np.maximum(noise, 0), _FAR_EDGE + noise)
    return inside & (edge_x + edge_y >= _CUT + noise) & ~far_in_main


def _disc(shape: tuple[int, ...], x: float, y: float, radius: float) -> Mask:
    """Cells whose centers are not farther away; in half cells, all numbers are whole."""
    dx = 2 * np.arange(shape[1]) + 1 - round(2 * x)
    dy = (2 * np.arange(shape[0]) + 1 - round(2 * y))[:, None]
    disc: Mask = dx * dx + dy * dy <= round(2 * radius) ** 2
    return disc


def _border_cells(regions_: Regions, pair: Pair) -> list[tuple[int, int]]:
    """Corners in the middle of the tiles along a border, in whole cells."""
    along = (regions_.gap < 2 * TILE) & (
        ((regions_.first == pair[0]) & (regions_.second == pair[1]))
        | ((regions_.first == pair[1]) & (regions_.second == pair[0]))
    )
    return [(TILE * x + 1, TILE * y + 1) for y, x in np.argwhere(along).tolist()]


def _open_choke(
    draws: Draws, ground: GroundDraft, regions_: Regions, pair: Pair, join: Join
) -> None:
    """An opening in a wall, near the middle of it."""
    cells = _border_cells(regions_, pair)
    middle_x = sum(x for x, _ in cells) / len(cells)
    middle_y = sum(y for _, y in cells) / len(cells)
    cells.sort(key=lambda c: ((c[0] - middle_x) ** 2 + (c[1] - middle_y) ** 2, c))
    x, y = cells[draws.between(0, len(cells) // 4)]
    if join.rocks:
        ground.rocky_chokes.append((x, y))
    opening = ground.symmetry.everywhere(_disc(ground.open.shape, x, y, join.width / 2 + 1))
    level = int(regions_.levels[pair[0]])
    ground.open |= opening & (ground.level == level)


def _add_ramp(draws: Draws, ground: GroundDraft, regions_: Regions, pair: Pair, join: Join) -> bool:
    """Stamp a ramp and its images on the border, narrower where there is no room."""
    low, high = sorted(pair, key=lambda k: int(regions_.levels[k]))
    corners = draws.shuffled(_border_cells(regions_, pair))
    for width in range(join.width, 1, -2):
        for x, y in corners:
            for uphill in draws.shuffled(DIRECTIONS):
                half = DIAGONALS // 4
                stamp = Stamp(x + half * uphill[0], y + half * uphill[1], uphill, width)
                if _fits(ground, regions_, stamp, low, high) and _stamp(ground, stamp, join):
                    return True
        if width > 2 and width - 2 < 4:
            break
    return False


def _fits(ground: GroundDraft, regions_: Regions, stamp: Stamp, low: int, high: int) -> bool:
    """Do both ends lie on open ground of their regions, clear of townhalls and their fields?"""
    half = stamp.width // 2
    for ends, image in (((3, 5), high), ((-7, -9), low)):
        for along in ends:
            for across in (-half, 0, half):
                x, y = stamp.place(along, across)
                if not (0 <= x < ground.open.shape[1] and 0 <= y < ground.open.shape[0]):
                    return False
                if regions_.first[y // TILE, x // TILE] != image or not ground.open[y, x]:
                    return False
    middle_x, middle_y = stamp.place(-DIAGONALS // 4)
    for number, center_x, center_y in regions_.plan.images:
        site = regions_.plan.sites[number]
        clear = 4 if site.kind == FIELD else 9
        apart = (middle_x - center_x) ** 2 + (middle_y - center_y) ** 2
        if apart < (clear + stamp.width // 2) ** 2:
            return False
    return True


def _stamp(ground: GroundDraft, stamp: Stamp, join: Join) -> bool:
    """Draw a ramp in all images, unless two of them or an earlier one are in the way."""
    drawing = stamp.draw(ground.open.shape)
    images = [
        [flipped(part, flip) for part in (drawing.ramp, drawing.wall, drawing.upper, drawing.lower)]
        for flip in ground.symmetry.flips
    ]
    n_drawn = np.sum([part for parts in images for part in parts], axis=0)
    if (n_drawn > 1).any() or (ground.kept & (n_drawn > 0)).any():
        return False
    levels = _levels_of(ground, stamp)
    for (ramp, wall, upper, lower), flip in zip(images, ground.symmetry.flips, strict=True):
        ground.open = (ground.open | ramp | upper | lower) & ~wall
        ground.ramp |= ramp
        ground.level[upper], ground.level[lower] = levels[1], levels[0]
        rise = STEPS_PER_DIAGONAL * flipped(drawing.diagonal, flip)
        ground.height[ramp] = LEVEL_HEIGHTS[levels[0]] + rise[ramp] * (levels[1] - levels[0])
        ground.level[ramp] = levels[0]
        ground.kept |= ramp | wall | upper | lower
    ground.stamps.append((stamp, join.rocks))
    return True


def _levels_of(ground: GroundDraft, stamp: Stamp) -> tuple[int, int]:
    """Of the ground below and above."""
    (lx, ly), (hx, hy) = stamp.place(-8), stamp.place(4)
    return int(ground.level[ly, lx]), int(ground.level[hy, hx])


def _part_levels(ground: GroundDraft) -> None:
    """Close what lies beside ground of another level, on both sides: between them is a cliff."""
    flat = ground.open & ~ground.ramp
    for level in range(len(LEVEL_HEIGHTS)):
        near_others = flat & (ground.level != level)
        for _ in range(CLIFF_APART):
            near_others = grown(near_others)
        ground.open &= ~(flat & (ground.level == level) & near_others & ~ground.kept)


def clean(ground: GroundDraft, plan: MapPlan) -> None:
    """Keep what is wide enough to walk and hangs together with the starts; no small pillars."""
    closed = ~ground.open
    ground.open |= _small_parts(closed) & ~ground.kept
    wide = _opened(ground.open)
    ground.open = wide | ground.kept & ground.open
    part = regions(ground.open)
    main = next(site for site in plan.sites if site.kind == MAIN)
    homes = {int(part[int(y), int(x)]) for x, y in ground.symmetry.points(main.x, main.y)}
    ground.open &= np.isin(part, sorted(homes))
    ground.ramp &= ground.open


def _small_parts(mask: Mask) -> Mask:
    part = regions(mask)
    numbers, sizes = np.unique(part[mask], return_counts=True)
    return np.isin(part, numbers[sizes < _SMALLEST_PILLAR])


def _opened(mask: Mask) -> Mask:
    """The cells that lie in an open square of three by three."""
    padded = np.pad(mask, 1)
    rows = padded[:-2] & padded[1:-1] & padded[2:]
    centers = rows[:, :-2] & rows[:, 1:-1] & rows[:, 2:]
    return grown(centers)
