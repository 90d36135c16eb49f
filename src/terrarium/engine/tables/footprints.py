"""Footprints as tables: which cells a structure takes and closes, and the outline of its body."""

from collections.abc import Iterable

import numpy as np

from terrarium.data.facts.unit_facts import Footprint, Unit
from terrarium.engine.records import Records, records

MAX_SIDE = 12
MAX_CORNERS = 8
NO_FOOTPRINT = -1
CLOSED_SHARE = 0.2
"""An outline closes the cells of which it covers this much. The corners of a townhall, an eighth of
which is covered, stay open as in the game's pathing grid; a Spore Crawler's four, 7/32, do not."""

FOOTPRINT = np.dtype(
    [
        ("width", "i8"),  # in cells
        ("height", "i8"),
        ("taken", "i8", (MAX_SIDE,)),  # bit x of row y: nothing else can be built on that cell
        ("closed", "i8", (MAX_SIDE,)),  # the same: no walker may enter it
        ("n_closed", "i8"),
        ("n_corners", "i8"),  # of the outline, counterclockwise; 0 = it can be walked over
        ("corner_x", "f8", (MAX_CORNERS,)),  # from the center
        ("corner_y", "f8", (MAX_CORNERS,)),
    ],
    align=True,
)

Corners = list[tuple[float, float]]


def compile_footprints(units: Iterable[Unit]) -> tuple[Records, dict[str, int]]:
    """The footprints of those units that can stand on the grid, and which row is whose."""
    placed = [unit for unit in units if unit.footprint is not None and unit.footprint.size]
    table = records(max(1, len(placed)), FOOTPRINT)
    for row, unit in zip(table, placed, strict=False):
        assert unit.footprint is not None  # as chosen above
        _fill(row, unit.footprint)
    return table, {unit.name: row for row, unit in enumerate(placed)}


def _fill(row: Records, footprint: Footprint) -> None:
    assert footprint.size is not None
    width, height = footprint.size
    outline = _counterclockwise(list(footprint.ground_block_polygon or ()))
    assert max(width, height) <= MAX_SIDE, f"footprints have up to {MAX_SIDE} cells a side"
    assert len(outline) <= MAX_CORNERS, f"outlines have up to {MAX_CORNERS} corners"
    row["width"], row["height"], row["n_corners"] = width, height, len(outline)
    for k, (x, y) in enumerate(outline):
        row["corner_x"][k], row["corner_y"][k] = x, y
    for y in range(height):
        for x in range(width):
            if footprint.placement is None or (x, y) in footprint.placement:
                row["taken"][y] |= 1 << x
            if _is_closed(footprint, outline, x, y):
                row["closed"][y] |= 1 << x
                row["n_closed"] += 1


def _is_closed(footprint: Footprint, outline: Corners, x: int, y: int) -> bool:
    if footprint.blocking is not None:
        return (x, y) in footprint.blocking
    assert footprint.size is not None
    width, height = footprint.size
    inside = _cut_to_cell(outline, x - width / 2.0, y - height / 2.0)
    return abs(_area(inside)) >= CLOSED_SHARE


def _area(corners: Corners) -> float:
    """Of a polygon; negative if its corners run clockwise."""
    turned = corners[1:] + corners[:1]
    return sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(corners, turned, strict=True)) / 2.0


def _counterclockwise(corners: Corners) -> Corners:
    return corners if _area(corners) >= 0.0 else corners[::-1]


def _cut_to_cell(corners: Corners, left: float, bottom: float) -> Corners:
    """The part of a convex polygon that lies in a cell (Sutherland and Hodgman 1974)."""
    for axis, edge, sign in ((0, left, 1), (0, left + 1, -1), (1, bottom, 1), (1, bottom + 1, -1)):
        kept: Corners = []
        for here, there in zip(corners, corners[1:] + corners[:1], strict=True):
            inside, goes_in = (sign * (point[axis] - edge) >= 0.0 for point in (here, there))
            if inside:
                kept.append(here)
            if inside != goes_in:
                share = (edge - here[axis]) / (there[axis] - here[axis])
                x, y = (here[k] + share * (there[k] - here[k]) for k in (0, 1))
                kept.append((x, y))
        corners = kept
    return corners
