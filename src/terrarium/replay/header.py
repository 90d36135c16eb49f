"""The JSON header of a record file, read strictly."""

import json
from collections.abc import Iterator
from dataclasses import fields
from typing import Any, NoReturn

from terrarium.data.tables import FactsError, Lines, Table
from terrarium.replay.errors import ReplayError
from terrarium.replay.files import damaged
from terrarium.replay.frames import OUTCOMES, SKILL_EFFECTS, Skill
from terrarium.replay.record import MAX_TEXT

_MAX_SKILLS = 1024
_SKILL = tuple(field.name for field in fields(Skill))


class Header(Table):
    """Typed readers that reject what does not fit; the file has no lines to name."""

    def __init__(self, values: dict[str, Any], path: tuple[str | int, ...] = ()) -> None:
        super().__init__("", values, Lines(), path)

    def error(self, message: str, *keys: str | int) -> FactsError:
        name = ".".join(str(key) for key in (*self.path, *keys))
        text = f"the record is damaged: header{f', {name}' if name else ''}: {message}"
        return FactsError(text.replace("\n", "\\n")[:400])

    def table(self, key: str) -> "Header":
        return Header(super().table(key).values, (*self.path, key))

    def tables(self, key: str) -> Iterator["Header"]:
        for index, table in enumerate(super().tables(key)):
            yield Header(table.values, (*self.path, key, index))

    def text(self, key: str) -> str:
        return self._spelled(super().text(key), key)

    def short_text(self, key: str) -> str:
        """A text for people: of one line, without control characters, and not too long."""
        return self._short(super().text(key), key)

    def short_texts(self, key: str, most: int) -> tuple[str, ...]:
        """A list of texts for people."""
        values = self.array(key)
        if len(values) > most:
            raise self.error(f"{len(values)} entries; at most {most} are allowed", key)
        for n, value in enumerate(values):
            if not isinstance(value, str):
                raise self.error(f"{value!r} is not a text", key, n)
        return tuple(self._short(value, key, n) for n, value in enumerate(values))

    def _short(self, text: str, *keys: str | int) -> str:
        if not self._spelled(text, *keys).isprintable():
            raise self.error(f"{text[:80]!r} is not a line of text", *keys)
        if len(text) > MAX_TEXT:
            raise self.error(f"{len(text)} letters; at most {MAX_TEXT} are allowed", *keys)
        return text

    def _spelled(self, text: str, *keys: str | int) -> str:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:  # JSON can spell half of a letter
            raise self.error(f"not a text: {error.reason}", *keys) from error
        return text

    def outcome(self, key: str) -> str:
        return self.choice(key, OUTCOMES)


def read_seed(header: Header) -> int:
    """64 bits as a text: JSON's numbers are too short."""
    seed = header.text("seed")
    if not (seed.isascii() and seed.isdigit() and len(seed) <= 20 and int(seed) < 2**64):
        raise header.error(f"{seed!r} is not a whole number from 0 to {2**64 - 1}", "seed")
    return int(seed)


def read_skills(header: Header) -> tuple[Skill, ...]:
    """The abilities, buffs and areas of a light record."""
    skills = tuple(_skill(table) for table in header.tables("skills"))
    if len(skills) > _MAX_SKILLS:
        raise damaged(f"it has {len(skills)} skills, more than any rules")
    return skills


def _skill(table: Header) -> Skill:
    table.only(_SKILL)
    radius, effect = table.number("radius", 0.0, 1e3), table.choice("effect", SKILL_EFFECTS)
    return Skill(table.short_text("name"), radius, effect)


def read_header(raw: bytes) -> Header:
    """Parse JSON that must be an object without repeated keys and without NaN."""
    try:
        values = json.loads(
            raw.decode("utf-8"), object_pairs_hook=_without_repetition, parse_constant=_no_number
        )
    except (ValueError, RecursionError) as error:
        raise ReplayError(f"the record is damaged: its header is not JSON: {error}") from error
    if not isinstance(values, dict):
        raise ReplayError("the record is damaged: its header is no JSON object")
    return Header(values)


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("a key is there twice")
    return values


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number")
