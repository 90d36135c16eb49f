"""Messages through a pipe: the length, then the bytes."""

import struct
from typing import IO

_LENGTH = struct.Struct("<q")


def write_bytes(pipe: IO[bytes], data: bytes) -> None:
    pipe.write(_LENGTH.pack(len(data)))
    pipe.write(data)


def read_bytes(pipe: IO[bytes]) -> bytes | None:
    """The next message, or None where the pipe has ended."""
    head = pipe.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    data = pipe.read(length)
    return data if len(data) == length else None
