"""What goes wrong in a bot's own code, told in one line: where it is, and what Python says."""

import ctypes
import inspect
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from sc2.bot_ai import BotAI

from terrarium.errors import TerrariumError

POLL_SECONDS = 0.5
DEBUGGER = "bdb"
"""the module below every debugger of Python"""


class MatchError(TerrariumError):
    """A match cannot be played."""


class BotHangs(BaseException):
    """Raised inside a bot that does not come back; no `except Exception` of its own stops it."""


def line_about(error: BaseException, folders: Sequence[Path]) -> str:
    """An error of a bot: the last line of the bot's own files that it passed, and what it is."""
    steps = traceback.extract_tb(error.__traceback__)
    own = [step for step in steps if _is_in(step.filename, folders)]
    place = f"{own[-1].filename}, line {own[-1].lineno}: " if own else ""
    if isinstance(error, BotHangs):
        return f"{place}the bot does not come back from here"
    said = " ".join(str(error).split())
    return f"{place}{type(error).__name__}{': ' if said else ''}{said}"


def folder_of(bot: type[BotAI]) -> Path:
    """Where the files of a bot are."""
    return Path(inspect.getfile(bot)).absolute().parent


def _is_in(file: str, folders: Sequence[Path]) -> bool:
    path = Path(file)
    # A virtual environment may lie in the bot's folder, and its packages are not the bot's.
    return "site-packages" not in path.parts and any(f in path.parents for f in folders)


@contextmanager
def patience(bots: Sequence[BotAI], seconds: float) -> Iterator[None]:
    """Raise `BotHangs` in a bot that computes for longer without a step of its game; 0 = never.

    Bots run in this thread. What they wait for, a server that compiles for example, does not count:
    a bot's code has to be what the thread is doing.
    """
    over = threading.Event()
    folders = [folder_of(type(bot)) for bot in bots]
    thread = threading.get_ident()

    def look() -> None:
        waited, before = 0.0, _loops(bots)
        while not over.wait(POLL_SECONDS):
            now = _loops(bots)
            busy = now == before and _computes(sys._current_frames().get(thread), folders)
            waited, before = waited + POLL_SECONDS if busy else 0.0, now
            if waited >= seconds:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(thread), ctypes.py_object(BotHangs)
                )
                return

    if seconds > 0:
        threading.Thread(target=look, daemon=True, name="patience").start()
    try:
        yield
    finally:
        over.set()


def _loops(bots: Sequence[BotAI]) -> list[int]:
    """How far the games of bots are; -1 = not begun."""
    return [bot.state.game_loop if hasattr(bot, "state") else -1 for bot in bots]


def _computes(frame: FrameType | None, folders: Sequence[Path]) -> bool:
    """Is a bot's code on a stack, and nobody looks at it with a debugger?"""
    found = False
    while frame is not None:
        if frame.f_globals.get("__name__") == DEBUGGER:
            return False
        found = found or _is_in(frame.f_code.co_filename, folders)
        frame = frame.f_back
    return found
