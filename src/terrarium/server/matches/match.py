"""One match: bots of burnysc2 against each other or a computer opponent, on our servers."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from loguru import logger as bot_logger
from sc2 import maps
from sc2.bot_ai import BotAI
from sc2.data import Race, Result
from sc2.main import run_game
from sc2.player import Bot, Computer, Human

from terrarium.errors import TerrariumError
from terrarium.replay.replays import load_replay
from terrarium.server.matches.bot_files import ComputerName
from terrarium.server.matches.trouble import (
    BotHangs,
    MatchError,
    folder_of,
    line_about,
    patience,
)
from terrarium.server.process.install import default_folder, install
from terrarium.server.process.launch import LOG_VARIABLE

if TYPE_CHECKING:
    from loguru import Message

SERVER_LOG, BOT_LOG = "server.log", "bot.log"
REPLAY, PAGE = "game.SC2Replay", "game.html"
PATIENCE_SECONDS = 60


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
    patience_seconds: int = PATIENCE_SECONDS
    """of a step of a bot; one that takes longer hangs"""


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
    bots = [_made(seat) for seat in plan.bots]
    players: list[Human | Bot | Computer] = [
        Bot(seat.race, bot, name=seat.name) for seat, bot in zip(plan.bots, bots, strict=True)
    ]
    if plan.computer is not None:
        c = plan.computer
        players.append(Computer(c.race, c.difficulty, c.build))
    began = time.monotonic()
    with _troubles_in(folder / BOT_LOG, plan), patience(bots, plan.patience_seconds):
        result = run_game(
            _map(plan.map),
            players,
            realtime=plan.realtime,
            save_replay_as=str(folder / REPLAY),
            game_time_limit=plan.limit_seconds,
            random_seed=plan.seed,
        )
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


def _made(seat: BotSeat) -> BotAI:
    try:
        return seat.kind()
    except Exception as error:
        raise MatchError(f"{seat.name}: {line_about(error, [folder_of(seat.kind)])}") from error


@contextmanager
def _troubles_in(log: Path, plan: MatchPlan) -> Iterator[None]:
    """Keep the bots' log, and refuse a match in which one of them failed: the client swallows what
    goes wrong in a first step, and of two bots it drops the error of either."""
    failed: list[BaseException] = []

    def note(message: "Message") -> None:
        exception = message.record["exception"]
        if exception is not None and exception.value is not None:
            failed.append(exception.value)

    bot_logger.remove()
    sinks = [bot_logger.add(log, level="INFO"), bot_logger.add(note, level="ERROR")]
    try:
        yield
    except TerrariumError:
        raise
    except (Exception, SystemExit, BotHangs) as error:
        if not failed:
            bot_logger.opt(exception=error).error("The match ended early.")
        raise _failure(failed[0], log, plan) from error
    finally:
        for sink in sinks:
            bot_logger.remove(sink)
    if failed:
        raise _failure(failed[0], log, plan) from failed[0]


def _failure(error: BaseException, log: Path, plan: MatchPlan) -> MatchError:
    said = line_about(error, [folder_of(seat.kind) for seat in plan.bots])
    return MatchError(f"{said}. The traceback is in {log}")


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
