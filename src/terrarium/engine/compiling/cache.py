"""The cache: units of machine code as files, shared by every process of a user.

Nothing here may stop a program: a folder that cannot be written, is full, or holds what a killed
process left behind, costs one warning and the time to compile.
"""

import contextlib
import hashlib
import logging
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: two processes that start at once both compile
    fcntl = None  # type: ignore[assignment]

logger = logging.getLogger(__name__)

LIMIT_BYTES = 200_000_000
"""Beyond this, the units that were used longest ago are removed: some ten versions fit."""
LEFTOVER_S = 3600.0
"""A file that is being written for longer belongs to a process that was killed."""
_CHECK_BYTES = 32


def cache_folder() -> Path:
    """Where compiled units are kept: $TERRARIUM_CACHE, or the user's cache folder."""
    if chosen := os.environ.get("TERRARIUM_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", tempfile.gettempdir())) / "terrarium"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "terrarium"


def read_unit(name: str) -> bytes | None:
    """A unit from the cache, if it is there and whole."""
    path = cache_folder() / name
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        _warn_once("unreadable", f"{path} cannot be read ({error.strerror}): compiling it again.")
        return None
    check, code = data[:_CHECK_BYTES], data[_CHECK_BYTES:]
    if hashlib.sha256(code).digest() != check:
        _warn_once("damaged", f"{path} is damaged: compiling it again.")
        with contextlib.suppress(OSError):
            path.unlink()
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # its last use, for `prune`
    return code


def write_unit(name: str, code: bytes) -> None:
    """Keep a unit: written aside and renamed, so that other processes never see half of it."""
    folder = cache_folder()
    aside = folder / f".writing-{os.getpid()}-{name}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        aside.write_bytes(hashlib.sha256(code).digest() + code)
        aside.replace(folder / name)
    except OSError as error:
        with contextlib.suppress(OSError):
            aside.unlink()
        _warn_once(
            "unwritable",
            f"Compiled rules cannot be kept in {folder} ({error.strerror or error}), so each start "
            "compiles them again. Set TERRARIUM_CACHE to a folder that can be written.",
        )


def bytes_of(names: list[str]) -> int:
    """How many bytes these units take in the cache."""
    folder, size = cache_folder(), 0
    for name in names:
        with contextlib.suppress(OSError):
            size += (folder / name).stat().st_size
    return size


def prune(limit_bytes: int = LIMIT_BYTES) -> None:
    """Remove the units that were used longest ago, and what killed processes left behind.

    A process that is about to read a removed unit compiles it again; one that has read it does not
    notice.
    """
    units: list[tuple[float, int, Path]] = []
    try:
        for path in cache_folder().iterdir():
            about = path.stat()
            if path.name.startswith(".writing-"):
                if time.time() - about.st_mtime > LEFTOVER_S:
                    path.unlink()
            elif path.suffix == ".o":
                units.append((about.st_mtime, about.st_size, path))
        size = sum(n_bytes for _, n_bytes, _ in units)
        for _, n_bytes, path in sorted(units):
            if size <= limit_bytes:
                break
            path.unlink()
            size -= n_bytes
    except OSError:
        pass  # another process prunes too, or the folder cannot be written: no harm


@contextlib.contextmanager
def compiling_alone(key: str) -> Iterator[None]:
    """Wait until no other process compiles for this cache; `key` tells modes and versions apart.

    Several runs started at once would otherwise each compile everything. The lock goes with the
    process that holds it, also when it is killed.
    """
    lock = None
    if fcntl is not None:
        try:
            folder = cache_folder()
            folder.mkdir(parents=True, exist_ok=True)
            lock = (folder / f".lock-{key}").open("w")
            fcntl.flock(lock, fcntl.LOCK_EX)
        except OSError:
            pass  # a folder that cannot be written, a network drive without locks: compile anyway
    try:
        yield
    finally:
        if lock is not None:
            lock.close()


_warned: set[str] = set()


def _warn_once(problem: str, text: str) -> None:
    """One line for each kind of problem, however many units have it."""
    if problem not in _warned:
        _warned.add(problem)
        logger.warning(text)
