"""Games that run by themselves, at 22.4 loops a second."""

import logging
import threading
import time

from terrarium.errors import TerrariumError
from terrarium.server.live_game import LiveGame
from terrarium.server.session import NOT_IN_A_GAME, Refused, Session

logger = logging.getLogger(__name__)

LOOPS_PER_SECOND = 22.4
MOST_BEHIND = 0.5
"""Seconds that a game makes up for by running faster; what it lost beyond them is lost."""


def start_clock(session: Session, game: LiveGame) -> None:
    """Let a game go on by itself until it ends, or the process plays another one."""
    token = session.clock = object()

    def run() -> None:
        due = time.monotonic()
        while True:
            due = max(due + 1 / LOOPS_PER_SECOND, time.monotonic() - MOST_BEHIND)
            time.sleep(max(0.0, due - time.monotonic()))
            with session.changed:
                if session.clock is not token or session.game is not game or game.ended:
                    return
                try:
                    game.step(1)
                except TerrariumError:
                    logger.exception("The game has stopped.")
                    return
                finally:
                    session.note_end()

    threading.Thread(target=run, daemon=True, name="clock").start()


def wait_for_loop(session: Session, game: LiveGame, loop: int) -> None:
    """Until a game that runs by itself has come to a loop, or to its end."""
    while game.loop < loop and not game.ended:
        session.wait(0.5)
        if session.game is not game:
            raise Refused(NOT_IN_A_GAME)
