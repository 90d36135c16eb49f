"""One match: bots of burnysc2 against each other or a computer opponent, on our servers."""

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from loguru import logger as bot_logger
from sc2 import maps
from sc2.bot_ai import BotAI
from sc2.data import Race, Result
from sc2.main import run_game
from sc2.player import Bot, Computer, Human

from terrarium.replay.replays import load_replay
from terrarium.server.matches.bot_files import ComputerName, MatchError
from terrarium.server.process.install import default_folder, install
from terrarium.server.process.launch import LOG_VARIABLE

SERVER_LOG, BOT_LOG = "server.log", "bot.log"
REPLAY, PAGE = "game.SC2Replay", "game.html"


@dataclass(frozen=True)
class BotSeat:
    """A bot and the race that it plays."""

    name: str
    kind: type[BotAI]
    race: Race


@dataclass(frozen=True)
class MatchPlan:
    """What is played, and where the logs and the replay go."""

    map: str
    bots: Sequence[BotSeat]
    """one, or two against each other"""
    computer: ComputerName | None
    """of a single bot"""
    folder: Path
    seed: int | None = None
    realtime: bool = False
    limit_seconds: int | None = None
    """of the game's time at faster speed; a tie then"""
    page: bool = True
    """write a page that shows the game"""


@dataclass(frozen=True)
class MatchOutcome:
    """How it ended."""

    map: str
    players: tuple[str, ...]
    results: tuple[str, ...]
    """of the bots: Victory, Defeat, Tie"""
    seconds: float
    """that the match took"""
    replay: str | None
    page: str | None
    """that plays the game in a browser"""


def play_match(plan: MatchPlan) -> MatchOutcome:
    """Play a match in this process; servers are processes of their own."""
    folder = plan.folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    for name in (REPLAY, PAGE):  # of an earlier match: this one may leave none
        (folder / name).unlink(missing_ok=True)
    install(default_folder())
    os.environ["SC2PATH"] = str(default_folder())
    os.environ[LOG_VARIABLE] = str(folder / SERVER_LOG)
    bot_logger.remove()
    sink = bot_logger.add(folder / BOT_LOG, level="INFO")
    players: list[Human | Bot | Computer] = [Bot(s.race, s.kind(), name=s.name) for s in plan.bots]
    if plan.computer is not None:
        c = plan.computer
        players.append(Computer(c.race, c.difficulty, c.build))
    began = time.monotonic()
    try:
        result = run_game(
            _map(plan.map),
            players,
            realtime=plan.realtime,
            save_replay_as=str(folder / REPLAY),
            game_time_limit=plan.limit_seconds,
            random_seed=plan.seed,
        )
    finally:
        bot_logger.remove(sink)
    seconds = time.monotonic() - began
    replay = folder / REPLAY
    results = result if isinstance(result, list) else [result]
    return MatchOutcome(
        map=plan.map,
        players=tuple(str(player.name or player) for player in players),
        results=tuple(r.name if isinstance(r, Result) else "Unknown" for r in results),
        seconds=round(seconds, 1),
        replay=str(replay) if replay.exists() else None,
        page=_write_page(replay) if plan.page and replay.exists() else None,
    )


def _write_page(replay: Path) -> str:
    """Play the replay again for a page beside it."""
    page = replay.with_name(PAGE)
    load_replay(replay).save_page(page)
    return str(page)


def _map(name: str) -> maps.Map:
    try:
        return maps.get(name)
    except KeyError:
        raise MatchError(
            f'unknown map "{name}". Files of maps are in {default_folder() / "Maps"}'
        ) from None
