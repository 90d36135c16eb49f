"""What is known of the ladder maps that clients ask for by name, without their grids."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from terrarium.data.tables import Table

_FILE = Path(__file__).with_name("ladder_maps.toml")
_PLAYERS = re.compile(r"^\(\d+\)|\(.*\)$")
_EDITION = re.compile(r"(LE|TE|AIE|506|\d*AIE_v\d+|AIE_v\d+|_v\d+)$")


@dataclass(frozen=True)
class LadderMap:
    """Its outline; the ground is one that a user has imported, or a generated one."""

    name: str
    size: tuple[int, int]
    playable: tuple[int, int, int, int]
    """x0, y0, x1, y1"""
    starts: tuple[tuple[float, float], ...]
    n_bases: int
    season: str | None
    """the folder of map packs in which clients look for its file; `None`: they know of none"""
    seed: int
    """of a generated map with these starts that came out well"""


@cache
def ladder_maps() -> Mapping[str, LadderMap]:
    """By name."""
    table = Table.read(_FILE)
    return MappingProxyType({name: _read(name, table.table(name)) for name in table.values})


def ladder_map_named(stem: str) -> LadderMap | None:
    """The map that the name of a file means: `(2)CatalystLE`, `Abyssal Reef LE` and `Acropolis`
    are among them. None if there is none."""
    plain = _plain(stem)
    known = {_plain(name): name for name in ladder_maps()}
    if plain in known:
        return ladder_maps()[known[plain]]
    bare = _bare(stem)
    fitting = [name for name in ladder_maps() if _bare(name) == bare]
    return ladder_maps()[fitting[0]] if fitting else None


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", _PLAYERS.sub("", name).lower())


def _bare(name: str) -> str:
    """Without the edition: LE, AIE and others."""
    return _plain(_EDITION.sub("", _PLAYERS.sub("", name).strip()))


def _read(name: str, table: Table) -> LadderMap:
    table.only(("size", "playable", "starts", "bases", "season", "seed"))
    width, height = (int(n) for n in table.numbers("size", 2))
    x0, y0, x1, y1 = (int(n) for n in table.numbers("playable", 4))
    return LadderMap(
        name=name,
        size=(width, height),
        playable=(x0, y0, x1, y1),
        starts=tuple((float(x), float(y)) for x, y in table.array("starts")),
        n_bases=table.integer("bases", 2),
        season=table.text("season") if table.has("season") else None,
        seed=table.integer("seed", 0),
    )
