"""Who plays a batch's environments: this process, threads, or processes of their own."""

import ctypes
import multiprocessing
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, NoReturn, Protocol

import numpy as np

from terrarium.envs.pettingzoo.board import Board, board_size, lay_out
from terrarium.envs.pettingzoo.errors import PettingZooError
from terrarium.envs.pettingzoo.share import Share
from terrarium.envs.pettingzoo.spec import PettingZooInfo, PettingZooSpec
from terrarium.errors import TerrariumError

RESET, STEP = b"reset", b"step"
DONE, FAILED = b"done", b"failed "

PATIENCE_S = 5.0
"""How long a worker may take to finish its step when all is to end"""


class WorkerError(PettingZooError):
    """A worker is lost, and with it how its episodes stand."""


class Crew(Protocol):
    """Plays all environments of the board that are chosen."""

    board: Board

    @property
    def environments(self) -> Sequence[Any]:
        """the environments themselves, where they are within reach"""

    def do(self, order: bytes) -> None:
        """`RESET` or `STEP`"""

    def close(self) -> None: ...


class Serial:
    """This process plays all environments."""

    def __init__(
        self,
        spec: PettingZooSpec,
        info: PettingZooInfo,
        n_envs: int,
        autoreset: bool,
        render_mode: str | None,
    ) -> None:
        block = np.zeros(board_size(info, n_envs, autoreset), np.uint8)
        self.board = lay_out(block, info, n_envs, autoreset)
        self._share = Share(spec, info, self.board, 0, n_envs, render_mode)

    @property
    def environments(self) -> Sequence[Any]:
        return self._share.environments

    def do(self, order: bytes) -> None:
        _obey(self._share, order)

    def close(self) -> None:
        self._share.close()


class Threads:
    """Each thread has environments of its own: for environments that compute outside of Python.

    Environments whose environments share something that changes need processes instead.
    """

    environments: Sequence[Any] = ()

    def __init__(
        self,
        spec: PettingZooSpec,
        info: PettingZooInfo,
        n_envs: int,
        autoreset: bool,
        workers: int,
    ) -> None:
        block = np.zeros(board_size(info, n_envs, autoreset), np.uint8)
        self.board = lay_out(block, info, n_envs, autoreset)
        self._shares: list[Share] = []
        try:
            for first, last in _cuts(n_envs, workers):
                self._shares.append(Share(spec, info, self.board, first, last))
        except BaseException:
            _close_all(self._shares)
            raise
        self._pool = ThreadPoolExecutor(workers)

    def do(self, order: bytes) -> None:
        jobs = [self._pool.submit(_obey, share, order) for share in self._shares]
        errors = [error for job in jobs if (error := job.exception()) is not None]
        if errors:
            raise errors[0]

    def close(self) -> None:
        self._pool.shutdown()
        _close_all(self._shares)
        self._shares = []


class Processes:
    """Each process has environments of its own and writes into memory that all share."""

    environments: Sequence[Any] = ()

    def __init__(
        self,
        spec: PettingZooSpec,
        info: PettingZooInfo,
        n_envs: int,
        autoreset: bool,
        workers: int,
    ) -> None:
        # Fresh processes: a fork would copy locks that other threads hold at that moment.
        context = multiprocessing.get_context("spawn")
        # This memory has no name, so that nothing is left of it, however the processes end.
        block = context.RawArray(ctypes.c_byte, board_size(info, n_envs, autoreset))
        self.board = lay_out(block, info, n_envs, autoreset)
        self._spec = spec
        self._lines: list[Connection] = []
        self._workers: list[BaseProcess] = []
        try:
            for first, last in _cuts(n_envs, workers):
                line, other_end = context.Pipe()
                setting = (spec, info, n_envs, autoreset, first, last)
                worker = context.Process(target=_work, args=(other_end, block, setting))
                worker.daemon = True
                self._lines.append(line)
                with _ignoring_interrupts():
                    worker.start()
                self._workers.append(worker)
                # With our copy open, a worker's death would go unnoticed.
                other_end.close()
            self._wait(
                "could not begin: a script that plays in processes must do so below "
                'if __name__ == "__main__"'
            )
        except BaseException:
            self.close()
            raise

    def do(self, order: bytes) -> None:
        for w, line in enumerate(self._lines):
            try:
                line.send_bytes(order)
            except OSError:
                self._mourn(w, f"has ended before its {order.decode()}")
        self._wait(f"ended during its {order.decode()}")

    def _wait(self, deed: str) -> None:
        """For all answers, then raise the first error: no answer may be left for the next call."""
        failures = []
        for w, line in enumerate(self._lines):
            try:
                answer = line.recv_bytes()
            except (EOFError, OSError):
                self._mourn(w, deed)
            if answer != DONE:
                failures.append(answer.removeprefix(FAILED).decode())
        if failures:
            raise PettingZooError(failures[0])

    def _mourn(self, w: int, deed: str) -> NoReturn:
        self._workers[w].join(PATIENCE_S)
        code = self._workers[w].exitcode
        raise WorkerError(
            f"{self._spec.name}: worker process {w + 1} of {len(self._workers)} {deed} (exit code "
            f"{code}). Its environments are lost: close this one and make a new one"
        )

    def close(self) -> None:
        for line in self._lines:
            line.close()  # which tells the worker to end
        for worker in self._workers:
            worker.join(PATIENCE_S)
            if worker.is_alive():
                worker.kill()
                worker.join()
            worker.close()
        self._lines, self._workers = [], []


def _work(
    line: Connection,
    block: Any,
    setting: tuple[PettingZooSpec, PettingZooInfo, int, bool, int, int],
) -> None:
    """A worker process: obey until the line is closed."""
    # Ctrl-C reaches all processes of a terminal; the first one decides what becomes of it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    spec, info, n_envs, autoreset, first, last = setting
    board = lay_out(block, info, n_envs, autoreset)
    share: Share | None = None
    try:
        try:
            share = Share(spec, info, board, first, last)
            line.send_bytes(DONE)
        except TerrariumError as error:
            line.send_bytes(FAILED + str(error).encode())
            return
        while True:
            order = line.recv_bytes()
            try:
                _obey(share, order)
                line.send_bytes(DONE)
            except TerrariumError as error:
                line.send_bytes(FAILED + str(error).encode())
    except (EOFError, OSError):
        return  # the other end has closed
    finally:
        if share is not None:
            share.close()


@contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Who is started meanwhile ignores Ctrl-C from its first moment: that is inherited."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may decide about signals
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _obey(share: Share, order: bytes) -> None:
    if order == RESET:
        share.reset()
    else:
        share.step()


def _cuts(n_envs: int, workers: int) -> list[tuple[int, int]]:
    return [(n_envs * w // workers, n_envs * (w + 1) // workers) for w in range(workers)]


def _close_all(shares: Sequence[Share]) -> None:
    for share in shares:
        share.close()
