"""Plans in the manner of ladder maps: a main in a corner, a natural beside it, bases around."""

import math
from dataclasses import dataclass, replace

from terrarium.data.maps.generator.draws import Draws
from terrarium.data.maps.generator.plan import BASE, FIELD, GOLD, MAIN, NATURAL, Area, MapPlan, Site
from terrarium.data.maps.generator.symmetry import FOUR, MIRROR, POINT, Symmetry

BASE_APART = 26
"""cells between townhalls at least: those of recorded mains and naturals are 23 to 32 apart"""
MAIN_APART = 33
"""between a main and other bases than its natural: it has more ground"""
FIELD_APART = 19
MAIN_CELLS = 900
"""of open ground around a main's townhall; recorded ones have 1,374 to 1,830"""
MARGIN = 12
"""cells from a townhall's center to the edges of the playable area: fields stand between"""
FIELD_MARGIN = 26
"""the same for ground without resources: along the edges are bases"""
_TRIES = 60


@dataclass(frozen=True)
class Preset:
    """A size of map, within those of the recorded ones."""

    width: int
    height: int
    playable_width: int
    playable_height: int
    n_bases: int


PRESETS = {
    "small": Preset(152, 168, 124, 140, 14),
    "medium": Preset(168, 176, 140, 140, 16),
    "large": Preset(184, 184, 148, 148, 16),
    "four": Preset(184, 184, 156, 156, 16),
}
FLIPS = {("point", 2): POINT, ("mirror", 2): MIRROR, ("mirror", 4): FOUR}


def plan_ladder(draws: Draws, preset: Preset, symmetry_name: str, players: int) -> MapPlan | None:
    """Draw sites; None if a base found no room."""
    flips = FLIPS[symmetry_name, players]
    symmetry = Symmetry(flips, preset.width, preset.height)
    x0 = (preset.width - preset.playable_width) // 2
    y0 = (preset.height - preset.playable_height) // 2
    playable = (x0, y0, preset.width - x0, preset.height - y0)
    return complete_plan(
        draws, symmetry, playable, _home(draws, symmetry, playable), preset.n_bases // players
    )


def complete_plan(
    draws: Draws, symmetry: Symmetry, playable: Area, home: list[Site], n_families: int
) -> MapPlan | None:
    """Add bases and open ground to those that are near a start; None if a base found no room."""
    sites = list(home)
    while len(sites) < n_families:
        site = _another_base(draws, symmetry, playable, sites)
        if site is None:
            return None
        sites.append(site)
    _make_gold(draws, symmetry, sites)
    for _ in range(8):
        field = _field(draws, symmetry, playable, sites)
        if field is None:
            break
        sites.append(field)
    sites = _leveled(draws, sites)
    return MapPlan(symmetry, playable, tuple(sites), draws.between(12, 18), MAIN_CELLS)


def _home(draws: Draws, symmetry: Symmetry, playable: Area) -> list[Site]:
    """Main, natural and third along one edge, in one of the corners."""
    upright = draws.chance(50)
    flip = (draws.chance(50), draws.chance(50))
    across, along = draws.between(16, 20), draws.between(16, 20)
    to_natural, to_third = draws.between(30, 32), draws.between(27, 30)
    spots = [
        (across, along),
        (across + draws.between(-2, 3), along + to_natural),
        (across + draws.between(-2, 6), along + to_natural + to_third),
    ]
    kinds = [(MAIN, 2, 23), (NATURAL, 1, 12), (BASE, 0, 12)]
    sites: list[Site] = []
    for (a, b), (kind, level, reach) in zip(spots, kinds, strict=True):
        dx, dy = (a, b) if upright else (b, a)
        x = playable[2] - dx - 0.5 if flip[0] else playable[0] + dx + 0.5
        y = playable[3] - dy - 0.5 if flip[1] else playable[1] + dy + 0.5
        site = Site(kind, x, y, level, reach)
        if kind == BASE and apart(symmetry, sites, x, y) < BASE_APART:
            continue
        sites.append(site)
    return sites


def _another_base(
    draws: Draws, symmetry: Symmetry, playable: Area, sites: list[Site]
) -> Site | None:
    """The place that lies closest to others of those with enough room; edges are preferred."""
    best, best_score = None, -1000
    for _ in range(_TRIES):
        x, y = _random_place(draws, playable, MARGIN)
        room = apart(symmetry, sites, x, y)
        if room < BASE_APART or apart(symmetry, sites[:1], x, y) < MAIN_APART:
            continue
        x0, y0, x1, y1 = playable
        edge = min(x - x0, x1 - x, y - y0, y1 - y)
        score = -int(abs(room - BASE_APART - 3)) - 2 * max(0, int(edge) - 15) // 3
        if score > best_score:
            best, best_score = (x, y), score
    if best is None:
        return None
    return Site(BASE, *best, level=0, reach=12)


def _leveled(draws: Draws, sites: list[Site]) -> list[Site]:
    """Half of the sites beyond main and natural stand on the lowest level, half above it."""
    home, others = sites[:2], sites[2:]
    levels = draws.shuffled([k % 2 for k in range(len(others))])
    return home + [replace(site, level=n) for site, n in zip(others, levels, strict=True)]


def _make_gold(draws: Draws, symmetry: Symmetry, sites: list[Site]) -> None:
    """On some maps the base nearest to the middle has rich fields."""
    if not draws.chance(50) or len(sites) < 5:
        return
    middle = (symmetry.width / 2, symmetry.height / 2)
    order = [(_squared(site.x, site.y, *middle), k) for k, site in enumerate(sites[3:], start=3)]
    k = min(order)[1]
    sites[k] = replace(sites[k], kind=GOLD)


def _field(draws: Draws, symmetry: Symmetry, playable: Area, sites: list[Site]) -> Site | None:
    """The emptiest place, as open ground between the bases."""
    best, most = None, FIELD_APART
    for _ in range(_TRIES):
        x, y = _random_place(draws, playable, FIELD_MARGIN)
        room = apart(symmetry, sites, x, y, own_images=14)
        if room > most:
            best, most = (x, y), int(room)
    if best is None:
        return None
    return Site(FIELD, *best, level=0, reach=8)


def _random_place(draws: Draws, playable: Area, margin: int) -> tuple[float, float]:
    x0, y0, x1, y1 = playable
    return (
        draws.between(x0 + margin, x1 - margin - 1) + 0.5,
        draws.between(y0 + margin, y1 - margin - 1) + 0.5,
    )


def apart(
    symmetry: Symmetry, sites: list[Site], x: float, y: float, own_images: float = BASE_APART
) -> float:
    """Cells to the nearest site or image of one; 0 if its own images are too near."""
    mine = symmetry.points(x, y)[1:]
    if any(_squared(x, y, *p) < own_images**2 for p in mine):
        return 0.0
    others = [p for site in sites for p in symmetry.points(site.x, site.y)]
    nearest = min((_squared(x, y, *p) for p in others), default=10000.0)
    return math.sqrt(nearest)


def _squared(x: float, y: float, to_x: float, to_y: float) -> float:
    return (x - to_x) ** 2 + (y - to_y) ** 2
