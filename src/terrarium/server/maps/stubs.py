"""Map files as clients read and send them: a few words that name a map, or a whole map of ours."""

import re
import tomllib

from terrarium.data.maps.checks import MapError
from terrarium.data.maps.files import read_map_text
from terrarium.data.maps.game_map import GameMap
from terrarium.data.tables import FactsError

GAME_FILE = b"MPQ\x1a"
"""how map files of the game begin"""
KEY = "terrarium_map"


class BadMapFile(MapError):
    """The bytes of a map file mean nothing here."""


def stub(name: str) -> str:
    """The text of a file that stands for a map."""
    return (
        "# A map of Terrarium, for clients that look for a file. A copy under another name works,\n"
        "# and so does a whole map in its place: terrarium import-map --help\n"
        f'{KEY} = "{name}"\n'
    )


def read_map_file(data: bytes) -> str | GameMap | None:
    """The name of a map, or the map itself; None for a file of the game, whose name alone counts.

    Bytes that are neither are refused.
    """
    if data.startswith(GAME_FILE):
        return None
    try:
        text = data.decode("utf-8")
        if named := _named(text):
            return named
        return read_map_text(text, "map_data")
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, FactsError, MapError) as error:
        raise BadMapFile(f"map_data is no map: {error}") from error


def _named(text: str) -> str | None:
    if not re.search(rf"^{KEY}\b", text, re.MULTILINE):
        return None
    name = tomllib.loads(text).get(KEY)
    return name if isinstance(name, str) else None
