"""A process that compiles for another one: see `workers`.

It reads requests from its input and answers each with one piece of code. First come the search path
of Python and the digests of the units that will be asked for.
"""

import gc
import json
import os
import signal
import sys
from importlib import import_module
from typing import IO, Any

from terrarium.engine.compiling.pipes import read_bytes, write_bytes


def serve() -> None:
    """Compile what the input asks for, until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that started this one
    requests = sys.stdin.buffer
    # Whatever prints must not get into the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _check_digests(json.loads(read_bytes(requests) or b"[]"))
    from terrarium.engine.compiling.backend import link, lower

    # Numba makes millions of objects that live on: looking at them as often as Python usually does
    # took a fifth of the time.
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    while (request := read_bytes(requests)) is not None:
        job = json.loads(request)
        kernel = _find(job["module"], job["name"])
        code = link(kernel, _parts(requests, job["n_parts"])) if job["link"] else lower(kernel)
        write_bytes(answers, code)
        answers.flush()


def _check_digests(units: list[list[str]]) -> None:
    from terrarium.engine.compiling.sources import digest_of

    for module, name, digest in units:
        if digest_of(_find(module, name)) != digest:
            sys.exit("the kernels have been edited since the other process has read them")


def _find(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


def _parts(requests: IO[bytes], n_parts: int) -> list[bytes]:
    parts = [read_bytes(requests) for _ in range(n_parts)]
    return [part for part in parts if part is not None]
