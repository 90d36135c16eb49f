"""The program, called in this process: another one would need seconds to begin."""

import contextlib
import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from terrarium import cli


class Answer(NamedTuple):
    """What a person sees of it."""

    code: int
    out: str
    err: str


Run = Callable[..., Answer]


def call_program(*args: str, home: Path | None = None) -> Answer:
    """Call `terrarium` with some words, in the folder `home` if one is given."""
    code, out, err = 0, io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        if home is not None:
            patch.chdir(home)
        patch.setattr(sys, "argv", ["terrarium", *args])
        try:
            cli.main()
        except SystemExit as stop:
            code = int(stop.code or 0)
    return Answer(code, out.getvalue(), err.getvalue())
