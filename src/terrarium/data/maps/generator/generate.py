"""From a seed to a map."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.data.maps.checks import MAX_SIZE, MapError
from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.generator.draws import Draws
from terrarium.data.maps.generator.furnish import Furniture, furnish
from terrarium.data.maps.generator.ground import HIGHEST, LEVEL_HEIGHTS, GroundDraft, make_ground
from terrarium.data.maps.generator.joins import choose_joins
from terrarium.data.maps.generator.judge import has_wide_mains, is_good
from terrarium.data.maps.generator.ladder import FLIPS, PRESETS, Preset, plan_ladder
from terrarium.data.maps.generator.plan import MapPlan
from terrarium.data.maps.generator.regions import make_regions
from terrarium.data.maps.grids import grown
from terrarium.errors import nearest

MIN_SIDE = 120
"""cells; smaller maps have no room for the bases of two players"""
BORDER = 16
"""cells around the playable area of a map whose size is given"""
_CELLS_PER_BASE = 1250
VOID = 127
"""the height of what nothing is on"""
_TRIES = 200


def generate_map(
    seed: int,
    size: str | tuple[int, int] = "medium",
    players: int = 2,
    symmetry: str = "point",
    name: str | None = None,
) -> GameMap:
    """A map in the manner of the ladder's; equal arguments give equal maps on every machine.

    `size` is a preset, or width and height in cells. `symmetry` is point (the second player's half
    is the first one's, turned by 180 degrees) or mirror.
    """
    preset = _preset(size, players)
    if (symmetry, players) not in FLIPS:
        raise MapError(
            f'there is no symmetry "{symmetry}" for {players} players. Allowed: point or mirror '
            "for 2, mirror for 4 (fields of 2 x 1 cells cannot be turned by 90 degrees)"
        )
    if not 0 <= seed < 1 << 63:
        raise MapError(f"seed is {seed}; allowed are 0 to {2**63 - 1}")
    label = name or f"generated_{seed}"
    title = f"Generated for {players} players, {symmetry} symmetry"
    for attempt in range(_TRIES):
        draws = Draws(seed * _TRIES + attempt)
        plan = plan_ladder(draws, preset, symmetry, players)
        made = None if plan is None else build_map(draws, plan, label, title)
        if made is not None:
            return made
    raise MapError(f"no map of this size was found with seed {seed}; take another one")


def build_map(draws: Draws, plan: MapPlan, name: str, title: str) -> GameMap | None:
    """Make a map of a plan; None if it did not come out well."""
    regions = make_regions(draws, plan)
    joins = choose_joins(draws, regions)
    ground = make_ground(draws, regions, joins)
    if ground is None or not has_wide_mains(ground.open & (ground.level == HIGHEST), plan):
        return None
    furniture = furnish(draws, ground, regions, joins)
    if furniture is None:
        return None
    try:
        game_map = _assembled(ground, furniture, plan, name, title)
    except MapError:
        return None
    places = [p for x, y in furniture.places for p in ground.symmetry.points(x, y)]
    return game_map if is_good(game_map, plan, places) else None


def _assembled(
    ground: GroundDraft, furniture: Furniture, plan: MapPlan, name: str, title: str
) -> GameMap:
    x, y = furniture.places[0]
    return GameMap(
        name=name,
        title=title,
        playable=plan.playable,
        pathing_grid=ground.open,
        placement_grid=ground.open & ~ground.ramp & ~furniture.sight_blocker,
        terrain_height=_heights(ground),
        sight_blocker=furniture.sight_blocker,
        starts=tuple(ground.symmetry.points(x, y)),
        objects=tuple(sorted(furniture.objects, key=lambda o: (o.type, o.x, o.y))),
    )


def _heights(ground: GroundDraft) -> NDArray[np.uint8]:
    """Levels and ramps; what is closed stands as high as the region around it, or is a void."""
    height = np.array(LEVEL_HEIGHTS)[ground.level]
    near = ground.open
    for _ in range(4):
        near = grown(near)
    height = np.where(near, height, VOID)
    result: NDArray[Any] = np.where(ground.ramp, ground.height, height)
    return result.astype(np.uint8)


def _preset(size: str | tuple[int, int], players: int) -> Preset:
    if isinstance(size, str):
        if size not in PRESETS:
            raise MapError(
                f'unknown size "{size}".{nearest(size, PRESETS)} Allowed: {", ".join(PRESETS)}, or '
                "width and height in cells"
            )
        return PRESETS[size]
    width, height = size
    if not all(MIN_SIDE <= n <= MAX_SIZE and n % 8 == 0 for n in size):
        raise MapError(
            f"a map of {width} x {height} cells cannot be generated; multiples of 8 from "
            f"{MIN_SIDE} to {MAX_SIZE} are allowed"
        )
    inner = width - 2 * BORDER, height - 2 * BORDER
    n_bases = max(3, inner[0] * inner[1] // _CELLS_PER_BASE // players) * players
    return Preset(width, height, *inner, n_bases)
