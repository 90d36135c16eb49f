"""How computer opponents develop beside recorded games, and how often each beats the one below."""

import statistics
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from multiprocessing import get_context
from typing import TYPE_CHECKING, Protocol, TypeVar

from terrarium.bench.engine import Machine, check_counts, describe_machine
from terrarium.bench.games.recorded import LOOPS, RECORDED
from terrarium.bench.games.soak import SoakGame, pairings, watch
from terrarium.data.maps.library import find_map
from terrarium.data.opponents.levels import RACES, levels
from terrarium.data.opponents.opponent import find_opponent
from terrarium.errors import TerrariumError, nearest

if TYPE_CHECKING:
    from terrarium.envs.games.matches import Match

MAX_GAMES = 10_000
MAX_PROCESSES = 64
MAX_TICKS = 10_000_000


@dataclass(frozen=True)
class OpponentBenchConfig:
    """What is measured."""

    levels: tuple[str, ...] = ()
    """of computer opponents; none: all that recorded games tell of, and all duels"""
    races: tuple[str, ...] = RACES
    """races of the opponents whose development is measured"""
    games: int = 10
    """games of each level and race against `against`; 0: do not measure development"""
    duels: int = 20
    """games of each level against the one below it; 0: none"""
    against: str = "medium-terran-macro"
    """who plays against those whose development is measured"""
    soak: int = 0
    """games of all pairs of races on ten generated maps, watched for what must never happen"""
    maps: tuple[str, ...] = ("ladder/1", "ladder/2", "ladder/3", "ladder/4", "ladder/5")
    """maps, or map files, in turns"""
    limit_ticks: int = 40_320
    """when a duel ends; then the larger army has won"""
    seed: int = 0
    """of the first game"""
    processes: int = 1
    """games played side by side"""

    def __post_init__(self) -> None:
        for name in self.levels:
            if name not in levels():
                raise TerrariumError(
                    f'unknown level "{name}".{nearest(name, levels())} '
                    f"Allowed: {', '.join(levels())}"
                )
        for race in self.races:
            if race not in RACES:
                raise TerrariumError(
                    f'unknown race "{race}".{nearest(race, RACES)} Allowed: {", ".join(RACES)}'
                )
        for name in ("games", "duels", "soak"):
            if not 0 <= getattr(self, name) <= MAX_GAMES:
                raise TerrariumError(f"{name} is {getattr(self, name)}; allowed: 0 to {MAX_GAMES}")
        check_counts("processes", (self.processes,), MAX_PROCESSES)
        check_counts("limit-ticks", (self.limit_ticks,), MAX_TICKS)
        find_opponent(self.against)
        if not self.maps:
            raise TerrariumError("maps: none; name one or more")
        for name in self.maps:
            find_map(name)


@dataclass(frozen=True)
class Development:
    """Medians of one level and race at one loop, beside those of recorded games."""

    level: str
    race: str
    loop: int
    games: int
    """that lasted so long"""
    workers: float
    recorded_workers: float | None
    army_value: float
    recorded_army_value: float | None
    bank: float


@dataclass(frozen=True)
class Duels:
    """Games of a level against the one below it."""

    level: str
    below: str
    games: int
    won: int
    undecided: int
    """at the time limit"""
    mean_loops: float


@dataclass(frozen=True)
class OpponentBench:
    """The result of a run."""

    machine: Machine
    config: OpponentBenchConfig
    developments: tuple[Development, ...]
    duels: tuple[Duels, ...]
    soak: tuple[SoakGame, ...]


@dataclass(frozen=True)
class GamePairing:
    """A game that is to be played."""

    map: str
    players: tuple[str, str]
    seed: int
    limit_ticks: int
    loops: tuple[int, ...] = ()


Game = TypeVar("Game")
Result = TypeVar("Result")


class PlayAll(Protocol):
    """Plays all of some games, each by a function of a module."""

    def __call__(self, play: Callable[[Game], Result], games: Sequence[Game]) -> list[Result]: ...


def bench_opponents(
    config: OpponentBenchConfig, progress: Callable[[str], None] | None = None
) -> OpponentBench:
    """Play everything that `config` asks for; `progress` is told what comes next."""
    tell = progress or (lambda text: None)
    developments: list[Development] = []
    duels = []
    with _players(config.processes) as play_all:
        for level in config.levels or tuple(RECORDED):
            for race in config.races if config.games else ():
                tell(f"{level} {race}")
                developments += _development(config, level, race, play_all)
        for below, level in pairwise(levels()):
            if config.duels and (not config.levels or level in config.levels):
                tell(f"{level} against {below}")
                duels.append(_duels(config, level, below, play_all))
        watched: list[SoakGame] = []
        batch = max(1, config.processes)
        games = pairings(config.soak, config.seed)
        for k in range(0, len(games), batch):
            tell(f"game {k + 1} of {len(games)}, watched")
            watched += play_all(watch, games[k : k + batch])
    return OpponentBench(
        describe_machine(), config, tuple(developments), tuple(duels), tuple(watched)
    )


def _development(
    config: OpponentBenchConfig, level: str, race: str, play_all: PlayAll
) -> list[Development]:
    """One level and race against the script that all are measured against."""
    player = f"{level}-{race}-Macro"
    games = []
    for k in range(config.games):
        players = (player, config.against) if k % 2 == 0 else (config.against, player)
        where = config.maps[k % len(config.maps)]
        games.append(GamePairing(where, players, config.seed + k, LOOPS[-1] + 8, LOOPS))
    matches = play_all(play, games)
    rows = []
    for loop in LOOPS:
        samples = [
            sample
            for k, match in enumerate(matches)
            for sample in match.samples[k % 2]
            if loop <= sample.loop < loop + 8
        ]
        known = RECORDED.get(level, {}).get(race)
        place = LOOPS.index(loop)
        if samples:
            rows.append(
                Development(
                    level=level,
                    race=race,
                    loop=loop,
                    games=len(samples),
                    workers=statistics.median(s.workers for s in samples),
                    recorded_workers=known.workers[place] if known else None,
                    army_value=statistics.median(s.army_value for s in samples),
                    recorded_army_value=known.army[place] if known else None,
                    bank=statistics.median(s.bank for s in samples),
                )
            )
    return rows


def _duels(config: OpponentBenchConfig, level: str, below: str, play_all: PlayAll) -> Duels:
    """Sides and races take turns."""
    games, places = [], []
    for k in range(config.duels):
        mine, theirs = RACES[k % 3], RACES[k // 3 % 3]
        players = (f"{level}-{mine}", f"{below}-{theirs}")
        places.append(1 if k % 2 == 0 else 2)
        ordered = players if k % 2 == 0 else (players[1], players[0])
        where = config.maps[k % len(config.maps)]
        games.append(GamePairing(where, ordered, config.seed + k, config.limit_ticks))
    matches = play_all(play, games)
    return Duels(
        level=level,
        below=below,
        games=len(matches),
        won=sum(match.won(place) for match, place in zip(matches, places, strict=True)),
        undecided=sum(match.results[0].name == "UNDECIDED" for match in matches),
        mean_loops=statistics.mean(match.loops for match in matches),
    )


@contextmanager
def _players(processes: int) -> Iterator[PlayAll]:
    """Plays lists of games, in this process or in several others."""
    if processes == 1:
        yield lambda play, games: [play(game) for game in games]
        return
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        yield lambda play, games: list(pool.map(play, games))


def play(pairing: GamePairing) -> "Match":
    """Play one game."""
    from terrarium.envs.games.matches import play_match  # loads the engine

    return play_match(
        pairing.map, pairing.players, pairing.seed, pairing.limit_ticks, pairing.loops
    )
