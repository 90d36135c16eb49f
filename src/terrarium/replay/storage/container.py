"""The files of records: small, binary, versioned, and read as if an enemy had written them.

magic, format version, four sizes     26 bytes, little-endian
header                                JSON, compressed
body                                  compressed: columns
SHA-256 of everything above           32 bytes
"""

import hashlib
import json
import struct
import zlib
from pathlib import Path
from typing import Any

from terrarium.errors import TerrariumError
from terrarium.replay.errors import ReplayError
from terrarium.replay.files import damaged, inflate, read_file, write_file
from terrarium.replay.header import Header, read_header
from terrarium.replay.storage.archive import from_archive

MAGIC = b"TERRAREC"
FORMAT_VERSION = 2
MAX_FILE = 64 * 2**20
MAX_HEADER = 2**20
MAX_BODY = 256 * 2**20

_PREFIX = struct.Struct("<8sHIIII")
_DIGEST = 32


class Body:
    """The columns of a record, still compressed: their length follows from the header."""

    def __init__(self, packed: bytes, size: int) -> None:
        self._packed, self._size = packed, size

    def unpacked(self, wanted: int) -> bytes:
        """The columns, if they have the size that the header comes to."""
        if self._size != wanted:
            raise damaged("its columns do not have the size that the header states")
        return inflate(self._packed, self._size)


def write_container(content: bytes, path: str | Path) -> int:
    """Write what `seal` made; the size of the file in bytes."""
    if len(content) > MAX_FILE:
        raise ReplayError(f"{path}: {len(content):,} bytes are more than a record may have")
    return write_file(path, content)


def read_container(path: str | Path) -> tuple[Header, Body]:
    """The parts of a file."""
    content = read_file(path, MAX_FILE + 1)
    try:
        return unseal(content)
    except TerrariumError as error:
        raise ReplayError(f"{path}: {error}") from error


def seal(header: dict[str, Any], body: bytes) -> bytes:
    """The content of a file; equal records have equal bytes."""
    raw = json.dumps(header, allow_nan=False).encode()
    if len(raw) > MAX_HEADER or len(body) > MAX_BODY:
        raise ReplayError("this is too large for a record; record fewer steps")
    packed = [zlib.compress(part, 9) for part in (raw, body)]
    sizes = (len(packed[0]), len(raw), len(packed[1]), len(body))
    content = _PREFIX.pack(MAGIC, FORMAT_VERSION, *sizes) + b"".join(packed)
    return content + hashlib.sha256(content).digest()


def unseal(content: bytes) -> tuple[Header, Body]:
    """Read what `seal` wrote, also from an archive of it; the message of an error does not name the
    file."""
    content = from_archive(content)
    if content[: len(MAGIC)] != MAGIC:
        raise ReplayError("this is no battle record; terrarium watch --save-record writes one")
    if len(content) < _PREFIX.size:
        raise damaged("it ends too early")
    _, version, n_header, header_size, n_body, body_size = _PREFIX.unpack_from(content)
    if version != FORMAT_VERSION:
        raise ReplayError(
            f"a record of format {version}, and this Terrarium reads format {FORMAT_VERSION}; "
            + ("update Terrarium" if version > FORMAT_VERSION else "record the battle again")
        )
    if len(content) != _PREFIX.size + n_header + n_body + _DIGEST:
        raise damaged("its length is not the one it states")
    if header_size > MAX_HEADER or body_size > MAX_BODY:
        raise damaged("it claims to be larger than any record")
    if hashlib.sha256(content[:-_DIGEST]).digest() != content[-_DIGEST:]:
        raise damaged("its checksum is wrong")
    middle = _PREFIX.size + n_header
    header = read_header(inflate(content[_PREFIX.size : middle], header_size))
    return header, Body(content[middle:-_DIGEST], body_size)
