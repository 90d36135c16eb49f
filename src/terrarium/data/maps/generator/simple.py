"""Small maps with fixed sites, after the simple ones that come with the game's API."""

from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.generator.draws import Draws
from terrarium.data.maps.generator.generate import build_map
from terrarium.data.maps.generator.plan import BASE, FIELD, MAIN, NATURAL, MapPlan, Site
from terrarium.data.maps.generator.symmetry import MIRROR, POINT, Symmetry

BORDER = 8
_TRIES = 100
_ROUGHNESS, _MAIN_CELLS = 5, 500
SIMPLE_SITES = {
    64: (
        (MAIN, 13.5, 13.5, 2, 18),
        (NATURAL, 14.5, 42.5, 1, 11),
        (FIELD, 32.0, 32.0, 0, 8),
    ),
    96: (
        (MAIN, 16.5, 16.5, 2, 22),
        (NATURAL, 17.5, 47.5, 1, 12),
        (BASE, 16.5, 77.5, 0, 12),
        (FIELD, 48.0, 48.0, 0, 10),
    ),
    128: (
        (MAIN, 17.5, 17.5, 2, 23),
        (NATURAL, 18.5, 48.5, 1, 12),
        (BASE, 17.5, 78.5, 0, 12),
        (BASE, 18.5, 109.5, 1, 12),
        (BASE, 53.5, 42.5, 0, 12),
        (FIELD, 64.0, 64.0, 0, 10),
    ),
}
"""playable cells a side, and kind, x, y, level, reach of the sites"""
TWO_BASE_SIDES = (88, 56)
TWO_BASE_SITES = (
    (MAIN, 13.5, 13.5, 2, 18),
    (NATURAL, 15.5, 43.5, 1, 11),
    (FIELD, 37.5, 30.5, 0, 8),
)

Row = tuple[str, float, float, int, int]


def simple_map(size: int) -> GameMap:
    """Mains on high ground behind a ramp, naturals, and on larger maps more bases."""
    name, title = f"simple_{size}", "Simple, two players"
    return _fixed(name, title, (size, size), SIMPLE_SITES[size], POINT)


def two_base_map() -> GameMap:
    """A main and a natural for each of two players, and nothing else."""
    title = "Small, two bases for each player"
    return _fixed("two_base", title, TWO_BASE_SIDES, TWO_BASE_SITES, MIRROR)


def _fixed(
    name: str,
    title: str,
    sides: tuple[int, int],
    rows: tuple[Row, ...],
    flips: tuple[tuple[bool, bool], ...],
) -> GameMap:
    """The first map of these sites that came out well."""
    width, height = sides
    symmetry = Symmetry(flips, width + 2 * BORDER, height + 2 * BORDER)
    playable = (BORDER, BORDER, BORDER + width, BORDER + height)
    sites = tuple(
        Site(kind, BORDER + x, BORDER + y, level, reach) for kind, x, y, level, reach in rows
    )
    plan = MapPlan(symmetry, playable, sites, _ROUGHNESS, _MAIN_CELLS)
    for seed in range(_TRIES):
        made = build_map(Draws(seed), plan, name, title)
        if made is not None and len(made.resources) == _n_resources(plan):
            return made
    raise AssertionError(f"no seed makes {name}")


def _n_resources(plan: MapPlan) -> int:
    """Of all bases: 8 fields and 2 geysers each."""
    n_bases = sum(plan.sites[number].kind != FIELD for number, _, _ in plan.images)
    return 10 * n_bases
