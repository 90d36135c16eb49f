"""The errors that a user can cause, and the wording they share."""

import difflib
from collections.abc import Iterable


class TerrariumError(Exception):
    """Something the user asked for cannot be done; the message says what to do next."""


def nearest(name: str, allowed: Iterable[str]) -> str:
    """Say which allowed name was probably meant: ' Did you mean "marine"?' or nothing."""
    found = difflib.get_close_matches(name, list(allowed), n=1)
    return f' Did you mean "{found[0]}"?' if found else ""
