"""Settings that change while a run goes on, written as text: `1 -> 0.05 at 10% -> 0.01 at 50%`."""

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from terrarium.errors import TerrariumError, nearest

EXAMPLES = "write 0.1, 1 -> 0.05 or 1 -> 0.05 at 10% -> 0.01 at 50% cosine"

SHAPES: dict[str, Callable[[float, float, float], float]] = {
    "linear": lambda begin, end, x: begin + (end - begin) * x,
    "exponential": lambda begin, end, x: begin * (end / begin) ** x,
    "cosine": lambda begin, end, x: begin + (end - begin) * (1.0 - math.cos(math.pi * x)) / 2.0,
}
"""How a leg gets from its begin to its end; `x` goes from 0 to 1"""

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_LEG = re.compile(r"(?P<value>\S+)( at (?P<share>\S+))?( (?P<shape>(?!at$)\S+))?")


class ScheduleError(TerrariumError):
    """A text that is no schedule, or a schedule that leaves what is allowed."""


@dataclass(frozen=True)
class Leg:
    """A part of a schedule: what it ends with, at which share of the run, and how it gets there."""

    value: float
    share: float
    shape: str


class Schedule(str):
    """A number that follows the share of the run that is done.

    `0.1` is always the same. `1 -> 0.05` ends with the run; `1 -> 0.05 at 10%` ends earlier (`at
    0.1` means the same) and stays there. More legs may follow, and each may end with its shape:
    `linear`, which needs no word, `exponential` or `cosine`. Equal are those with the same text.
    """

    _legs: tuple[Leg, ...]

    def __new__(cls, text: str | int | float) -> "Schedule":
        schedule = super().__new__(cls, " ".join(str(text).split()).replace(" %", "%"))
        try:
            schedule._legs = tuple(_parse(str(schedule)))
        except ValueError as error:
            raise ScheduleError(f'"{schedule}" is no schedule: {error}; {EXAMPLES}') from None
        return schedule

    @property
    def values(self) -> tuple[float, ...]:
        """Those at its corners: between them it never leaves their range."""
        return tuple(leg.value for leg in self._legs)

    def at(self, share: float) -> float:
        """Its value when this share of the run is done."""
        assert share >= 0.0, f"a run cannot be {share} done"
        for begin, end in pairwise(self._legs):
            if share < end.share:
                x = (share - begin.share) / (end.share - begin.share)
                return SHAPES[end.shape](begin.value, end.value, x)
        return self._legs[-1].value


def check_schedule(name: str, schedule: Schedule, low: float, high: float = math.inf) -> None:
    """Refuse a setting that is no schedule, or one that is ever below `low` or above `high`."""
    if not isinstance(schedule, Schedule):
        raise ScheduleError(f"{name} is {schedule!r}; write Schedule({schedule!r})")
    if not all(low <= value <= high for value in schedule.values):
        allowed = f"{low:g} or more" if math.isinf(high) else f"{low:g} to {high:g}"
        raise ScheduleError(f"{name} is {schedule}; allowed: {allowed}")


def _parse(text: str) -> list[Leg]:
    """The corners of a schedule, the first of them at the begin of the run."""
    first, *others = (part.strip() for part in text.split("->"))
    legs = [Leg(_number(first), 0.0, "linear")]
    for k, part in enumerate(others, 1):
        leg = _leg(part, is_last=k == len(others))
        if leg.share <= legs[-1].share:
            raise ValueError(f'"{part}" must end later than the leg before, and after 0%')
        if leg.shape == "exponential" and min(leg.value, legs[-1].value) <= 0.0:
            raise ValueError(f'"{part}": both ends of an exponential leg must be above 0')
        legs.append(leg)
    return legs


def _leg(text: str, is_last: bool) -> Leg:
    """`0.05`, `0.05 at 10%`, `0.05 cosine` or `0.05 at 10% cosine`."""
    words = _LEG.fullmatch(text)
    if not words:
        raise ValueError(f'"{text}" is not of the form 0.05 at 10% cosine')
    shape, share = words["shape"] or "linear", words["share"]
    if shape not in SHAPES:
        allowed = ", ".join(SHAPES)
        raise ValueError(f'unknown shape "{shape}".{nearest(shape, SHAPES)} Allowed: {allowed}')
    if not share and not is_last:
        raise ValueError(f'"{text}" does not say when it ends; only the last leg needs no "at"')
    return Leg(_number(words["value"]), _share(share or "100%"), shape)


def _share(text: str) -> float:
    share = _number(text[:-1]) / 100.0 if text.endswith("%") else _number(text)
    if share > 1.0:
        raise ValueError(f'"at {text}" is after the end of the run, which is at 100% or 1')
    return share


def _number(text: str) -> float:
    if not _NUMBER.fullmatch(text) or math.isinf(float(text)):
        raise ValueError(f'"{text}" is not a number')
    return float(text)
