"""Terrains: the folder `terrains` as `Terrain` objects, and what is connected to what."""

import json
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.data.battles.scenario import Terrain
from terrarium.data.tables import FactsError, Table
from terrarium.errors import nearest

MAX_SIZE = 256  # cells a side: no map of the game is larger

_FOLDER = Path(__file__).parents[1] / "terrains"
_WALKABLE = {"#": 0, ".": 1}
_CREEP = {".": 0, "~": 1}
# (level, third of a ramp). The game's files know ramps from level 1 to 2 only.
_LEVELS = {"0": (0, 0), "1": (1, 0), "2": (2, 0), "a": (1, 1), "b": (1, 2), "c": (1, 3)}
# How far up a third of a ramp stands. Our choice: the middle of the third on an even slope; the
# sources give the heights of the levels only.
_RISE = (0.0, 1.0 / 6.0, 1.0 / 2.0, 5.0 / 6.0)


@cache
def terrain_names() -> tuple[str, ...]:
    """Every built-in terrain: the folder is the list."""
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.toml")))


def load_terrain(name: str | Path) -> Terrain:
    """The built-in terrain of that name, or the one in a file of the user (a `Path`).

    Its arrays are shared by everyone who asks, and therefore read-only.
    """
    if isinstance(name, Path):
        return _read(name, str(name))
    if name not in terrain_names():
        raise FactsError(unknown_terrain(name))
    return _built_in(name)


def unknown_terrain(name: str) -> str:
    """The words for a terrain that does not exist."""
    guess = nearest(name, terrain_names())
    quoted = json.dumps(name, ensure_ascii=False)  # on one line, whatever was typed
    return f"unknown terrain {quoted}.{guess} Allowed: {', '.join(terrain_names())}"


def read_table(file: Path, label: str) -> Table:
    """Parse a file that a user may have named."""
    label = label.replace("\n", "\\n")
    try:
        return Table.read(file, label)
    except OSError as error:
        raise FactsError(f"{label}: cannot be read: {error.strerror}") from error
    except ValueError as error:  # a name with a null character, a number of 5000 digits
        raise FactsError(f"{label}: cannot be read: {error}") from error


def ground_z(
    level: NDArray[np.uint8], ramp: NDArray[np.uint8], heights: Mapping[int, float]
) -> NDArray[np.float64]:
    """The height of every cell; NaN where a level that it belongs to has no known height."""
    z_of = np.array([heights.get(index, math.nan) for index in range(int(level.max()) + 2)])
    low, high = z_of[level], z_of[level + 1]
    rise = np.array(_RISE)[ramp]
    return np.where(ramp == 0, low, low + (high - low) * rise)


def height_steps(terrain: Terrain) -> NDArray[np.int16]:
    """How high a cell stands, in steps: 4 from level to level, the thirds of a ramp between.

    Ground units pass between walkable cells that share a side and differ by one step at most;
    diagonally they pass if both ways around the corner are open.
    """
    return 4 * terrain.level.astype(np.int16) + terrain.ramp.astype(np.int16)


def regions(terrain: Terrain) -> NDArray[np.int32]:
    """Number the connected pieces of ground from 1 on; 0 is unwalkable. Flood fill by the rule
    of `height_steps`; diagonal steps join nothing that sides do not join already."""
    height, width = terrain.walkable.shape
    step: list[list[int]] = height_steps(terrain).tolist()
    walkable: list[list[bool]] = terrain.walkable.tolist()
    label = [[0] * width for _ in range(height)]
    n_regions = 0
    for y0, x0 in np.argwhere(terrain.walkable).tolist():
        if label[y0][x0]:
            continue
        n_regions += 1
        label[y0][x0] = n_regions
        todo = [(y0, x0)]
        while todo:
            y, x = todo.pop()
            for v, u in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                inside = 0 <= v < height and 0 <= u < width
                if not inside or label[v][u] or not walkable[v][u]:
                    continue
                if abs(step[v][u] - step[y][x]) <= 1:
                    label[v][u] = n_regions
                    todo.append((v, u))
    return np.array(label, dtype=np.int32)


def frozen_terrain(terrain: Terrain) -> Terrain:
    """Make the arrays read-only: a terrain is shared."""
    for grid in (terrain.walkable, terrain.level, terrain.ramp, terrain.z, terrain.creep):
        grid.setflags(write=False)
    return terrain


@cache
def _built_in(name: str) -> Terrain:
    file = _FOLDER / f"{name}.toml"
    return _read(file, f"terrains/{file.name}")


def _read(file: Path, label: str) -> Terrain:
    table = read_table(file, label)
    table.only(("title", "playable", "heights", "walkable", "levels", "creep"))
    walkable = _grid(table, "walkable", _WALKABLE).astype(np.bool_)
    cells = _grid(table, "levels", _LEVELS, walkable.shape)
    level, ramp = cells[..., 0].astype(np.uint8), cells[..., 1].astype(np.uint8)
    creep = np.zeros_like(walkable)
    if table.has("creep"):
        creep = _grid(table, "creep", _CREEP, walkable.shape).astype(np.bool_)
    return frozen_terrain(
        Terrain(
            name=file.stem,
            title=table.text("title"),
            width=walkable.shape[1],
            height=walkable.shape[0],
            playable=_playable(table, walkable),
            walkable=walkable,
            level=level,
            ramp=ramp,
            z=ground_z(level, ramp, _heights(table)),
            creep=creep,
        )
    )


def _heights(table: Table) -> dict[int, float]:
    heights = table.table("heights")
    heights.only(("level0", "level1", "level2"))
    return {int(key[-1]): heights.number(key, -1000.0, 1000.0) for key in heights.values}


def _playable(table: Table, walkable: NDArray[np.bool_]) -> tuple[float, float, float, float]:
    x0, y0, x1, y1 = table.numbers("playable", 4)
    height, width = walkable.shape
    if not (0 <= x0 < x1 <= width and 0 <= y0 < y1 <= height):
        raise table.error(
            f"[{x0:g}, {y0:g}, {x1:g}, {y1:g}] is no area of the map: x0 < x1 <= {width} and "
            f"y0 < y1 <= {height} are needed",
            "playable",
        )
    for y, x in np.argwhere(walkable).tolist():
        if not (x0 <= x and x + 1 <= x1 and y0 <= y and y + 1 <= y1):
            raise table.error(f"cell ({x}, {y}) is walkable, but not playable", "walkable")
    return x0, y0, x1, y1


def _grid(
    table: Table,
    key: str,
    meaning: Mapping[str, Any],
    shape: tuple[int, ...] | None = None,
) -> NDArray[np.int64]:
    """Read a drawing; the first row is the largest y, so that it looks like the map."""
    rows = table.text(key).split()
    width, height = len(rows[0]) if rows else 0, len(rows)
    if not (0 < width <= MAX_SIZE and 0 < height <= MAX_SIZE):
        raise table.error(f"{width} x {height} cells; 1 to {MAX_SIZE} a side are allowed", key)
    for number, row in enumerate(rows, start=1):
        if len(row) != width:
            raise table.error(f"row {number} has {len(row)} cells instead of {width}", key)
        for cell in row:
            if cell not in meaning:
                allowed = " ".join(meaning)
                raise table.error(f'unknown cell "{cell}" in row {number}. Allowed: {allowed}', key)
    if shape is not None and shape != (height, width):
        raise table.error(
            f"{width} x {height} cells, but `walkable` has {shape[1]} x {shape[0]}", key
        )
    return np.array([[meaning[cell] for cell in row] for row in reversed(rows)], dtype=np.int64)
