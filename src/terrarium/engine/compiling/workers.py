"""Units built side by side: processes that take one unit after the other, the longest first.

Not threads, because numba compiles one thing at a time; not forks, because the process may have
threads of its own; not `multiprocessing`, which would run the user's script again.
"""

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from queue import Empty, SimpleQueue

from terrarium.engine.compiling.sources import digest_of, reached_kernels
from terrarium.engine.compiling.worker import LENGTH
from terrarium.engine.jit import Entry

logger = logging.getLogger(__name__)

MAX_WORKERS = 4
"""More would wait for the longest unit, and each takes some 300 MB."""
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.stdin.readline());"
    "from terrarium.engine.compiling.worker import serve; serve()"
)

Built = Callable[[Entry, bytes], None]


def build_side_by_side(entries: list[Entry], built: Built) -> list[Entry]:
    """Build units in processes, as many as there are cores; the ones that could not be built.

    `built` is told of each, in this thread.
    """
    n_workers = min(len(entries), _n_cores(), MAX_WORKERS)
    if n_workers < 2 or not sys.executable:
        return entries
    waiting: SimpleQueue[Entry] = SimpleQueue()
    for entry in sorted(entries, key=weight_of, reverse=True):
        waiting.put(entry)
    done: SimpleQueue[tuple[Entry, bytes | None] | None] = SimpleQueue()
    workers = [_Worker(waiting, done) for _ in range(n_workers)]
    missing = {id(entry): entry for entry in entries}
    try:
        while n_workers:
            answer = done.get()
            if answer is None:
                n_workers -= 1
            elif answer[1] is not None:
                built(answer[0], answer[1])
                del missing[id(answer[0])]
    finally:
        for worker in workers:
            worker.stop()
    return list(missing.values())


class _Worker:
    """A process, and the thread that feeds it."""

    def __init__(
        self, waiting: "SimpleQueue[Entry]", done: "SimpleQueue[tuple[Entry, bytes | None] | None]"
    ) -> None:
        self._waiting, self._done = waiting, done
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _START],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except OSError as error:
            logger.debug("no process to compile in: %s", error)
        self._thread.start()

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._thread.join()
        if self._process is not None:
            for pipe in (self._process.stdin, self._process.stdout):
                with suppress(OSError):
                    pipe.close()  # type: ignore[union-attr]  # both are pipes

    def _run(self) -> None:
        try:
            if self._process is not None:
                self._feed(self._process)
        except (OSError, ValueError) as error:  # the process has ended, or its pipes are closed
            logger.debug("a process that compiled has ended: %s", error)
        finally:
            self._done.put(None)

    def _feed(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._say(process, sys.path)
        with suppress(Empty):
            while True:
                entry = self._waiting.get_nowait()
                function = entry.function
                self._say(process, [function.__module__, function.__qualname__, digest_of(entry)])
                head = process.stdout.read(LENGTH.size)
                if len(head) < LENGTH.size:
                    return
                (length,) = LENGTH.unpack(head)
                code = process.stdout.read(length) if length >= 0 else b""
                self._done.put((entry, code if len(code) == length else None))

    @staticmethod
    def _say(process: "subprocess.Popen[bytes]", what: list[str]) -> None:
        assert process.stdin is not None
        process.stdin.write(json.dumps(what).encode() + b"\n")
        process.stdin.flush()


@cache
def weight_of(entry: Entry) -> int:
    """How long a unit takes, roughly: the bytecode that it reaches."""
    return sum(len(kernel.function.__code__.co_code) for kernel in reached_kernels(entry)[0])


def _n_cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
