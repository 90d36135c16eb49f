"""Reading `metrics.jsonl`: which evaluations a run has had, and how far it came."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from terrarium.errors import TerrariumError
from terrarium.report.measures import RETURN, WIN_RATE, Score
from terrarium.report.settings import MAX_WHOLE, printable, shown

MAX_SECONDS = 1e9
"""Thirty years of training: more is a mistake."""

MAX_RETURN = 1e15
"""Beyond, sums over runs lose their digits."""

_WIN_RATE, _RETURN = "test/win_rate", "test/return"
_OF_TEAM = f"{_RETURN}/"
"""Before the name of a team."""


class NotEvaluatedError(TerrariumError):
    """A run is too young to say anything."""


@dataclass(frozen=True)
class ScenarioMetrics:
    """What a run's metrics say about one scenario."""

    steps: tuple[int, ...]
    """of each evaluation, rising"""
    seconds: tuple[float, ...]
    measure: Score
    """win rates; returns where no evaluation has a win rate"""
    scores: tuple[float, ...]
    teams: Mapping[str, tuple[float, ...]]
    """returns of each team, where there are several"""
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
    returns: Mapping[str, Any]
    """of everybody and of teams, by their names in the file; not looked at yet"""
    where: str

    @property
    def is_test(self) -> bool:
        return self.win_rate is not None or _RETURN in self.returns


def read_metrics(path: Path, scenario: str) -> ScenarioMetrics:
    """The evaluations on a scenario; a run without any is refused."""
    lines, is_torn, is_resumed = _read_lines(path)
    measured = [line for line in lines if line.is_test and line.scenario == scenario]
    # Battles have returns, too; but what counts there is to win.
    won = [line for line in measured if line.win_rate is not None]
    # Of two evaluations at one step the later one counts.
    tests = {line.step: line for line in won or measured}
    if not tests:
        before = sorted({printable(line.scenario) for line in lines if line.is_test})
        instead = f", only on {', '.join(before)}" if before else ""
        raise NotEvaluatedError(
            f"{path}: this run has not been evaluated on {printable(scenario)} yet{instead}; "
            "wait for its first evaluation, or leave it out"
        )
    last = list(tests.values())
    return ScenarioMetrics(
        steps=tuple(tests),
        seconds=tuple(test.seconds for test in last),
        measure=WIN_RATE if won else RETURN,
        scores=tuple(test.win_rate for test in last if test.win_rate is not None)
        or _returns(last, _RETURN),
        teams={} if won else _returns_of_teams(last),
        last_step=lines[-1].step,
        last_seconds=lines[-1].seconds,
        is_torn=is_torn,
        is_resumed=is_resumed,
    )


def _returns_of_teams(tests: Sequence[_Line]) -> dict[str, tuple[float, ...]]:
    """Of the teams that every evaluation knows."""
    names = [name for name in tests[0].returns if all(name in test.returns for test in tests)]
    return {
        printable(name.removeprefix(_OF_TEAM)): _returns(tests, name)
        for name in names
        if name.startswith(_OF_TEAM)
    }


def _returns(tests: Sequence[_Line], name: str) -> tuple[float, ...]:
    limits = (-MAX_RETURN, MAX_RETURN)
    return tuple(float(_number(test.returns, name, limits, test.where)) for test in tests)


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
        raise NotEvaluatedError(
            f"{path}: there is no such file: this run has not been evaluated yet"
        ) from None
    except OSError as error:
        raise TerrariumError(f"{path}: cannot be read: {error.strerror}") from error
    numbered = enumerate(content.split(b"\n"), start=1)
    texts = [(number, text) for number, text in numbered if text.strip()]
    if not texts:
        raise NotEvaluatedError(f"{path}: the file is empty: this run has not been evaluated yet")
    return texts


def _parse(values: Any, where: str) -> _Line:
    if not isinstance(values, dict):
        raise TerrariumError(f"{where}: {shown(values)} is no JSON object")
    step = _number(values, "step", (0, MAX_WHOLE), where)
    if not isinstance(step, int):
        raise TerrariumError(f"{where}: step is {shown(step)}; a whole number is needed")
    scenario = values.get("scenario")
    if not isinstance(scenario, str):
        raise TerrariumError(f"{where}: scenario is {shown(scenario)}; a text is needed")
    seconds = float(_number(values, "seconds", (0, MAX_SECONDS), where))
    win_rate = float(_number(values, _WIN_RATE, (0, 1), where)) if _WIN_RATE in values else None
    returns = {name: values[name] for name in values if f"{name}/".startswith(_OF_TEAM)}
    return _Line(step, seconds, scenario, win_rate, returns, where)


def _number(
    values: Mapping[str, Any], name: str, limits: tuple[float, float], where: str
) -> int | float:
    """A number between limits. NaN is in no range; a whole number may be too large for a float,
    so it is compared before it becomes one."""
    least, most = limits
    if name not in values:
        raise TerrariumError(f"{where}: {name} is missing")
    value = values[name]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not least <= value <= most:
        raise TerrariumError(
            f"{where}: {name} is {shown(value)}; allowed are {least:g} to {most:g}"
        )
    number: int | float = value
    return number
