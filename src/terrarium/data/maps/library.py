"""Maps by name: our own, and files."""

import json
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType

from terrarium.data.maps.checks import MapError
from terrarium.data.maps.files import SUFFIX, load_map
from terrarium.data.maps.flat import SIZES, flat_map
from terrarium.data.maps.game_map import GameMap
from terrarium.errors import nearest


def map_names() -> tuple[str, ...]:
    """Our own maps; files have the names of their paths."""
    return tuple(_built_in())


def find_map(name: str | Path) -> GameMap:
    """The built-in map of that name, or the one in a file: a `Path`, or a name with `.toml`."""
    if isinstance(name, Path) or name.endswith(SUFFIX):
        return load_map(name)
    if name not in _built_in():
        quoted = json.dumps(name, ensure_ascii=False)  # on one line, whatever was typed
        raise MapError(
            f"unknown map {quoted}.{nearest(name, map_names())} Allowed: {', '.join(map_names())}, "
            f"or a file *{SUFFIX}"
        )
    return _made(name)


@cache
def _made(name: str) -> GameMap:
    return _built_in()[name]()


@cache
def _built_in() -> Mapping[str, Callable[[], GameMap]]:
    made: dict[str, Callable[[], GameMap]] = {
        f"flat_{size}": partial(flat_map, size) for size in SIZES
    }
    made["empty_128"] = partial(flat_map, 128, resources=False)
    return MappingProxyType(made)
