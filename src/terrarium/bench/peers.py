"""Programs that we are measured against: where they live, and how to speak with them."""

import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from terrarium.errors import TerrariumError

SMAX_PYTHON = "TERRARIUM_SMAX_PYTHON"

# Setting up compiles: large armies in large batches take most of a minute, more on a busy machine.
_ANSWER_TIMEOUT_S = 600.0
_GOODBYE_TIMEOUT_S = 5.0

T = TypeVar("T")


@dataclass(frozen=True)
class PeerInfo:
    """What a peer says of itself."""

    versions: dict[str, str]
    device: str
    scenarios: tuple[str, ...]
    ticks_per_step: int
    steps_per_call: int
    """steps of each battle that one compiled call plays"""


@dataclass(frozen=True)
class Slice:
    """Some time of play: steps and finished episodes of all battles together."""

    steps: int
    seconds: float
    episodes: int


def smax_command(python: str = "") -> list[str]:
    """How SMAX is started: with the Python of its own virtual environment."""
    asked = python or os.environ.get(SMAX_PYTHON, "")
    file = Path(asked) if asked else Path(sys.prefix).with_name(".venv-smax") / "bin" / "python"
    if not os.access(file, os.X_OK) or file.is_dir():
        raise TerrariumError(
            f"there is no Python with SMAX at {file}. `make bench` builds one in the project's "
            f"folder; --peer-python or {SMAX_PYTHON} name another"
        )
    return [str(file), str(Path(__file__).with_name("smax_peer.py"))]


class Peer:
    """A peer in a process of its own, which plays when it is asked to and else sleeps."""

    def __init__(self, command: Sequence[str], timeout_s: float = _ANSWER_TIMEOUT_S) -> None:
        self.timeout_s = timeout_s
        self._lines: queue.Queue[str] = queue.Queue()
        # Into a file, since a pipe that nobody reads would stop a talkative peer.
        self._complaints = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115, `close` does
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._complaints,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            self._complaints.close()
            raise TerrariumError(f"the peer {command[0]} does not start: {error}") from None
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()
        try:
            self.info = self._read(_peer_info)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def set_up(self, scenario: str, batch: int) -> None:
        """Make a batch of battles ready: compiled, and played for one call."""
        self._ask({"setup": [scenario, batch]}, lambda answer: int(answer["batch"]))

    def play(self, seconds: float) -> Slice:
        """Play on for a time, at least one call."""
        return self._ask({"play": seconds}, _slice)

    def close(self) -> None:
        """End the peer, with force if it does not go by itself."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it is gone, with a question unread
            self._process.stdin.close()
        try:
            self._process.wait(_GOODBYE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(_GOODBYE_TIMEOUT_S)
        self._complaints.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as answers:
            for line in answers:
                self._lines.put(line)
        self._lines.put("")  # the end

    def _ask(self, question: dict[str, Any], understand: Callable[[dict[str, Any]], T]) -> T:
        assert self._process.stdin is not None
        # If it is gone, reading its answer finds out why.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
        return self._read(understand)

    def _read(self, understand: Callable[[dict[str, Any]], T]) -> T:
        """The next answer, turned into what it means."""
        try:
            line = self._lines.get(timeout=self.timeout_s)
        except queue.Empty:
            self._process.kill()
            raise TerrariumError(
                f"the peer has not answered for {self.timeout_s:g} s{self._last_words()}"
            ) from None
        if not line:
            code = self._process.wait()
            raise TerrariumError(f"the peer ended with exit code {code}{self._last_words()}")
        try:
            answer = json.loads(line)
            if "error" in answer:
                raise TerrariumError(f"the peer failed: {answer['error']}")
            return understand(answer)
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
            raise TerrariumError(
                f"the peer said {line.strip()[:200]!r}, which is no answer{self._last_words()}"
            ) from None

    def _last_words(self) -> str:
        """The last line that the peer wrote to stderr, where errors tell their reason."""
        self._complaints.seek(0)
        lines = self._complaints.read().strip().splitlines()
        return f': "{lines[-1][:500]}"' if lines else ""


def _peer_info(answer: dict[str, Any]) -> PeerInfo:
    return PeerInfo(
        versions={str(name): str(number) for name, number in answer["versions"].items()},
        device=str(answer["device"]),
        scenarios=tuple(str(name) for name in answer["scenarios"]),
        ticks_per_step=int(answer["ticks_per_step"]),
        steps_per_call=int(answer["steps_per_call"]),
    )


def _slice(answer: dict[str, Any]) -> Slice:
    played = Slice(int(answer["steps"]), float(answer["seconds"]), int(answer["episodes"]))
    if played.steps <= 0 or not played.seconds > 0.0:
        raise ValueError("nothing was played")
    return played
