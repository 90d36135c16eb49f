"""Compiling side by side: processes that take one job after the other, the most urgent first.

Not threads, because numba compiles one thing at a time; not forks, because the process may have
threads of its own; not `multiprocessing`, which would run the user's script again.
"""

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from typing import IO

from terrarium.engine.compiling.pipes import read_bytes, write_bytes
from terrarium.engine.compiling.sources import digest_of
from terrarium.engine.jit import Entry, Kernel

logger = logging.getLogger(__name__)

Process = subprocess.Popen[bytes]
MAX_WORKERS = 4
"""More would soon wait for the longest unit, and each takes some 200 MB."""
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.stdin.buffer.readline());"
    "from terrarium.engine.compiling.worker import serve; serve()"
)


@dataclass(frozen=True)
class Job:
    """A kernel to lower; with `parts`, an entry whose unit is to be linked from them."""

    kernel: Kernel
    urgency: int
    """jobs of higher urgency begin first"""
    parts: Sequence[bytes] | None = None

    def send(self, pipe: IO[bytes]) -> None:
        function, parts = self.kernel.function, self.parts
        request = {
            "module": function.__module__,
            "name": function.__qualname__,
            "link": parts is not None,
            "n_parts": len(parts or ()),
        }
        write_bytes(pipe, json.dumps(request).encode())
        for part in parts or ():
            write_bytes(pipe, part)
        pipe.flush()


Done = Callable[[Job, bytes], Iterable[Job]]


class Workers:
    """As many processes as there are cores and jobs; none where that would be one."""

    def __init__(self, entries: Sequence[Entry], n_jobs: int) -> None:
        functions = [(entry.function, digest_of(entry)) for entry in entries]
        units = [[f.__module__, f.__qualname__, digest] for f, digest in functions]
        n_workers = min(n_jobs, _n_cores(), MAX_WORKERS)
        self._processes = []
        if n_workers > 1 and sys.executable:
            started = (_start(units) for _ in range(n_workers))
            self._processes = [process for process in started if process is not None]

    def __enter__(self) -> "Workers":
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    pipe.close()  # type: ignore[union-attr]  # both are pipes

    def run(self, jobs: Iterable[Job], done: Done) -> None:
        """Tell `done`, in this thread, of each job that succeeds; it answers with the jobs that can
        begin now. Jobs that fail are left undone, and their process takes no other."""
        waiting = list(jobs)
        answers: SimpleQueue[tuple[Process, Job, bytes | None]] = SimpleQueue()
        idle, n_busy = list(self._processes), 0
        while n_busy or (waiting and idle):
            waiting.sort(key=lambda job: job.urgency)
            while waiting and idle:
                args = (idle.pop(), waiting.pop(), answers)
                threading.Thread(target=_run_job, args=args, daemon=True).start()
                n_busy += 1
            process, job, code = answers.get()
            n_busy -= 1
            if code is not None:
                idle.append(process)
                waiting += done(job, code)


def _start(units: list[list[str]]) -> Process | None:
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", _START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdin is not None
        process.stdin.write(json.dumps(sys.path).encode() + b"\n")
        write_bytes(process.stdin, json.dumps(units).encode())
        process.stdin.flush()
    except OSError as error:
        logger.debug("no process to compile in: %s", error)
        return None
    return process


def _run_job(
    process: Process, job: Job, answers: "SimpleQueue[tuple[Process, Job, bytes | None]]"
) -> None:
    """Let a process do a job; the answer is `None` if the process has ended."""
    assert process.stdin is not None
    assert process.stdout is not None
    code = None
    try:
        job.send(process.stdin)
        code = read_bytes(process.stdout)
    except (OSError, ValueError) as error:  # it has ended, or its pipes are closed
        logger.debug("a process that compiled has ended: %s", error)
    finally:
        answers.put((process, job, code))


def _n_cores() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
