"""The one use of numba: how kernels are compiled, cached and announced."""

import hashlib
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config as _numba_config

from terrarium.engine.linked import LinkedCompiler, one_for_all

logger = logging.getLogger(__name__)

Function = TypeVar("Function", bound=Callable[..., Any])

config: Any = _numba_config
_njit: Any = numba.njit
# Any: numba's types know neither its own settings nor the options of kernels.

COMPILED = not config.DISABLE_JIT
"""False when NUMBA_DISABLE_JIT=1 runs the kernels as plain Python, for a debugger."""

_KEPT_CACHES = 6


ENGINE_FOLDER = Path(__file__).parent


def _source_digest(folder: Path) -> str:
    """Cover what numba's own cache key misses: callees and constants in other files, and checks."""
    digest = hashlib.sha256(f"{numba.__version__} {config.BOUNDSCHECK}".encode())
    for file in sorted(folder.glob("*.py")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def _user_cache() -> Path:
    if chosen := os.environ.get("TERRARIUM_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", tempfile.gettempdir())) / "terrarium"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "terrarium"


def _prepare(folder: Path) -> bool:
    """Make the cache folder and drop the oldest others; say so if it cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        os.utime(folder)
        if not os.access(folder, os.W_OK):
            raise PermissionError(13, "not writable")
        others = sorted(folder.parent.iterdir(), key=lambda path: path.stat().st_mtime)
    except OSError as error:
        logger.warning(
            "Compiled rules cannot be kept in %s (%s), so each start compiles again. "
            "Set TERRARIUM_CACHE to a folder that can be written.",
            folder,
            error.strerror,
        )
        return False
    for old in others[:-_KEPT_CACHES]:
        shutil.rmtree(old, ignore_errors=True)
    return True


CACHE_FOLDER = _user_cache() / _source_digest(ENGINE_FOLDER)
_CACHED = COMPILED and _prepare(CACHE_FOLDER)

# Kernels allocate nothing, so they need no reference counts; counting (with atomic instructions, on
# counters that threads share) cost more than half of the time.
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
_INSIDE = {
    **_OPTIONS,
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": LinkedCompiler,
}


def kernel(function: Function) -> Function:
    """Compile a rule. No exceptions, objects or allocations inside; guard every denominator.

    It becomes part of the kernel that calls it: a call would hand over some three hundred words of
    array descriptions. It has no wrapper for Python, which halves the time to compile.
    """
    if not COMPILED:
        return function
    compiled: Function = one_for_all(_njit(**_INSIDE, forceinline=True)(function))
    return compiled


def rare(function: Function) -> Function:
    """Compile a rule that most ticks do without: called, not copied into its callers."""
    if not COMPILED:
        return function
    compiled: Function = one_for_all(_njit(**_INSIDE)(function))
    return compiled


def entry(function: Function) -> Function:
    """Compile a way in from Python, with all kernels it calls, into the cache.

    Kernels call others of their own folder and of the engine; an entry that calls another entry
    links what the cache has of it, so the rules are compiled once.
    """
    if not COMPILED:
        return function
    before = config.CACHE_DIR
    config.CACHE_DIR = str(_cache_of(Path(function.__code__.co_filename).parent))
    try:
        compiled: Function = _njit(**_OPTIONS, cache=_CACHED)(function)
    finally:
        config.CACHE_DIR = before
    return compiled


def _cache_of(folder: Path) -> Path:
    """Other folders keep theirs inside of the engine's: it is stale when either has changed."""
    if folder == ENGINE_FOLDER:
        return CACHE_FOLDER
    return CACHE_FOLDER / f"{folder.parent.name}-{folder.name}-{_source_digest(folder)}"


def announce_first_use(what: str, folder: Path = ENGINE_FOLDER) -> None:
    """Tell the user why the first call takes a while; silent once the cache is filled."""
    if COMPILED and not (_CACHED and _mark_of(folder).exists()):
        logger.warning("Compiling %s, once for this version of it.", what)


def note_compiled(folder: Path = ENGINE_FOLDER) -> None:
    """Remember that every entry point of a folder has been compiled into the cache."""
    if _CACHED:
        _mark_of(folder).touch()


def _mark_of(folder: Path) -> Path:
    return _cache_of(folder) / "compiled"
