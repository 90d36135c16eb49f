"""Machine code as files: a cache of object files, and how one is loaded into this process."""

import ctypes
import hashlib
import logging
import os
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from llvmlite import binding

logger = logging.getLogger(__name__)

FAULT_SYMBOL = "terrarium.fault"
"""What checked units call when an index is out of bounds."""
_faults: list[int] = []


def cache_folder() -> Path:
    """Where compiled units are kept: $TERRARIUM_CACHE, or the user's cache folder."""
    if chosen := os.environ.get("TERRARIUM_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", tempfile.gettempdir())) / "terrarium"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "terrarium"


def read_object(name: str) -> bytes | None:
    """A unit from the cache, if it is there and whole."""
    try:
        data = (cache_folder() / name).read_bytes()
    except OSError:
        return None
    check, code = data[:32], data[32:]
    # What a killed process or a full disk left behind must not be run.
    return code if hashlib.sha256(code).digest() == check else None


def write_object(name: str, code: bytes) -> None:
    """Keep a unit: written aside and renamed, so that other processes never see half of it."""
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".writing-", delete=False) as file:
            file.write(hashlib.sha256(code).digest() + code)
        os.replace(file.name, folder / name)
    except OSError as error:
        _warn_unwritable(folder, error.strerror or str(error))


@cache
def _warn_unwritable(folder: Path, why: str) -> None:
    logger.warning(
        "Compiled rules cannot be kept in %s (%s), so each start compiles again. "
        "Set TERRARIUM_CACHE to a folder that can be written.",
        folder,
        why,
    )


@cache
def _engine() -> Any:
    """LLVM's linker and loader for this process."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine(
        codemodel="jitdefault", jit=True
    )
    binding.add_symbol(FAULT_SYMBOL, ctypes.cast(_note_fault, ctypes.c_void_p).value)
    return binding.create_mcjit_compiler(binding.parse_assembly(""), machine)


_note_fault = ctypes.CFUNCTYPE(None, ctypes.c_int32)(_faults.append)


def load(symbol: str, code: bytes) -> int:
    """Link a unit into this process; the address of its entry, which other units may now call."""
    engine = _engine()
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    address = int(engine.get_function_address(symbol))
    binding.add_symbol(symbol, address)
    return address


def check_fault(symbol: str) -> None:
    """Raise what a checked unit has noticed."""
    if _faults:
        _faults.clear()
        raise IndexError(f"an index is out of bounds in {symbol}")
