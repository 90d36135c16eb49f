"""The websocket of the API: one client at a time, a request in, a response out."""

import contextlib
import http
import logging
import socket
import threading
import time
from collections.abc import Callable

from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.sync.server import Server, ServerConnection, serve

logger = logging.getLogger(__name__)

PATH = "/sc2api"
MAX_BYTES = 128 * 2**20
"""of a message; the ladder's proxy allows as many"""
HANDOVER_SECONDS = 2.0
"""How long a client waits for the one before it to leave: PySC2's remote host closes its
connection, and the next client connects at once."""

Answer = Callable[[bytes], bytes]
KEEP_ALIVE = {"TCP_KEEPIDLE": 30, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 4}
"""Seconds without a word until the system asks whether the client's machine is there, between its
questions, and how many of them."""


def keep_alive(connection: socket.socket) -> None:
    """Notice a client whose machine is gone. One that only thinks for long still has a system that
    answers for it."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEP_ALIVE.items():
        if hasattr(socket, name):  # systems do not have all of them
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


class Transport:
    """Serves one client at a time on a socket that listens already.

    The game belongs to the process, not to the connection: `answer` is called for whatever client
    is connected, in the order of its requests.
    """

    def __init__(
        self,
        listening: socket.socket,
        answer: Answer,
        is_over: Callable[[], bool] = lambda: False,
    ) -> None:
        """`is_over` is asked when an answer has been sent: does serving end with it?"""
        self._answer, self._is_over = answer, is_over
        self._stopped = threading.Event()
        self._admitting, self._answering = threading.Lock(), threading.Lock()
        self._client: ServerConnection | None = None
        """admitted last"""
        self._asking: ServerConnection | None = None
        """whose request is being answered"""
        self._server: Server = serve(
            self._talk,
            sock=listening,
            process_request=self._admit,
            max_size=MAX_BYTES,
            compression=None,
            # Clients think between two requests for longer than any limit, and some do not read
            # meanwhile: a ping without an answer would end their game.
            ping_interval=None,
            logger=logging.getLogger(f"{__name__}.websockets"),
        )

    def run(self) -> None:
        """Serve until it is over, or until `stop` is called."""
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self._stopped.wait()

    def stop(self) -> None:
        """Serve nobody any more."""
        self._server.shutdown()
        self._stopped.set()

    def has_client(self) -> bool:
        """Is the client there that waits for the present answer? Another one may have taken the
        place of one that did not wait for it."""
        client = self._asking or self._client
        return client is not None and client.state is State.OPEN

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        if request.path != PATH:
            return connection.respond(http.HTTPStatus.NOT_FOUND, f"the API is at {PATH}\n")
        until = time.monotonic() + HANDOVER_SECONDS
        while time.monotonic() < until:
            with self._admitting:
                if self._client is None or self._client.state is State.CLOSED:
                    self._client = connection
                    keep_alive(connection.socket)
                    return None
            time.sleep(0.01)
        return connection.respond(
            http.HTTPStatus.SERVICE_UNAVAILABLE, "another client is connected\n"
        )

    def _talk(self, connection: ServerConnection) -> None:
        try:
            while True:
                # Undecoded: PySC2 and SMAC send protobuf in text frames, which is no UTF-8.
                request = connection.recv(decode=False)
                with self._answering:  # the answer to a client that has gone may still be made
                    self._asking = connection
                    try:
                        response = self._answer(request)
                    finally:
                        self._asking = None
                connection.send(response)
                if self._is_over():
                    with contextlib.suppress(OSError):  # it has closed already
                        connection.socket.shutdown(socket.SHUT_WR)
                    self._stopped.set()
        except ConnectionClosed:
            logger.info("The client has gone.")
