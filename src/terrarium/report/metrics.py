"""Reading `metrics.jsonl`: which evaluations a run has had, and how far it came."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from terrarium.errors import TerrariumError
from terrarium.report.settings import MAX_WHOLE, printable, shown

MAX_SECONDS = 1e9
"""Thirty years of training: more is a mistake."""

WIN_RATE = "test/win_rate"


@dataclass(frozen=True)
class Progress:
    """What a run's metrics say about one scenario."""

    steps: tuple[int, ...]
    """of each evaluation, rising"""
    seconds: tuple[float, ...]
    win_rates: tuple[float, ...]
    last_step: int
    """of the whole run, whatever its scenario was"""
    last_seconds: float
    is_torn: bool
    """the last line is half a line: the run was killed while it wrote"""
    is_resumed: bool
    """some steps were written twice, because the run went back to a checkpoint"""


@dataclass(frozen=True)
class _Line:
    step: int
    seconds: float
    scenario: str
    win_rate: float | None


def read_metrics(path: Path, scenario: str) -> Progress:
    """The evaluations on a scenario; a run without any is refused."""
    lines, is_torn, is_resumed = _read_lines(path)
    # Of two evaluations at one step the later one counts.
    tests = {line.step: line for line in lines if _is_test(line, scenario)}
    if not tests:
        before = sorted({printable(line.scenario) for line in lines if line.win_rate is not None})
        instead = f", only on {', '.join(before)}" if before else ""
        raise TerrariumError(
            f"{path}: this run has not been evaluated on {printable(scenario)} yet{instead}; "
            "wait for its first evaluation, or leave it out"
        )
    return Progress(
        steps=tuple(tests),
        seconds=tuple(test.seconds for test in tests.values()),
        win_rates=tuple(test.win_rate for test in tests.values() if test.win_rate is not None),
        last_step=lines[-1].step,
        last_seconds=lines[-1].seconds,
        is_torn=is_torn,
        is_resumed=is_resumed,
    )


def _is_test(line: _Line, scenario: str) -> bool:
    return line.scenario == scenario and line.win_rate is not None


def _read_lines(path: Path) -> tuple[list[_Line], bool, bool]:
    """All lines in the order of their steps; whether the last is torn; whether steps went back."""
    lines: list[_Line] = []
    is_resumed = False
    texts = _texts(path)
    for number, text in texts:
        where = f"{path}, line {number}"
        try:
            values = json.loads(text)
        except (ValueError, RecursionError) as error:
            if number == texts[-1][0]:
                return lines, True, is_resumed
            raise TerrariumError(f"{where}: not valid JSON: {error}") from error
        line = _parse(values, where)
        while lines and lines[-1].step > line.step:
            # A resumed run repeats what came after its checkpoint: what it did then never was.
            lines.pop()
            is_resumed = True
        if lines and line.seconds < lines[-1].seconds:
            raise TerrariumError(
                f"{where}: seconds fall from {lines[-1].seconds:g} to {line.seconds:g}; "
                "they count the whole training and never go back"
            )
        lines.append(line)
    return lines, False, is_resumed


def _texts(path: Path) -> list[tuple[int, bytes]]:
    """The lines that are not empty, with their numbers."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise TerrariumError(
            f"{path}: there is no such file: this run has not been evaluated yet"
        ) from None
    except OSError as error:
        raise TerrariumError(f"{path}: cannot be read: {error.strerror}") from error
    numbered = enumerate(content.split(b"\n"), start=1)
    texts = [(number, text) for number, text in numbered if text.strip()]
    if not texts:
        raise TerrariumError(f"{path}: the file is empty: this run has not been evaluated yet")
    return texts


def _parse(values: Any, where: str) -> _Line:
    if not isinstance(values, dict):
        raise TerrariumError(f"{where}: {shown(values)} is no JSON object")
    step = _number(values, "step", MAX_WHOLE, where)
    if not isinstance(step, int):
        raise TerrariumError(f"{where}: step is {shown(step)}; a whole number is needed")
    scenario = values.get("scenario")
    if not isinstance(scenario, str):
        raise TerrariumError(f"{where}: scenario is {shown(scenario)}; a text is needed")
    seconds = float(_number(values, "seconds", MAX_SECONDS, where))
    win_rate = float(_number(values, WIN_RATE, 1, where)) if WIN_RATE in values else None
    return _Line(step, seconds, scenario, win_rate)


def _number(values: dict[str, Any], name: str, most: float, where: str) -> int | float:
    """A number from 0 to a limit. NaN is in no range; a whole number may be too large for a float,
    so it is compared before it becomes one."""
    if name not in values:
        raise TerrariumError(f"{where}: {name} is missing")
    value = values[name]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= most:
        raise TerrariumError(f"{where}: {name} is {shown(value)}; allowed are 0 to {most:g}")
    number: int | float = value
    return number
