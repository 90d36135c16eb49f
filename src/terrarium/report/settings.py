"""The settings of a run as flat names and texts, which can be compared and shown."""

import json
import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from terrarium.errors import TerrariumError

MAX_WHOLE = 2**63 - 1
"""TOML's own limit, and NumPy's; Python alone would accept numbers it cannot print."""

# What a text may look like without quotes, so that no two settings are shown alike.
_PLAIN = re.compile(r"(?!(?:true|false|nan|inf)$)[A-Za-z_][\w./-]*")
_MAX_SHOWN = 60


def flatten(table: Mapping[str, Any], path: Path) -> dict[str, str]:
    """Settings by dotted name, each value as a text of its own."""
    try:
        return {printable(name): value_text(value) for name, value in _leaves(table, "")}
    except (ValueError, RecursionError) as error:
        raise TerrariumError(f"{path}: {error}") from error


def value_text(value: Any) -> str:
    """A value as it is compared and shown: equal numbers alike, texts unlike numbers."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            if abs(value) > MAX_WHOLE:
                raise ValueError(f"a whole number of {value.bit_length()} bits; allowed are 64")
            return str(value)
        case float():
            is_whole = math.isfinite(value) and value.is_integer() and abs(value) < 1e15
            return str(int(value)) if is_whole else repr(value)
        case str():
            text = printable(value)
            return text if _PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)
        case list():
            return f"[{', '.join(map(value_text, value))}]"
        case dict():
            pairs = (f"{printable(key)}={value_text(item)}" for key, item in value.items())
            return f"{{{', '.join(pairs)}}}"
    return str(value)  # a date or a time


def printable(text: str) -> str:
    """A text without what would steer a terminal or break a line."""
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text
    )


def shown(value: object) -> str:
    """A wrong value as an error quotes it."""
    text = json.dumps(value, default=str)
    return text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…"


def _leaves(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
