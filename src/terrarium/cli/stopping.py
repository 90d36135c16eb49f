"""Ctrl-C for long work: the first one asks to stop, the second one does not wait."""

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType


@contextlib.contextmanager
def stop_on_signal(what_happens: str) -> Iterator[Callable[[], bool]]:
    """Whether somebody has asked to stop; who asks is told what happens now."""
    asked = False

    def ask(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        if asked:
            raise KeyboardInterrupt
        asked = True
        print(f"{what_happens}; once more: at once", file=sys.stderr)

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
