"""The server as a process: a session, a socket, and an end."""

import os
import signal
import socket
import threading
from types import FrameType

from terrarium.server.requests import RULES
from terrarium.server.session import Session
from terrarium.server.transport import Transport


def serve(listening: socket.socket) -> None:
    """Answer clients on a socket until one of them quits, or the process is told to end."""
    session = Session(RULES)
    transport = Transport(listening, session.answer)
    session.has_client = transport.has_client

    def end(signum: int, frame: FrameType | None) -> None:
        os._exit(0)  # a game that is computed right now would keep the process for its time

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    session.when_quit = lambda: threading.Thread(target=transport.stop, daemon=True).start()
    transport.run()
