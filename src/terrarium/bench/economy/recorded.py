"""Recorded games: when structures and workers came and went, and what was gathered."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from terrarium.errors import TerrariumError

RACES = {"T": "Terran", "Z": "Zerg", "P": "Protoss"}
WORKERS = {"Terran": "SCV", "Zerg": "Drone", "Protoss": "Probe"}
TOWNHALLS = ("CommandCenter", "Hatchery", "Nexus")
HUMAN, BUILT_IN, BOT = "human", "built-in AI", "bot"
GAS_STRUCTURES = ("Refinery", "Extractor", "Assimilator", "ExtractorRich")


@dataclass(frozen=True)
class RecordedStructure:
    """One structure, from where its builder arrived to its end."""

    type: str
    start: int
    finish: int | None
    """`None`: it was not finished"""
    death: int | None
    x: float
    y: float


@dataclass(frozen=True)
class RecordedPlayer:
    """What one player did and had; loops and numbers of the reports in the same order."""

    race: str
    kind: str
    """what plays: `HUMAN`, `BUILT_IN` or `BOT`"""
    start: tuple[float, float]
    structures: tuple[RecordedStructure, ...]
    births: tuple[int, ...]
    """of workers"""
    losses: tuple[int, ...]
    mules: tuple[int, ...]
    loops: tuple[int, ...]
    workers: tuple[int, ...]
    minerals: tuple[float, ...]
    """gathered since the start"""
    gas: tuple[float, ...]
    """gathered since the start"""

    def gathered(self, loop: int) -> float:
        """Minerals gathered until a loop of a report."""
        return self.minerals[self.loops.index(loop)]


@dataclass(frozen=True)
class RecordedGame:
    """A game of two players."""

    id: str
    group: str
    map: str
    """of the capture; empty: there is none"""
    loops: int
    players: tuple[RecordedPlayer, RecordedPlayer]


def load_games(file: Path) -> tuple[RecordedGame, ...]:
    """The games in a JSON file, or one line that says what is wrong with it."""
    try:
        text = file.read_text(encoding="utf-8")
        return tuple(_game(entry) for entry in json.loads(text)["games"])
    except OSError as error:
        raise TerrariumError(f"{file}: cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, IndexError, UnicodeDecodeError) as error:
        raise TerrariumError(f"{file}: these are no recorded games: {error!r}") from error


def _game(entry: Mapping[str, Any]) -> RecordedGame:
    first, second = (_player(player) for player in entry["players"])
    return RecordedGame(
        id=str(entry["id"]),
        group=str(entry["group"]),
        map=str(entry["capture_map"] or ""),
        loops=int(entry["loops"]),
        players=(first, second),
    )


def _player(entry: Mapping[str, Any]) -> RecordedPlayer:
    race, series = RACES[entry["race"]], entry["series"]
    x, y = entry["start"]
    return RecordedPlayer(
        race=race,
        kind=str(entry["kind"]),
        start=(float(x), float(y)),
        structures=tuple(RecordedStructure(*one) for one in entry["structures"]),
        births=tuple(entry["units"].get(WORKERS[race], ())),
        losses=tuple(entry.get("workers_lost", ())),
        mules=tuple(entry.get("mules", ())),
        loops=tuple(series["loop"]),
        workers=tuple(series["workers"]),
        minerals=tuple(series["minerals_mined_total"]),
        gas=tuple(series["gas_mined_total"]),
    )
