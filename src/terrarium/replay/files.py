"""Reading and writing files that a user has named."""

import zlib
from pathlib import Path

from terrarium.replay.errors import ReplayError


def write_file(path: str | Path, content: bytes) -> int:
    """Write a file; its size in bytes."""
    try:
        Path(path).write_bytes(content)
    except (OSError, ValueError) as error:
        raise ReplayError(
            f"{path}: cannot be written: {_reason(error)}; choose another place"
        ) from error
    return len(content)


def read_file(path: str | Path, most: int) -> bytes:
    """The first `most` bytes of a file."""
    try:
        with Path(path).open("rb") as file:
            return file.read(most)
    except (OSError, ValueError) as error:
        raise ReplayError(f"{path}: cannot be read: {_reason(error)}") from error


def inflate(packed: bytes, size: int) -> bytes:
    """Decompress, but never more than was announced."""
    stream = zlib.decompressobj()
    try:
        raw = stream.decompress(packed, size + 1)
    except zlib.error as error:
        raise damaged("it cannot be decompressed") from error
    if len(raw) != size or not stream.eof or stream.unused_data:
        raise damaged("its parts do not have the sizes that it states")
    return raw


def damaged(what: str) -> ReplayError:
    return ReplayError(f"the record is damaged: {what}; fetch it again or record anew")


def _reason(error: OSError | ValueError) -> str:
    """The system's words, or Python's for a name with a null character in it."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
