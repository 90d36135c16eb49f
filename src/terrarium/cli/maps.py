"""`terrarium list maps`, `terrarium map` and `terrarium import-map`: melee maps."""

import lzma
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from terrarium.cli.outputs import check_output, report_file
from terrarium.cli.tables import print_rows
from terrarium.data.maps.expansions import find_expansions
from terrarium.data.maps.files import SUFFIX, save_map
from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.library import find_map, map_names
from terrarium.data.maps.ramps import find_ramps
from terrarium.data.maps.terrain import GROUND_STEP, STEPS_PER_Z
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
class ShowMap:
    """Show the bases of a map, draw it, or write it to a file.

    Example:  terrarium map ladder/7 --png map.png
    """

    name: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="[MAP]")] = "ladder/1"
    """see: terrarium list maps; any SEED does in ladder/SEED; or a map file *.toml"""
    png: str | None = None
    """draw it here"""
    out: str | None = None
    """write it here, *.toml"""
    json: bool = False
    """print the bases as JSON"""

    def __post_init__(self) -> None:
        for file in (self.png, self.out):
            if file is not None:
                check_output(Path(file))
        if self.out is not None:
            _check_map_file(self.out)
        if self.json and (self.png or self.out):
            raise TerrariumError("--json prints the bases; leave out --png and --out")

    def run(self) -> None:
        game_map = find_map(self.name)
        if self.out is not None:
            report_file(self.out, save_map(game_map, self.out))
        if self.png is not None:
            from terrarium.replay.pictures.map_picture import save_map_png

            report_file(self.png, save_map_png(game_map, self.png))
        if self.out is None and self.png is None:
            bases = _bases(game_map)
            if not bases and not self.json:
                raise TerrariumError(f"{self.name}: this map has no bases; --png draws it")
            print_rows(bases, self.json)


def _bases(game_map: GameMap) -> list[dict[str, Any]]:
    return [
        {
            "townhall": f"({base.x:g}, {base.y:g})",
            "start": "yes" if base.place in game_map.starts else "",
            "height": (int(game_map.terrain_height[int(base.y), int(base.x)]) - GROUND_STEP)
            / STEPS_PER_Z,
            "minerals": sum(o.amount for o in base.minerals),
            "fields": len(base.minerals),
            "rich": "yes" if base.is_rich else "",
            "geysers": len(base.geysers),
        }
        for base in find_expansions(game_map)
    ]


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
        _check_map_file(self.out)

    def run(self) -> None:
        from terrarium.data.maps.importer import import_map

        game_map = import_map(_read(self.game_info), _read(self.observation), Path(self.out).stem)
        report_file(self.out, save_map(game_map, self.out))


def _check_map_file(name: str) -> None:
    if not name.endswith(SUFFIX):
        raise TerrariumError(f"{name}: maps are TOML files; give it a name with {SUFFIX}")


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
