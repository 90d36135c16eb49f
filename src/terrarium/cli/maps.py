"""`terrarium list maps` and `terrarium import-map`: melee maps."""

import lzma
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from terrarium.cli.outputs import check_output, report_file
from terrarium.cli.tables import print_rows
from terrarium.data.maps.expansions import find_expansions
from terrarium.data.maps.files import save_map
from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.library import find_map, map_names
from terrarium.data.maps.ramps import find_ramps
from terrarium.errors import TerrariumError


@dataclass(frozen=True)
class ListMaps:
    """Show the maps for whole games.

    Example:  terrarium list maps
    """

    json: bool = False
    """print JSON"""

    def run(self) -> None:
        print_rows([_row(find_map(name)) for name in map_names()], self.json)


def _row(game_map: GameMap) -> dict[str, Any]:
    x0, y0, x1, y1 = game_map.playable
    return {
        "name": game_map.name,
        "size": f"{game_map.width} x {game_map.height}",
        "playable": f"{x1 - x0} x {y1 - y0}",
        "starts": len(game_map.starts),
        "bases": len(find_expansions(game_map)),
        "ramps": len(find_ramps(game_map)),
        "title": game_map.title,
    }


@dataclass(frozen=True)
class ImportMap:
    """Make a map of a recorded game_info and the first observation of that game.

    Both are serialized messages of the game's API, as .pb or .pb.xz files.

    Example:  terrarium import-map game_info.pb observation.pb --out my_map.toml
    """

    game_info: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="GAME_INFO")]
    """file with the ResponseGameInfo"""
    observation: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="OBSERVATION")]
    """file with the first ResponseObservation"""
    out: str
    """file of the map, *.toml"""

    def __post_init__(self) -> None:
        check_output(Path(self.out))
        if not self.out.endswith(".toml"):
            raise TerrariumError(f"{self.out}: maps are TOML files; give it a name with .toml")

    def run(self) -> None:
        from terrarium.data.maps.importer import import_map

        game_map = import_map(_read(self.game_info), _read(self.observation), Path(self.out).stem)
        report_file(self.out, save_map(game_map, self.out))


def _read(name: str) -> bytes:
    try:
        data = Path(name).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise TerrariumError(f"{name}: cannot be read: {reason}") from error
    if not name.endswith(".xz"):
        return data
    try:
        return lzma.decompress(data)
    except (lzma.LZMAError, EOFError) as error:
        raise TerrariumError(f"{name}: no xz file, or truncated ({error})") from error
