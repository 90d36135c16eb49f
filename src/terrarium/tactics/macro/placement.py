"""Where a player builds: the next base, a geyser, room around its bases."""

import numpy as np

from terrarium.tactics.macro.game_view import Point
from terrarium.tactics.macro.map_knowledge import BaseSite
from terrarium.tactics.macro.turn import CLAIMED_TICKS, Turn

TRIED = 8
"""places that are tried in one decision"""
OUTSIDE = 4
"""sites where supply is built when there is no room at the bases"""
TAKEN = 3.0
"""a structure so near to a site or a geyser stands on it"""


def find_place(turn: Turn, what: str) -> tuple[Point, int] | None:
    """Where to build something: a point, and the geyser's tag if it is one."""
    row = turn.catalog.rows[what]
    if turn.catalog.is_townhall[row]:
        return _free_site(turn, what)
    if what in turn.plan.gas:
        return _free_geyser(turn)
    sites = turn.bases or (turn.memory.home_site,)
    if what == turn.plan.supply:
        sites = tuple(dict.fromkeys((*sites, *turn.memory.sites[:OUTSIDE])))
    for site in sites:
        found = _in_base(turn, what, site)
        if found is not None:
            return found, 0
    return None


def claim(turn: Turn, place: Point) -> None:
    """Keep a place for a builder that is on its way."""
    turn.memory.blocked[place] = turn.loop + CLAIMED_TICKS


def _is_blocked(turn: Turn, place: Point) -> bool:
    return turn.memory.blocked.get(place, 0) > turn.loop


def _free_site(turn: Turn, what: str) -> tuple[Point, int] | None:
    taken = [(x, y) for kind, x, y in turn.memory.structures.values()]
    own = turn.structures
    taken += zip(own.x.tolist(), own.y.tolist(), strict=True)
    for site in turn.memory.sites:
        if _is_blocked(turn, site.place) or any(_is_near(at, site.place) for at in taken):
            continue
        if turn.view.can_place(what, [site.place])[0]:
            return site.place, 0
    return None


def _is_near(a: Point, b: Point) -> bool:
    return abs(a[0] - b[0]) < TAKEN and abs(a[1] - b[1]) < TAKEN


def _free_geyser(turn: Turn) -> tuple[Point, int] | None:
    resources, catalog = turn.view.resources, turn.catalog
    is_geyser = (catalog.resource[resources.kind] == 2) & (turn.field_base >= 0)
    own = turn.structures
    taken = own.where(catalog.resource[own.kind] == 2)
    for k in np.flatnonzero(is_geyser):
        place = (float(resources.x[k]), float(resources.y[k]))
        on_it = (np.abs(taken.x - place[0]) < 1.0) & (np.abs(taken.y - place[1]) < 1.0)
        if not on_it.any() and not _is_blocked(turn, place):
            return place, int(resources.tag[k])
    return None


def _in_base(turn: Turn, what: str, site: BaseSite) -> Point | None:
    ground, size = turn.ground, int(turn.catalog.size[turn.catalog.rows[what]])
    powers = what == turn.plan.supply and turn.plan.race == "Protoss"
    room = ground.power_spots(site) if powers else ground.room(site, 2 if size == 2 else 3)
    own = turn.structures
    taken = set(zip(own.x.tolist(), own.y.tolist(), strict=True))
    free = [p for p in room if p not in taken and not _is_blocked(turn, p)]
    for first in range(0, min(len(free), 3 * TRIED), TRIED):
        some = free[first : first + TRIED]
        fits = turn.view.can_place(what, some)
        if fits.any():
            return some[int(fits.argmax())]
    return None
