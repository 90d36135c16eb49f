"""A link to another server: threads that send and receive, so that the game never waits for a
socket, and notice when the other one is gone or hangs."""

import queue
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from terrarium.server.multiplayer.frames import Kind, PeerError, receive_frame, send_frame

HEARTBEAT_SECONDS = 1.0
SILENCE_SECONDS = 6.0
"""without a word, and the other server is as good as gone"""


class Link:
    """One connection; `deliver` and `lost` are called with `changed` held, `lost` once."""

    def __init__(
        self,
        connection: socket.socket,
        changed: threading.Condition,
        deliver: Callable[[Kind, bytes], None],
        lost: Callable[[], None],
    ) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._incoming, self._outgoing = connection, connection.dup()
        self._outgoing.settimeout(SILENCE_SECONDS)  # of this object alone
        self._changed, self._deliver, self._lost = changed, deliver, lost
        self._waiting: queue.SimpleQueue[tuple[Kind, bytes] | None] = queue.SimpleQueue()
        self._closed = False
        for work in (self._receive, self._send):
            threading.Thread(target=work, daemon=True, name="link").start()

    def send(self, kind: Kind, payload: bytes = b"") -> None:
        """Send a frame, as soon as those before it have been sent."""
        self._waiting.put((kind, payload))

    def close(self) -> None:
        """Send what waits, and end the connection."""
        self._closed = True
        self._waiting.put(None)

    def _receive(self) -> None:
        try:
            while True:
                until = time.monotonic() + SILENCE_SECONDS
                kind, payload = receive_frame(self._incoming, until, lambda: not self._closed)
                if kind != Kind.ALIVE:
                    with self._changed:
                        self._deliver(kind, payload)
                        self._changed.notify_all()
        except PeerError:
            pass
        self._incoming.close()
        self.close()
        with self._changed:
            self._lost()
            self._changed.notify_all()

    def _send(self) -> None:
        try:
            while True:
                try:
                    frame = self._waiting.get(timeout=HEARTBEAT_SECONDS)
                except queue.Empty:
                    frame = (Kind.ALIVE, b"")
                if frame is None:
                    break
                send_frame(self._outgoing, *frame)
        except PeerError:
            pass  # the receiving side notices it as well
        with suppress(OSError):  # it may be gone already
            self._outgoing.shutdown(socket.SHUT_RDWR)
        self._outgoing.close()
