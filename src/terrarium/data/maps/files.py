"""Maps as files: TOML, with each grid as one compressed text."""

import base64
import binascii
import json
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from terrarium.data.maps.checks import MAX_SIZE, MapError
from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.objects import MapObject
from terrarium.data.tables import Table

FORMAT = 1
SUFFIX = ".toml"
_BIT_GRIDS = ("pathing_grid", "placement_grid", "sight_blocker")
_GRIDS = (*_BIT_GRIDS, "terrain_height")


def save_map(game_map: GameMap, file: str | Path) -> int:
    """Write a map; the size of the file in bytes."""
    text = map_text(game_map)
    try:
        return Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise MapError(f"{file}: cannot be written: {error.strerror}") from error


def load_map(file: str | Path) -> GameMap:
    """Read a map that was saved, and check it."""
    path = Path(file)
    try:
        table = Table.read(path, str(path))
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        reason = error.strerror if isinstance(error, OSError) else error
        raise MapError(f"{path}: cannot be read: {reason}") from error
    return _map_of(table, path.stem)


def read_map_text(text: str, name: str) -> GameMap:
    """A map from the text of its file, and check it."""
    return _map_of(Table.parse(text, name), name)


def map_text(game_map: GameMap) -> str:
    """A map in the format of its file."""
    lines = [
        f"format = {FORMAT}",
        f"title = {json.dumps(game_map.title)}",
        f"size = [{game_map.width}, {game_map.height}]",
        f"playable = {list(game_map.playable)}",
        f"starts = {[list(start) for start in game_map.starts]}",
        "objects = [",
        *(f"    {_object_text(o)}," for o in game_map.objects),
        "]",
        "",
        "# Rows from the lowest y on; bits eight to a byte, the first one highest; zlib, base64.",
        "[grids]",
        *(f'{name} = "{_packed(getattr(game_map, name))}"' for name in _GRIDS),
    ]
    return "\n".join(lines) + "\n"


def _object_text(o: MapObject) -> str:
    contents = "" if o.contents is None else f", {o.contents}"
    return f'["{o.type}", {o.x!r}, {o.y!r}{contents}]'


def _packed(grid: NDArray[np.bool_] | NDArray[np.uint8]) -> str:
    data = np.packbits(grid) if grid.dtype == np.bool_ else grid
    return base64.b64encode(zlib.compress(data.tobytes(), 9)).decode("ascii")


def _map_of(table: Table, name: str) -> GameMap:
    table.only(("format", "title", "size", "playable", "starts", "objects", "grids"))
    if table.integer("format") != FORMAT:
        raise table.error(f"format {table.integer('format')}; this version reads {FORMAT}")
    width, height = _size(table)
    grids = table.table("grids")
    grids.only(_GRIDS)
    bits = {key: _unpacked_bits(grids, key, width, height) for key in _BIT_GRIDS}
    x0, y0, x1, y1 = (int(n) for n in table.numbers("playable", 4))
    return GameMap(
        name=name,
        title=table.text("title"),
        playable=(x0, y0, x1, y1),
        pathing_grid=bits["pathing_grid"],
        placement_grid=bits["placement_grid"],
        terrain_height=_unpacked(grids, "terrain_height", width * height).reshape(height, width),
        sight_blocker=bits["sight_blocker"],
        starts=_starts(table),
        objects=tuple(_object(table, k) for k in range(len(table.array("objects")))),
    )


def _size(table: Table) -> tuple[int, int]:
    width, height = table.numbers("size", 2)
    if not all(n in range(1, MAX_SIZE + 1) for n in (width, height)):
        raise table.error(f"{width:g} x {height:g} cells; 1 to {MAX_SIZE} a side are read", "size")
    return int(width), int(height)


def _starts(table: Table) -> tuple[tuple[float, float], ...]:
    starts = []
    for k, start in enumerate(table.array("starts")):
        if not (isinstance(start, list) and len(start) == 2 and all(map(_is_number, start))):
            raise table.error(f"{start!r} is not a place [x, y]", "starts", k)
        starts.append((float(start[0]), float(start[1])))
    return tuple(starts)


def _object(table: Table, k: int) -> MapObject:
    words = table.array("objects")[k]
    if (
        not isinstance(words, list)
        or not 3 <= len(words) <= 4
        or not isinstance(words[0], str)
        or not all(map(_is_number, words[1:]))
    ):
        raise table.error(f"{words!r} is not [type, x, y] or [type, x, y, contents]", "objects", k)
    return MapObject(words[0], float(words[1]), float(words[2]), *map(int, words[3:]))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e6


def _unpacked_bits(grids: Table, key: str, width: int, height: int) -> NDArray[np.bool_]:
    packed = _unpacked(grids, key, -(-width * height // 8))
    return np.unpackbits(packed, count=width * height).reshape(height, width).astype(np.bool_)


def _unpacked(grids: Table, key: str, n_bytes: int) -> NDArray[np.uint8]:
    reader = zlib.decompressobj()
    try:
        data = reader.decompress(base64.b64decode(grids.text(key), validate=True), n_bytes + 1)
    except (binascii.Error, zlib.error, ValueError) as error:
        raise grids.error("not a grid that was compressed and written as base64", key) from error
    if len(data) != n_bytes or not reader.eof:
        raise grids.error(f"{len(data)} bytes instead of the {n_bytes} of the map's size", key)
    return np.frombuffer(data, np.uint8).copy()
