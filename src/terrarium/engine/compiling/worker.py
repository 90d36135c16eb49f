"""A process that builds units for another one: see `workers`.

It reads lines from its input: first the search path of Python, then one unit a line. For each it
writes the length of the object file and the file itself, or -1 when it cannot build it.
"""

import json
import os
import signal
import struct
import sys
from importlib import import_module
from typing import BinaryIO

LENGTH = struct.Struct("<q")


def serve() -> None:
    """Build what the input asks for, until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    # Whatever prints must not get into the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for line in sys.stdin:
        module, name, digest = json.loads(line)
        code = _build(module, name, digest)
        _answer(answers, code)


def _build(module: str, name: str, digest: str) -> bytes | None:
    from terrarium.engine.compiling.sources import digest_of

    entry = getattr(import_module(module), name)
    if digest_of(entry) != digest:
        return None  # edited since the other process has read it
    from terrarium.engine.compiling.backend import build

    return build(entry)


def _answer(answers: BinaryIO, code: bytes | None) -> None:
    answers.write(LENGTH.pack(-1 if code is None else len(code)))
    answers.write(code or b"")
    answers.flush()
