"""Frames between two servers: a length, a kind, and bytes; whoever sends them may be an enemy."""

import json
import socket
import struct
import time
from collections.abc import Callable
from enum import IntEnum
from typing import Any

from terrarium.errors import TerrariumError

_HEAD = struct.Struct("<4sBI")
_MARK = b"TLS1"
"""The version of this protocol; servers of other versions do not understand each other."""
MAX_FRAME = 32 * 2**20


class PeerError(TerrariumError):
    """The other server is gone, or sends what no server sends."""


class Kind(IntEnum):
    """What a frame is about."""

    HELLO = 1
    """a client's server to the host: who joins"""
    PLAN = 2
    """the host to a client's server: the game, and its place in it"""
    READY = 3
    """both: the game is set up, with the check value of its beginning"""
    GRANT = 4
    """how far a client lets the game run, and what it puts in"""
    GONE = 5
    """a client has left, or the host has lost its server"""
    DONE = 6
    """the end of the game has been reached"""
    QUITS = 8
    """a client has its server end"""
    ALIVE = 7
    """nothing, now and then"""


def send_frame(connection: socket.socket, kind: Kind, payload: bytes = b"") -> None:
    """Send one frame."""
    try:
        connection.sendall(_HEAD.pack(_MARK, kind, len(payload)) + payload)
    except OSError as error:
        raise PeerError(f"the other server is gone: {error.strerror or error}") from error


def receive_frame(
    connection: socket.socket, until: float, goes_on: Callable[[], bool] = lambda: True
) -> tuple[Kind, bytes]:
    """The next frame; `until` is when it has to be there, on the monotonic clock."""
    mark, kind, length = _HEAD.unpack(_receive(connection, _HEAD.size, until, goes_on))
    if mark != _MARK or kind not in set(Kind) or length > MAX_FRAME:
        raise PeerError("the other process is no server of this version")
    return Kind(kind), _receive(connection, length, until, goes_on)


def _receive(
    connection: socket.socket, n_bytes: int, until: float, goes_on: Callable[[], bool]
) -> bytes:
    parts = bytearray()
    while len(parts) < n_bytes:
        left = until - time.monotonic()
        if left <= 0.0:
            raise PeerError("the other server has been silent for too long")
        if not goes_on():
            raise PeerError("the client has gone")
        connection.settimeout(min(left, 0.5))
        try:
            part = connection.recv(min(n_bytes - len(parts), 2**20))
        except TimeoutError:
            continue
        except OSError as error:
            raise PeerError(f"the other server is gone: {error.strerror or error}") from error
        if not part:
            raise PeerError("the other server is gone")
        parts += part
    return bytes(parts)


def pack_table(values: dict[str, Any]) -> bytes:
    """A table of texts, numbers and lists as bytes."""
    return json.dumps(values, allow_nan=False).encode()


def unpack_table(payload: bytes) -> dict[str, Any]:
    """Read what `pack_table` wrote."""
    try:
        values = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise PeerError("the other server sent no table") from error
    if not isinstance(values, dict):
        raise PeerError("the other server sent no table")
    return values
