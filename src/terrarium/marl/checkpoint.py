"""Checkpoints: written whole or not at all, and read without running what is in them."""

import errno
import hashlib
import io
import os
import pickle
from pathlib import Path
from typing import Any

import torch

from terrarium.errors import TerrariumError

KIND = "terrarium checkpoint"
VERSION = 3
"""3: the settings of an encoder, a core and the like are sections of their own"""
_MARK = b"\nterrarium sha256 "
_N_FOOTER = len(_MARK) + 2 * hashlib.sha256().digest_size


class CheckpointError(TerrariumError):
    """A checkpoint that cannot be written, read or used."""


def save_checkpoint(path: Path, content: dict[str, Any]) -> None:
    """Replace a checkpoint at once: whoever is killed meanwhile leaves the old one."""
    temporary = path.with_name(f".{path.name}.part")
    try:
        with temporary.open("wb") as file:
            body = io.BytesIO()
            torch.save({"kind": KIND, "version": VERSION, **content}, body)
            file.write(body.getbuffer())
            file.write(_footer(body.getbuffer()))
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        _sync_folder(path.parent)
    except (OSError, RuntimeError) as error:  # torch turns a full disk into a RuntimeError
        temporary.unlink(missing_ok=True)
        why = "the disk is full" if _is_full(error, path) else error
        kept = ". The one before is still there" if path.exists() else ""
        raise CheckpointError(f"{path}: the checkpoint cannot be written: {why}{kept}") from None


def load_checkpoint(path: Path) -> dict[str, Any]:
    """The content of a checkpoint, tensors and plain values only; its checksum must match."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise CheckpointError(f"{path}: there is no such checkpoint") from None
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be read: {error.strerror}") from None
    body, footer = data[:-_N_FOOTER], data[-_N_FOOTER:]
    has_footer = footer.startswith(_MARK)
    if has_footer and footer != _footer(body):
        raise CheckpointError(f"{path}: the checkpoint is damaged: its checksum does not match")
    # A file without a checksum is read as well, to say what it is.
    content = _unpickled(path, body if has_footer else data)
    if not isinstance(content, dict) or content.get("kind") != KIND:
        raise CheckpointError(f"{path}: is not a checkpoint of Terrarium")
    if content.get("version") != VERSION:
        raise CheckpointError(
            f"{path}: is a checkpoint of format {content.get('version')}, and this version reads "
            f"format {VERSION} only; train the run again"
        )
    if not has_footer:
        raise CheckpointError(f"{path}: the checkpoint is damaged: its checksum is missing")
    return content


def _footer(body: bytes | memoryview) -> bytes:
    return _MARK + hashlib.sha256(body).hexdigest().encode("ascii")


def _unpickled(path: Path, data: bytes) -> Any:
    try:
        return torch.load(io.BytesIO(data), weights_only=True, map_location="cpu")
    except pickle.UnpicklingError:
        raise CheckpointError(
            f"{path}: is not a checkpoint of Terrarium: it is damaged, or holds more than numbers"
        ) from None
    except (OSError, RuntimeError, EOFError, ValueError, LookupError, TypeError) as error:
        said = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise CheckpointError(f"{path}: the checkpoint is damaged: {said}") from None


def _sync_folder(folder: Path) -> None:
    """The new name must outlast a power cut as well; Windows has no such call."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _is_full(error: Exception, path: Path) -> bool:
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return True
    try:
        left = os.statvfs(path.parent)
    except (OSError, AttributeError):
        return False
    return left.f_bavail * left.f_frsize < 1_000_000
