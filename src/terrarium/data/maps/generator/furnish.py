"""What stands on the ground: resources, rocks, towers, plates, pillars, sight blockers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terrarium.data.maps import layouts
from terrarium.data.maps.generator.draws import Draws
from terrarium.data.maps.generator.ground import HIGHEST, GroundDraft, clean
from terrarium.data.maps.generator.joins import OPEN, Join
from terrarium.data.maps.generator.plan import FIELD, GOLD, MAIN, NATURAL, MapPlan, Site
from terrarium.data.maps.generator.regions import TILE, Pair, Regions
from terrarium.data.maps.generator.stamps import DIAGONALS, Stamp
from terrarium.data.maps.generator.symmetry import FOUR, Flip
from terrarium.data.maps.grids import Mask, grown, mask_of, taken_by, townhall_cells
from terrarium.data.maps.layouts import LAB, RICH, Look, Spot, place_base
from terrarium.data.maps.objects import Cell, MapObject, cells_of

PLATES, TOWER = "unbuildable_plates_destructible", "xelnaga_tower"
ROCKS_6X6, ROCKS_4X4 = "destructible_rock_6x6", "destructible_rock_4x4"
ROCKS_ACROSS = "destructible_ramp_diagonal_huge"
_PLATES_BELOW_RAMP = ((-4, -6), (-6, -4), (-3, -6), (-6, -3))
"""from the top of a main ramp, uphill being (1, 1): where the recorded maps have them"""
_BACK = 7  # cells around a resource in which closed ground is counted
_LINES = (layouts.ABOVE, layouts.BESIDE)
_LINE_WEIGHT = 7  # of 10: few of the recorded bases have their fields in a line
_CRESCENT = (11, 13)  # cells from a townhall to what lies behind its fields
_MOST_DROPPED = 2  # bases without room for their resources, of all players
_SHIFT = 3  # cells by which a base may lie off its site


@dataclass(frozen=True)
class Furniture:
    """What was put on the ground; places are those of the first image of each base."""

    places: tuple[tuple[float, float], ...]
    objects: tuple[MapObject, ...]
    sight_blocker: Mask


def furnish(
    draws: Draws, ground: GroundDraft, regions: Regions, joins: Mapping[Pair, Join]
) -> Furniture | None:
    """Fill the ground; None if a base has no room for its resources."""
    plan = regions.plan
    look = draws.choice((Look(), LAB))
    objects: list[MapObject] = []
    places = []
    dropped, most_dropped = 0, _MOST_DROPPED // len(ground.symmetry.flips)
    for site in plan.sites:
        if site.kind == FIELD:
            continue
        base = _best_base(draws, ground, site, RICH if site.kind == GOLD else look)
        if base is None:
            dropped += 1  # it stays open ground
            if site.kind in (MAIN, NATURAL) or dropped > most_dropped:
                return None
            continue
        places.append(base[0])
        if site.kind != MAIN:
            _add_back(ground, *base)
        objects += [image for o in base[1] for image in ground.symmetry.objects(o)]
    clean(ground, plan)
    _add_pillars(draws, ground, plan, objects)
    objects += _rocks(draws, ground, objects)
    objects += _towers(draws, ground, plan, objects)
    blockers = _sight_blockers(draws, ground, regions, joins, objects)
    return Furniture(tuple(places), tuple(objects), blockers)


def _best_base(
    draws: Draws, ground: GroundDraft, site: Site, look: Look
) -> tuple[tuple[float, float], list[MapObject]] | None:
    """The arrangement whose fields have most closed ground at their backs."""
    free = ground.open & ~ground.kept & (ground.level == site.level)
    closed = _count_around(~ground.open, _BACK)
    kinds: Sequence[tuple[Spot, ...]] = layouts.CORNERS
    if site.kind != MAIN:
        kinds = (*layouts.CORNERS, layouts.GAS_BELOW, layouts.ABOVE, layouts.BESIDE)
    if site.kind == GOLD:
        kinds = (layouts.GOLD,)
    flips: tuple[Flip, ...] = FOUR
    if site.kind == MAIN:  # the fields of a main stand in the corner
        flips = ((2 * site.x < free.shape[1], 2 * site.y < free.shape[0]),)
    most_shift = 0 if site.pinned else _SHIFT
    shift = np.arange(-most_shift, most_shift + 1)
    shifts = np.stack(np.meshgrid(shift, shift), axis=-1).reshape(-1, 2)
    best, most = None, -1
    for layout in draws.shuffled(kinds):
        weight = _LINE_WEIGHT if layout in _LINES else 10
        for flip_x, flip_y in flips:
            base = place_base(site.x, site.y, layout, look, flip_x, flip_y)
            spots = np.array([(int(o.x), int(o.y)) for o in base]) + shifts[:, None]
            x, y = spots[..., 0], spots[..., 1]  # [shifts, resources]
            scores = closed[y, x].sum(axis=1) * weight - np.abs(shifts).sum(axis=1)
            scores = np.where(free[y, x].all(axis=1), scores, -1)
            for k in np.argsort(-scores, kind="stable").tolist():
                if scores[k] <= most:
                    break
                place = site.x + int(shifts[k, 0]), site.y + int(shifts[k, 1])
                moved = place_base(*place, layout, look, flip_x, flip_y)
                if _has_room(free, *place, moved):
                    best, most = (place, moved), int(scores[k])
                    break
    return best


def _add_back(ground: GroundDraft, place: tuple[float, float], base: list[MapObject]) -> None:
    """Close a crescent behind the fields, where the ground is open there."""
    x, y = place
    height, width = ground.open.shape
    # In half cells, from the townhall; towards the fields the product with their sum is large.
    dx = 2 * np.arange(width) + 1 - round(2 * x)
    dy = (2 * np.arange(height) + 1 - round(2 * y))[:, None]
    to_x = sum(round(2 * (o.x - x)) for o in base)
    to_y = sum(round(2 * (o.y - y)) for o in base)
    squared = dx * dx + dy * dy
    along = dx * to_x + dy * to_y
    near, far = _CRESCENT
    ring = (squared >= (2 * near) ** 2) & (squared <= (2 * far) ** 2) & (along > 0)
    ahead = 4 * along * along >= squared * (to_x * to_x + to_y * to_y)  # within 60 degrees
    ground.open &= ~ground.symmetry.everywhere(ring & ahead & ~ground.kept)


def _has_room(free: Mask, x: float, y: float, base: list[MapObject]) -> bool:
    cells = [*townhall_cells(x, y), *(c for o in base for c in cells_of(o.kind.shape, o.x, o.y)[0])]
    return all(free[cy, cx] for cx, cy in cells)


def _count_around(mask: Mask, reach: int) -> NDArray[np.int64]:
    """How many cells of the mask lie in the square around each cell."""
    side = 2 * reach + 1
    total = np.pad(np.pad(mask, reach).astype(np.int64).cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    result: NDArray[np.int64] = (
        total[side:, side:] - total[:-side, side:] - total[side:, :-side] + total[:-side, :-side]
    )
    return result


def _add_pillars(
    draws: Draws, ground: GroundDraft, plan: MapPlan, objects: list[MapObject]
) -> None:
    """Small pieces of closed ground in wide open places."""
    for _ in range(draws.between(1, 4)):
        radius = draws.between(2, 3)
        is_main = ground.level == HIGHEST
        clear = _count_around(~ground.open | ground.kept | is_main, radius + 6) == 0
        for _, x, y in plan.images:
            clear[max(0, int(y) - 9) : int(y) + 10, max(0, int(x) - 9) : int(x) + 10] = False
        clear &= ~grown(taken_by(clear.shape, objects))
        spots = np.argwhere(clear)
        if not len(spots):
            return
        y, x = spots[draws.between(0, len(spots) - 1)].tolist()
        dy, dx = np.ogrid[: clear.shape[0], : clear.shape[1]]
        pillar = (dx - x) ** 2 + (dy - y) ** 2 <= radius * (radius + 1)
        ground.open &= ~ground.symmetry.everywhere(pillar)


def _rocks(draws: Draws, ground: GroundDraft, objects: list[MapObject]) -> list[MapObject]:
    """On ramps and openings that rocks close, and plates below the ramps of mains."""
    placed = []
    for stamp, rocky in ground.stamps:
        x, y = stamp.place(-DIAGONALS // 4)
        if rocky and stamp.width <= 4:
            placed.append(MapObject(ROCKS_6X6, x, y))
        elif rocky:
            across = "ulbr" if stamp.uphill[0] == stamp.uphill[1] else "blur"
            placed.append(MapObject(f"{ROCKS_ACROSS}_{across}", x, y))
        elif stamp.width == 2:
            placed.append(_plates(draws, ground, stamp))
    placed += [MapObject(ROCKS_6X6, x, y) for x, y in ground.rocky_chokes]
    taken = taken_by(ground.open.shape, objects)
    images = []
    for o in placed:
        cells = mask_of(taken.shape, cells_of(o.kind.shape, o.x, o.y)[0])
        if (cells & ground.open).any() and not (cells & taken).any():
            bodies = ground.symmetry.objects(o)
            all_cells = [c for b in bodies for c in cells_of(b.kind.shape, b.x, b.y)[0]]
            if len(set(all_cells)) == len(all_cells) and _all_on(taken.shape, all_cells):
                images += bodies
    return images


def _all_on(shape: tuple[int, ...], cells: list[Cell]) -> bool:
    return all(0 <= x < shape[1] and 0 <= y < shape[0] for x, y in cells)


def _plates(draws: Draws, ground: GroundDraft, stamp: Stamp) -> MapObject:
    """At one of the usual places, on open ground where there is some."""
    ux, uy = stamp.uphill
    spots = [(stamp.x + ux * dx, stamp.y + uy * dy) for dx, dy in _PLATES_BELOW_RAMP]
    free = [(x, y) for x, y in spots if ground.open[y - 1 : y + 1, x - 1 : x + 1].all()]
    return MapObject(PLATES, *draws.choice(free or spots))


def _towers(
    draws: Draws, ground: GroundDraft, plan: MapPlan, objects: list[MapObject]
) -> list[MapObject]:
    """Watch towers on one of the fields without resources."""
    fields = [site for site in plan.sites if site.kind == FIELD]
    if not fields or not draws.chance(60):
        return []
    site = draws.choice(fields)
    x, y = round(site.x), round(site.y)
    images = ground.symmetry.objects(MapObject(TOWER, x, y))
    free = ground.open & ~ground.kept & ~taken_by(ground.open.shape, objects)
    apart = len(images) == 1 or abs(images[0].x - images[1].x) + abs(images[0].y - images[1].y) > 8
    return images if apart and free[y - 2 : y + 2, x - 2 : x + 2].all() else []


def _sight_blockers(
    draws: Draws,
    ground: GroundDraft,
    regions: Regions,
    joins: Mapping[Pair, Join],
    objects: list[MapObject],
) -> Mask:
    """Along some of the borders between regions that are open to each other."""
    orbits = sorted({regions.orbit(pair)[0] for pair, join in joins.items() if join.kind == OPEN})
    # A border between a region and its own image has no first side.
    orbits = [pair for pair in orbits if len(regions.orbit(pair)) == len(ground.symmetry.flips)]
    chosen = draws.shuffled(orbits)[: draws.between(1, 2)]
    pairs = {pair for orbit in chosen for pair in regions.orbit(orbit)}
    along = np.zeros(regions.first.shape, np.bool_)
    for here, there in (
        (regions.first[:, :-1], regions.first[:, 1:]),
        (regions.first[:-1], regions.first[1:]),
    ):
        rows, columns = here.shape
        low, high = np.minimum(here, there), np.maximum(here, there)
        for a, b in pairs:
            along[:rows, :columns] |= (low == a) & (high == b)
    cells = np.kron(along, np.ones((TILE, TILE))).astype(np.bool_)
    taken = taken_by(cells.shape, objects)
    for _ in range(3):
        taken = grown(taken)
    blockers = ground.symmetry.everywhere(cells & ground.open & ~grown(ground.kept) & ~taken)
    return blockers & ground.open & ~ground.kept
