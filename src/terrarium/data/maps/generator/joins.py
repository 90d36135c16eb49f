"""How neighboring regions are joined: by ramps, openings, or not at all."""

from collections.abc import Mapping
from dataclasses import dataclass

from terrarium.data.maps.generator.draws import Draws
from terrarium.data.maps.generator.plan import FIELD, MAIN, NATURAL
from terrarium.data.maps.generator.regions import Pair, Regions

RAMP, CHOKE, OPEN, WALL = "ramp", "choke", "open", "wall"
_SHORTEST = 4  # tiles of a border that can be passed
MAIN_RAMP = 2  # the standard one, as a width


@dataclass(frozen=True)
class Join:
    """Between two regions, and all of its images."""

    kind: str
    width: int = 0
    """of a ramp, as in `maps.ramps`; of a choke, in cells"""
    rocks: bool = False
    """closed by rocks at the beginning"""


def choose_joins(draws: Draws, regions: Regions) -> Mapping[Pair, Join]:
    """Draw a join for each pair of neighbors; a pair without an entry is walled.

    All regions hang together without passing rocks; a main has its ramp to the natural only.
    """
    borders = {pair: n for pair, n in regions.borders().items() if n >= _SHORTEST}
    orbits = sorted({regions.orbit(pair)[0] for pair in borders})
    kinds = [regions.plan.sites[number].kind for number, _, _ in regions.plan.images]
    chosen: dict[Pair, Join] = {}

    def set_join(pair: Pair, join: Join) -> None:
        for image in regions.orbit(pair):
            chosen[image] = join

    for pair in draws.shuffled(orbits):
        if MAIN in (kinds[pair[0]], kinds[pair[1]]):
            continue
        naturals = [k for k in pair if kinds[k] == NATURAL]
        if any(k in joined for k in naturals for joined in chosen):
            continue  # one way out is enough
        join = _drawn(draws, regions, pair, borders[pair])
        if join is not None:
            set_join(pair, join)
    set_join(_home_pair(regions, kinds), Join(RAMP, MAIN_RAMP))
    for pair in draws.shuffled(orbits):
        if MAIN in (kinds[pair[0]], kinds[pair[1]]):
            continue
        parts = _parts(len(kinds), [p for p, join in chosen.items() if not join.rocks])
        if parts[pair[0]] != parts[pair[1]]:
            set_join(pair, _passable(draws, regions, pair, borders[pair]))
    _add_back_door(draws, regions, kinds, orbits, borders, chosen)
    return chosen


def _home_pair(regions: Regions, kinds: list[str]) -> Pair:
    """The first player's main and natural."""
    main, natural = kinds.index(MAIN), kinds.index(NATURAL)
    return min(main, natural), max(main, natural)


def _drawn(draws: Draws, regions: Regions, pair: Pair, length: int) -> Join | None:
    """What may well be a wall."""
    if draws.chance(22):
        return None
    return _passable(draws, regions, pair, length)


def _passable(draws: Draws, regions: Regions, pair: Pair, length: int) -> Join:
    if regions.levels[pair[0]] != regions.levels[pair[1]]:
        widest = 10 if length >= 14 else 8 if length >= 10 else 6
        return Join(RAMP, min(widest, draws.choice((4, 6, 6, 8, 8, 10))))
    is_field = FIELD in (_kind(regions, pair[0]), _kind(regions, pair[1]))
    if draws.chance(60 if is_field else 30):
        return Join(OPEN)
    return Join(CHOKE, draws.between(8, 14))


def _kind(regions: Regions, image: int) -> str:
    return regions.plan.sites[regions.plan.images[image][0]].kind


def _parts(n_images: int, pairs: list[Pair]) -> list[int]:
    """The connected part of each image."""
    parts = list(range(n_images))
    for a, b in pairs:
        old, new = parts[b], parts[a]
        parts = [new if part == old else part for part in parts]
    return parts


def _add_back_door(
    draws: Draws,
    regions: Regions,
    kinds: list[str],
    orbits: list[Pair],
    borders: Mapping[Pair, int],
    chosen: dict[Pair, Join],
) -> None:
    """A walled border or two gets a way that rocks close."""
    free = [
        pair
        for pair in orbits
        if pair not in chosen and MAIN not in (kinds[pair[0]], kinds[pair[1]])
    ]
    for pair in draws.shuffled(free)[: draws.between(1, 2)]:
        is_step = regions.levels[pair[0]] != regions.levels[pair[1]]
        join = Join(RAMP, 4, rocks=True) if is_step else Join(CHOKE, 6, rocks=True)
        for image in regions.orbit(pair):
            chosen[image] = join
