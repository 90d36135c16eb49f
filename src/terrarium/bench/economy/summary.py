"""What a playback of recorded games comes to: errors by race and loop."""

import lzma
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, pstdev

from terrarium.bench.economy.config import EconomyBenchConfig
from terrarium.bench.economy.playback import Gathered, play_back
from terrarium.bench.economy.recorded import RecordedGame, load_games
from terrarium.data.maps.files import SUFFIX
from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.importer import import_map
from terrarium.data.maps.library import find_map
from terrarium.errors import TerrariumError

NEAR = 0.06
"""of the recorded amount: what playing back can tell (economy.md, 13.10)"""
CAPTURE = ("game_info.pb.xz", "observation.pb.xz")


@dataclass(frozen=True)
class RaceSummary:
    """Errors of one race at one loop, as fractions of what was recorded."""

    race: str
    loop: int
    n_players: int
    mean: float
    deviation: float
    n_near: int
    """players within `NEAR`"""


def bench_economy(
    config: EconomyBenchConfig, progress: Callable[[str], None] = lambda text: None
) -> list[Gathered]:
    """Play recorded games back; `progress` is told what comes next."""
    games = _chosen(load_games(Path(config.games)), config.only)
    maps = load_maps(Path(config.maps)) if config.maps else {}
    rows: list[Gathered] = []
    for number, game in enumerate(games, start=1):
        progress(f"{game.id}, {number} of {len(games)}")
        loops = [loop for loop in config.loops if loop <= game.loops]
        if loops:
            rows += play_back(game, maps, loops)
    return rows


def summarize(rows: Sequence[Gathered]) -> list[RaceSummary]:
    """Races in the order of their first players, each by loop."""
    keys = dict.fromkeys((row.race, row.loop) for row in rows)
    result = []
    for race, loop in sorted(keys):
        errors = [row.error for row in rows if (row.race, row.loop) == (race, loop)]
        n_near = sum(abs(error) <= NEAR for error in errors)
        result.append(RaceSummary(race, loop, len(errors), fmean(errors), pstdev(errors), n_near))
    return result


def load_maps(folder: Path) -> dict[str, GameMap]:
    """Maps by name: map files, and folders of recordings of the real game."""
    if not folder.is_dir():
        raise TerrariumError(f"{folder}: there is no such folder")
    maps = {file.stem: find_map(file) for file in sorted(folder.glob(f"*{SUFFIX}"))}
    for capture in sorted(folder.iterdir()):
        files = [capture / name for name in CAPTURE]
        if all(file.is_file() for file in files):
            info, observation = (_read(file) for file in files)
            maps[capture.name] = import_map(info, observation, capture.name)
    return maps


def _read(file: Path) -> bytes:
    try:
        return lzma.decompress(file.read_bytes())
    except (OSError, lzma.LZMAError, EOFError) as error:
        raise TerrariumError(f"{file}: no xz file, or truncated ({error})") from error


def _chosen(games: Sequence[RecordedGame], only: Sequence[str]) -> list[RecordedGame]:
    known = {game.id for game in games}
    for name in only:
        if name not in known:
            raise TerrariumError(f'there is no recorded game "{name}"')
    return [game for game in games if not only or game.id in only]
