"""The server as a process: a session, a socket, and an end."""

import logging
import os
import signal
import socket
from types import FrameType

from terrarium.server.process.prepare import Preparation, parts_of_games
from terrarium.server.requests import RULES
from terrarium.server.session import QUIT, Session
from terrarium.server.transport import Transport

LOG_VARIABLE = "TERRARIUM_SERVER_LOG"
"""Names a file that all servers append to: clients start them, and drop what they print."""


def serve(listening: socket.socket) -> None:
    """Answer clients on a socket until one of them quits, or the process is told to end."""
    _set_up_log()
    session = Session(RULES)
    transport = Transport(listening, session.answer, lambda: session.status == QUIT)
    session.has_client = transport.has_client

    def end(signum: int, frame: FrameType | None) -> None:
        os._exit(0)  # a game that is computed right now would keep the process for its time

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    session.end_preparation = Preparation(parts_of_games()).stop
    transport.run()
    os._exit(0)  # not after the threads of connections, which wait for their clients


def _set_up_log() -> None:
    if file := os.environ.get(LOG_VARIABLE):
        form = "%(asctime)s %(process)d %(levelname)s %(message)s"
        logging.basicConfig(filename=file, level=logging.INFO, format=form)
        logging.getLogger(f"{Transport.__module__}.websockets").setLevel(logging.WARNING)
