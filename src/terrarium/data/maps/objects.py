"""What stands on maps and belongs to no player: resources, rocks, towers, and their footprints."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from terrarium.data.tables import Table

KINDS = ("minerals", "vespene", "destructible", "plates", "tower", "zone")

_FILE = Path(__file__).parent / "objects.toml"
_OBJECT_KEYS = (
    "id", "id_in_4_10", "api_name", "kind", "shape", "radius", "contents", "per_trip", "hp",
    "armor", "blocks_sight", "sight", "capture_range", "area", "speed_multiplier",
)  # fmt: skip

Cell = tuple[int, int]


@dataclass(frozen=True)
class Shape:
    """The cells that an object takes, from the lower left corner of its bounding box."""

    width: int
    height: int
    placement: tuple[Cell, ...]
    """nothing can be built on these"""
    blocking: tuple[Cell, ...]
    """ground units cannot enter these"""
    outline: tuple[tuple[float, float], ...] = ()
    """corners of the body, from its center"""


NO_SHAPE = Shape(0, 0, (), ())


@dataclass(frozen=True)
class ObjectType:
    """One type of neutral object."""

    name: str
    api_name: str
    api_ids: tuple[int, ...]
    """the type ids of the game's API, that of patch 5.0.3 first; clients number it differently"""
    kind: str
    """minerals | vespene | destructible | plates: walked over, not built on, destructible |
    tower | zone: changes the speed of units"""
    shape: Shape
    radius: float = 0.0
    contents: int = 0
    per_trip: int = 0
    hp: float = 0.0
    armor: float = 0.0
    blocks_sight: bool = False
    sight: float = 0.0
    """of a tower for its owner"""
    capture_range: float = 0.0
    area: float = 0.0
    """radius of a zone"""
    speed_multiplier: float = 1.0
    """of a zone"""

    @property
    def is_resource(self) -> bool:
        return self.kind in ("minerals", "vespene")

    @property
    def is_rich(self) -> bool:
        return self.per_trip > {"minerals": 5, "vespene": 4}.get(self.kind, 0)


@dataclass(frozen=True)
class MapObject:
    """One neutral object of a map, centered on (x, y)."""

    type: str
    x: float
    y: float
    contents: int | None = None
    """of a resource; `None`: what its type starts with"""

    @property
    def kind(self) -> ObjectType:
        return object_types()[self.type]

    @property
    def amount(self) -> int:
        return self.kind.contents if self.contents is None else self.contents


@cache
def object_types() -> Mapping[str, ObjectType]:
    """Every type by its name."""
    table = Table.read(_FILE, "maps/objects.toml")
    table.only(("shape", "object"))
    drawn = table.table("shape")
    shapes = {name: _shape(drawn.table(name)) for name in drawn.values}
    listed = table.table("object")
    types = {name: _object_type(name, listed.table(name), shapes) for name in listed.values}
    return MappingProxyType(types)


@cache
def types_by_api_id() -> Mapping[int, ObjectType]:
    return {number: t for t in object_types().values() for number in t.api_ids}


def cells_of(shape: Shape, x: float, y: float) -> tuple[list[Cell], list[Cell]]:
    """Where nothing can be built, and where nobody walks, for a shape centered on (x, y)."""
    left, low = round(x - shape.width / 2), round(y - shape.height / 2)
    placement = [(left + dx, low + dy) for dx, dy in shape.placement]
    return placement, [(left + dx, low + dy) for dx, dy in shape.blocking]


def _shape(table: Table) -> Shape:
    table.only(("size", "cells", "outline"))
    width, height = (int(n) for n in table.numbers("size", 2))
    box = [(x, y) for y in range(height) for x in range(width)]
    placement = box
    if table.has("cells"):
        rows = table.text("cells").split()
        placement = [(x, y) for x, y in box if rows[height - 1 - y][x] == "#"]
    corners: list[tuple[int, int]] = []
    outline = (
        [(float(x), float(y)) for x, y in table.array("outline")] if table.has("outline") else []
    )
    if outline:
        # In half cells from the lower left corner of the box: whole numbers, so that "on the
        # outline" is exact.
        corners = [(round(2 * x) + width, round(2 * y) + height) for x, y in outline]
    blocking = [cell for cell in box if corners and _inside(corners, cell)]
    return Shape(width, height, tuple(placement), tuple(blocking), tuple(outline))


def _inside(corners: list[tuple[int, int]], cell: Cell) -> bool:
    """Is the center of a cell within a convex outline, or on it?"""
    x, y = 2 * cell[0] + 1, 2 * cell[1] + 1
    turns = [
        (bx - ax) * (y - ay) - (by - ay) * (x - ax)
        for (ax, ay), (bx, by) in zip(corners, corners[1:] + corners[:1], strict=True)
    ]
    return all(turn >= 0 for turn in turns) or all(turn <= 0 for turn in turns)


def _object_type(name: str, table: Table, shapes: Mapping[str, Shape]) -> ObjectType:
    table.only(_OBJECT_KEYS)
    numbers = ("radius", "hp", "armor", "sight", "capture_range", "area", "speed_multiplier")
    ids = [table.integer(key) for key in ("id", "id_in_4_10") if table.has(key)]
    return ObjectType(
        name=name,
        api_name=table.text("api_name"),
        api_ids=tuple(ids),
        kind=table.choice("kind", KINDS),
        shape=shapes[table.choice("shape", shapes)] if table.has("shape") else NO_SHAPE,
        blocks_sight=table.has("blocks_sight") and table.boolean("blocks_sight"),
        contents=table.integer("contents") if table.has("contents") else 0,
        per_trip=table.integer("per_trip") if table.has("per_trip") else 0,
        **{key: table.number(key) for key in numbers if table.has(key)},
    )
