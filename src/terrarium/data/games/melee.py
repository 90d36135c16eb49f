"""A whole game: its map, its rules, its players, and what each of them begins with."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import hypot

from terrarium.data.battles.scenario import Terrain
from terrarium.data.facts.rulesets import load_ruleset
from terrarium.data.facts.unit_facts import RuleSet
from terrarium.data.games.neutral import stands, with_neutral
from terrarium.data.maps.game_map import GameMap, Place
from terrarium.data.maps.objects import MapObject
from terrarium.data.maps.terrain import terrain_of
from terrarium.errors import TerrariumError, nearest

MINERALS = 50.0
RING = 3
"""Workers begin on the ring of points this far from the middle of their townhall (maps.md)."""
LARVAE_APART = 0.7
"""The three larvae of a game's beginning lie below their hatchery."""
BASE_RADIUS = 11.0
"""Fields of a start location lie within this distance of it."""
TOWNHALLS = {"Terran": "command_center", "Zerg": "hatchery", "Protoss": "nexus"}
WORKERS = {"Terran": "scv", "Zerg": "drone", "Protoss": "probe"}


@dataclass(frozen=True)
class Start:
    """A unit that a game begins with."""

    unit: str
    owner: int
    """0: neutral"""
    x: float
    y: float
    gathers_at: Place | None = None
    """the field that a worker is sent to, and a townhall sends its workers to"""


@dataclass(frozen=True)
class Melee:
    """A melee game of two or more players on a map."""

    map: GameMap
    races: tuple[str, ...]
    """of the players, in order: Terran, Zerg or Protoss"""
    rules: str = "lotv-4.10"
    fog: bool = True
    ticks_per_step: int = 8

    def __post_init__(self) -> None:
        for race in self.races:
            if race not in TOWNHALLS:
                guess = nearest(race, TOWNHALLS)
                raise TerrariumError(
                    f'race "{race}" of {self.name}.{guess} Allowed: {", ".join(TOWNHALLS)}'
                )
        if not 1 <= len(self.races) <= len(self.map.starts):
            raise TerrariumError(
                f"{self.name}: {len(self.races)} players, and the map has "
                f"{len(self.map.starts)} start locations"
            )

    @property
    def name(self) -> str:
        return f"melee on {self.map.name}"

    @property
    def facts(self) -> RuleSet:
        """Its rules, with the resources of maps among the units."""
        return with_neutral(load_ruleset(self.rules))

    @cached_property
    def terrain(self) -> Terrain:
        """The bare ground. Resources, rocks and towers are units."""
        return terrain_of(self.map, with_objects=False)

    def starts(self) -> Iterator[Start]:
        """What stands on the map when the game begins: neutral objects, then player by player."""
        for thing in self.map.objects:
            if stands(thing.kind):
                yield Start(thing.type, 0, thing.x, thing.y)
        for owner, (race, place) in enumerate(zip(self.races, self.map.starts, strict=False), 1):
            field = self.first_field(place)
            at = (field.x, field.y) if field else None
            yield Start(TOWNHALLS[race], owner, *place, at)
            for x, y in worker_places(place, field):
                yield Start(WORKERS[race], owner, x, y, at)
            if race == "Zerg":
                yield Start("overlord", owner, *place)
                for k in (0, 1, -1):
                    yield Start("larva", owner, place[0] + LARVAE_APART * k, place[1] - RING)

    def first_field(self, place: Place) -> MapObject | None:
        """The field that workers are sent to: that nearest to the middle of all fields around, as
        in every recorded game."""
        fields = [
            resource
            for resource in self.map.resources
            if resource.kind.kind == "minerals"
            and hypot(resource.x - place[0], resource.y - place[1]) <= BASE_RADIUS
        ]
        if not fields:
            return None
        x, y = (sum(c) / len(fields) for c in zip(*((f.x, f.y) for f in fields), strict=True))
        return min(fields, key=lambda f: (hypot(f.x - x, f.y - y), f.x, f.y))


def worker_places(place: Place, field: MapObject | None) -> list[Place]:
    """The points of the ring around a townhall where workers begin, in the recorded order: the
    corner towards the first field, then by turns along its two sides."""
    x, y = place
    side_x = RING if field is None or field.x >= x else -RING
    side_y = RING if field is not None and field.y >= y else -RING
    places = [(x + side_x, y + side_y)]
    for k in range(1, 2 * RING):
        away_x, away_y = side_x - k * side_x / RING, side_y - k * side_y / RING
        places += [(x + side_x, y + away_y), (x + away_x, y + side_y)]
    return [*places, (x + side_x, y - side_y)]
