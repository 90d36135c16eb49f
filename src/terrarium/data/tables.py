"""TOML tables that remember where they were written, so that an error can name the line."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from terrarium.errors import TerrariumError, nearest

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(
    r"^\s*((?:[A-Za-z0-9_-]+|\"[^\"]*\")(?:\s*\.\s*(?:[A-Za-z0-9_-]+|\"[^\"]*\"))*)\s*="
)
_FENCE = re.compile(r"\"\"\"|'''")


class FactsError(TerrariumError):
    """A data file says something it may not."""


def _split(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip('"') for part in re.findall(r'"[^"]*"|[^.]+', dotted))


class Lines:
    """Where the keys of a TOML text stand; looked up only when something is wrong."""

    def __init__(self, text: str = "") -> None:
        self._text = text

    @cached_property
    def by_path(self) -> dict[tuple[str | int, ...], int]:
        return _line_numbers(self._text)


def _line_numbers(text: str) -> dict[tuple[str | int, ...], int]:
    """Map every key path of a TOML text to its line; `[[x]]` paths carry their index."""
    lines: dict[tuple[str | int, ...], int] = {}
    counts: dict[tuple[str, ...], int] = {}
    table: tuple[str | int, ...] = ()
    fenced = False
    for number, line in enumerate(text.splitlines(), start=1):
        fences = len(_FENCE.findall(line))
        if not fenced:
            if header := _HEADER.match(line):
                names = _split(header[2])
                if header[1] == "[[":
                    counts[names] = counts.get(names, -1) + 1
                table = _indexed(names, counts)
                lines.setdefault(table, number)
            elif key := _KEY.match(line):
                lines.setdefault(table + _split(key[1]), number)
        fenced ^= fences % 2 == 1
    return lines


def _indexed(names: tuple[str, ...], counts: dict[tuple[str, ...], int]) -> tuple[str | int, ...]:
    path: tuple[str | int, ...] = ()
    for end in range(1, len(names) + 1):
        path += (names[end - 1],)
        if names[:end] in counts:
            path += (counts[names[:end]],)
    return path


class Table:
    """A TOML table together with its file and path; typed readers reject what does not fit."""

    def __init__(
        self,
        file: str,
        values: dict[str, Any],
        lines: Lines,
        path: tuple[str | int, ...] = (),
    ) -> None:
        self.file, self.values, self.path = file, values, path
        self._lines = lines

    @classmethod
    def read(cls, file: Path, label: str | None = None) -> "Table":
        """Parse one file; `label` is how messages name it (default: the file's name)."""
        try:
            return cls.parse(file.read_text(encoding="utf-8"), label or file.name)
        except UnicodeDecodeError as error:
            raise FactsError(f"{label or file.name}: not UTF-8 text ({error.reason})") from error

    @classmethod
    def parse(cls, text: str, label: str) -> "Table":
        try:
            values = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise FactsError(f"{label}: not valid TOML: {error}") from error
        return cls(label, values, Lines(text))

    def line(self, *keys: str | int) -> int:
        """The line of a key, or of the nearest table around it that has one."""
        path, lines = self.path + keys, self._lines.by_path
        while path and path not in lines:
            path = path[:-1]
        return lines.get(path, 1)

    def error(self, message: str, *keys: str | int) -> FactsError:
        """An error that names file, line and key."""
        spelled = "".join(
            f"[{key}]" if isinstance(key, int) else f".{key}" for key in self.path + keys
        ).lstrip(".")
        name = f"{spelled}: " if spelled else ""
        # A text of the file may hold a line break; the message stays on one line.
        text = f"{self.file}, line {self.line(*keys)}: {name}{message}"
        return FactsError(text.replace("\n", "\\n"))

    def only(self, allowed: Iterable[str]) -> None:
        """Reject a key that is not in `allowed`: a typo must not pass for a default."""
        allowed = list(allowed)
        for key in self.values:
            if key not in allowed:
                guess = nearest(key, allowed)
                raise self.error(f"unknown key.{guess} Allowed: {', '.join(allowed)}", key)

    def has(self, key: str) -> bool:
        return key in self.values

    def _get(self, key: str, kinds: tuple[type, ...], wanted: str) -> Any:
        if key not in self.values:
            raise self.error(f'the key "{key}" is missing; it must be {wanted}')
        value = self.values[key]
        # In Python a bool is an int; in our files it is not.
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise self.error(f"{value!r} is not {wanted}", key)
        return value

    def text(self, key: str) -> str:
        return str(self._get(key, (str,), "a text"))

    def choice(self, key: str, allowed: Iterable[str]) -> str:
        """A text that must be one of `allowed`."""
        value, allowed = self.text(key), list(allowed)
        if value not in allowed:
            guess = nearest(value, allowed)
            raise self.error(f'unknown value "{value}".{guess} Allowed: {", ".join(allowed)}', key)
        return value

    def number(self, key: str, low: float | None = None, high: float | None = None) -> float:
        value = self._float(self._get(key, (int, float), "a number"), key)
        if not (low is None or value >= low) or not (high is None or value <= high):
            raise self.error(f"{value:g} is outside {_range(low, high)}", key)
        return value

    def integer(self, key: str, low: int | None = None, high: int | None = None) -> int:
        value = int(self._get(key, (int,), "a whole number"))
        if (low is not None and value < low) or (high is not None and value > high):
            raise self.error(f"{value} is outside {_range(low, high)}", key)
        return value

    def boolean(self, key: str) -> bool:
        return bool(self._get(key, (bool,), "true or false"))

    def table(self, key: str) -> "Table":
        values = self._get(key, (dict,), "a table")
        return Table(self.file, values, self._lines, (*self.path, key))

    def tables(self, key: str) -> Iterator["Table"]:
        """The tables of an array `[[key]]`, or of an inline array of tables."""
        for index, values in enumerate(self.array(key)):
            if not isinstance(values, dict):
                raise self.error(f"{values!r} is not a table", key, index)
            yield Table(self.file, values, self._lines, (*self.path, key, index))

    def array(self, key: str) -> list[Any]:
        values = self._get(key, (list,), "a list")
        assert isinstance(values, list)
        return values

    def numbers(self, key: str, length: int | None = None) -> tuple[float, ...]:
        """A list of numbers, of a given length if one is stated."""
        values = self.array(key)
        if length is not None and len(values) != length:
            raise self.error(f"{values!r} has {len(values)} entries instead of {length}", key)
        for value in values:
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise self.error(f"{value!r} is not a number", key)
        return tuple(self._float(value, key) for value in values)

    def _float(self, value: int | float, key: str) -> float:
        try:
            return float(value)
        except OverflowError as error:
            raise self.error("a number of hundreds of digits is too large", key) from error


def _range(low: float | None, high: float | None) -> str:
    if high is None:
        return f"what is allowed: {low:g} or more"
    return f"{low:g} to {high:g}" if low is not None else f"what is allowed: {high:g} or less"
