"""The map that a client means: by its path, or by the bytes of its file."""

import logging
import os
from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from pathlib import Path, PurePosixPath

from terrarium.data.battles.scenario import Scenario
from terrarium.data.battles.scenarios import load_scenario, scenario_names
from terrarium.data.maps.files import SUFFIX as TEXT_SUFFIX
from terrarium.data.maps.files import load_map
from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.generator.outlined import is_exact, ladder_like
from terrarium.data.maps.ladder_maps import LadderMap, ladder_map_named
from terrarium.data.maps.library import find_map, map_names
from terrarium.server.game_plan import ServedMap
from terrarium.server.maps.catalog import EMPTY_BATTLES, MELEE, SUFFIX
from terrarium.server.maps.kept import kept_map
from terrarium.server.maps.stubs import read_map_file

logger = logging.getLogger(__name__)

MAP_FOLDERS = ("Maps", "maps")
IMPORTED = "a map file of yours"


def find_served_map(path: str, data: bytes = b"") -> ServedMap | None:
    """The map that a path or the bytes of a map file mean; None where there is none.

    Bytes that are no map are refused (`BadMapFile`). Imported maps in the folder of maps come
    before all others of the same name.
    """
    data = data or _file_bytes(path)
    read = read_map_file(data) if data else None
    if isinstance(read, GameMap):
        return ServedMap(read.title, path, read)
    stem = PurePosixPath(path.replace("\\", "/")).name
    names = [read] if read else []
    names += [path.removesuffix(SUFFIX), stem.removesuffix(SUFFIX)]
    for name in names:
        found = _named(name)
        if found is not None:
            title = name if isinstance(found, Scenario) else found.title
            return ServedMap(title, path, found)
    return None


def _named(name: str) -> GameMap | Scenario | None:
    battle = battle_named(name)
    if battle is not None:
        return battle
    imported = _imported_file(name)
    if imported is not None:
        logger.info("%s is %s: %s", name, IMPORTED, imported)
        return load_map(imported)
    own = MELEE.get(name, name)
    if own in map_names() or _is_seeded(own):
        return kept_map(own, partial(find_map, own))
    outline = ladder_map_named(name)
    if outline is None:
        return None
    imported = _imported_file(outline.name)
    if imported is not None:
        logger.info("%s is %s: %s", name, IMPORTED, imported)
        return load_map(imported)
    return _generated(outline)


def battle_named(name: str) -> Scenario | None:
    """SMAC's battle on the map of a name, or SMACv2's empty ground."""
    if name in EMPTY_BATTLES:
        return _empty_battle(name)
    battles = {full.split("/")[1]: full for full in scenario_names("smac")}
    return load_scenario(battles[name]) if name in battles else None


def _generated(outline: LadderMap) -> GameMap:
    logger.info(
        "%s is a generated map with the size, area and %s of the real one, not the real one; "
        "docs/connect.md says how to import that",
        outline.name,
        "starts" if is_exact(outline) else "first start (others are a few cells off)",
    )
    make: Callable[[], GameMap] = partial(ladder_like, outline)
    return kept_map(outline.name, make)


def _is_seeded(name: str) -> bool:
    """Is it the name of one of the generated maps without end: `ladder/7`?"""
    family, _, seed = name.partition("/")
    return seed.isdecimal() and any(known.startswith(f"{family}/") for known in map_names())


def _map_folders() -> list[Path]:
    base = os.environ.get("SC2PATH")
    return [Path(base) / folder for folder in MAP_FOLDERS] if base else []


def _file_bytes(path: str) -> bytes:
    """Of the file at a path as clients give it, below the folder of maps or absolute."""
    if "\0" in path or not path.endswith(SUFFIX):
        return b""
    for folder in _map_folders() or [Path("/")]:
        file = folder / path
        if file.is_file():
            return file.read_bytes()
    return b""


def _imported_file(name: str) -> Path | None:
    """The file of an imported map of that name, in the folder of maps that clients use."""
    for folder in _map_folders():
        for file in sorted(folder.rglob(f"*{TEXT_SUFFIX}")):
            if file.stem == name:
                return file
    return None


@cache
def _empty_battle(name: str) -> Scenario:
    """SMACv2's ground with its trigger, and no units: clients create them."""
    with_teams = load_scenario("smacv2/terran_5_vs_5")
    return replace(with_teams, name=f"smacv2/{name}", title=name, generator=None)
