"""Generated maps that are kept as files: a game on one begins at once the second time."""

import contextlib
import hashlib
import logging
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import terrarium.data.maps as maps
from terrarium.data.maps.checks import MapError
from terrarium.data.maps.files import read_map_text, save_map
from terrarium.data.maps.game_map import GameMap
from terrarium.engine.compiling.cache import cache_folder
from terrarium.errors import TerrariumError

logger = logging.getLogger(__name__)


def kept_map(name: str, make: Callable[[], GameMap]) -> GameMap:
    """The map of that name as it was made before, or made now."""
    file = cache_folder() / "maps" / f"{name.replace('/', '_')}-{_makers_digest()}.toml"
    try:
        return read_map_text(file.read_text(encoding="utf-8"), name)
    except (OSError, UnicodeDecodeError, TerrariumError):  # not there yet, or not whole
        made = make()
    _keep(made, file)
    return made


def _keep(made: GameMap, file: Path) -> None:
    """Write a map where the next server finds it; a folder that cannot be written costs time."""
    part = None
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        number, part = tempfile.mkstemp(dir=file.parent, suffix=".part")
        os.close(number)
        save_map(made, part)
        os.replace(part, file)
    except (OSError, MapError) as error:
        logger.warning("%s cannot be kept: %s", file, error)
        if part is not None:
            with contextlib.suppress(OSError):
                os.unlink(part)


@cache
def _makers_digest() -> str:
    """Of everything that maps are made by: another version makes others."""
    folder, digest = Path(maps.__file__).parent, hashlib.sha256()
    for file in sorted((*folder.rglob("*.py"), *folder.glob("*.toml"))):
        digest.update(file.name.encode() + file.read_bytes())
    return digest.hexdigest()[:16]
