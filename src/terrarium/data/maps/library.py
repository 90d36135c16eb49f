"""Maps by name: our own, generated ones by their seeds, and files."""

import json
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from types import MappingProxyType

from terrarium.data.maps.checks import MapError
from terrarium.data.maps.files import SUFFIX, load_map
from terrarium.data.maps.flat import SIZES, flat_map
from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.generator.generate import generate_map
from terrarium.data.maps.generator.simple import SIMPLE_SITES, simple_map, two_base_map
from terrarium.errors import nearest

LADDERS: Mapping[str, tuple[str, int, str]] = MappingProxyType(
    {
        "ladder": ("medium", 2, "point"),
        "ladder_small": ("small", 2, "point"),
        "ladder_large": ("large", 2, "point"),
        "ladder_mirror": ("medium", 2, "mirror"),
        "ladder_four": ("four", 4, "mirror"),
    }
)
"""families of generated maps: size, players, symmetry; `ladder/7` is the one of seed 7"""
_LISTED_SEEDS = {"ladder": range(1, 7)}
"""of each family; one of the others"""


def map_names() -> tuple[str, ...]:
    """Our own maps, and some of the generated ones; every seed makes another."""
    made = [f"{family}/{k}" for family in LADDERS for k in _LISTED_SEEDS.get(family, (1,))]
    return (*_built_in(), *made)


def find_map(name: str | Path) -> GameMap:
    """A built-in map, `ladder/SEED` for a generated one, or one in a file: a `Path`, or a name
    with `.toml`."""
    if isinstance(name, Path) or name.endswith(SUFFIX):
        return load_map(name)
    family, _, seed = name.partition("/")
    is_seed = seed.isascii() and seed.isdigit()
    if name not in _built_in() and not (family in LADDERS and is_seed):
        quoted = json.dumps(name, ensure_ascii=False)  # on one line, whatever was typed
        guess = nearest(name, map_names())
        allowed = [*_built_in(), *(f"{ladder}/SEED" for ladder in LADDERS)]
        raise MapError(
            f"unknown map {quoted}.{guess} Allowed: {', '.join(allowed)}, or a file *{SUFFIX}"
        )
    return _made(name)


@cache
def _made(name: str) -> GameMap:
    family, _, seed = name.partition("/")
    if family not in LADDERS:
        return _built_in()[name]()
    size, players, symmetry = LADDERS[family]
    return generate_map(int(seed), size, players, symmetry, name)


@cache
def _built_in() -> Mapping[str, Callable[[], GameMap]]:
    made: dict[str, Callable[[], GameMap]] = {
        f"flat_{size}": partial(flat_map, size) for size in SIZES
    }
    made["empty_128"] = partial(flat_map, 128, resources=False)
    made["two_base"] = two_base_map
    for size in SIMPLE_SITES:
        made[f"simple_{size}"] = partial(simple_map, size)
    return MappingProxyType(made)
