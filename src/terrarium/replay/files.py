"""Reading and writing files that a user has named."""

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


def _reason(error: OSError | ValueError) -> str:
    """The system's words, or Python's for a name with a null character in it."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
