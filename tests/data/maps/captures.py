"""Recorded games next to the repository, where they are."""

import lzma
from functools import cache

from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.importer import import_map
from tests.shared_facts import CAPTURES

NAMES = (
    "AcropolisLE",
    "AutomatonLE",
    "AutomatonLE_4.10.4",
    "BerlingradAIE",
    "EphemeronLE",
    "JagannathaAIE",
    "KairosJunctionLE",
)


def recorded(name: str) -> tuple[bytes, bytes]:
    """The game info and the first observation."""
    folder = CAPTURES / name
    info, seen = (
        lzma.decompress((folder / f"{part}.pb.xz").read_bytes())
        for part in ("game_info", "observation")
    )
    return info, seen


@cache
def captured_map(name: str) -> GameMap:
    return import_map(*recorded(name), name=name)
