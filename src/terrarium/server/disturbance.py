"""DebugTestProcess: a client has the process hang, crash or exit, to see how it copes with that."""

import os
import threading

from s2clientprotocol import debug_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.server.session import Session

MOST_DELAY_MS = 3_600_000


def disturb(session: Session, request: api.RequestDebug) -> None:
    """Begin what a client asks for, once its delay is over."""
    for command in request.debug:
        if not command.HasField("test_process"):
            continue
        wanted = command.test_process
        if wanted.test == debug_pb2.DebugTestProcess.hang:
            end = _hang
        elif wanted.test == debug_pb2.DebugTestProcess.crash:
            end = _crash
        else:
            end = _exit
        delay = min(max(wanted.delay_ms, 0), MOST_DELAY_MS) / 1000
        timer = threading.Timer(delay, end, (session,))
        timer.daemon = True
        timer.start()


def _hang(session: Session) -> None:
    session.changed.acquire()  # and never let go: nothing is answered any more


def _crash(session: Session) -> None:
    os.abort()


def _exit(session: Session) -> None:
    os._exit(0)
