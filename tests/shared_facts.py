"""The facts next to the repository, where they are: reference documents and data of real games.

Captures hold `ResponseData` of the game's interface as protobuf bytes; the few fields that tests
need are read without a library.
"""

import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).resolve().parents[1].parent / "shared"
REFERENCE, CAPTURES = SHARED / "reference", SHARED / "data" / "captures"
TECH_TREE = SHARED / "data" / "techtree.json"
VERSIONS = {"lotv-5.0.3": "5.0.3", "lotv-4.10": "4.10.0", "lotv-5.0.14": "5.0.14"}
GAMES = [("lotv-5.0.3", "AutomatonLE"), ("lotv-4.10", "AutomatonLE_4.10.4")]
"""rule sets, and a game that was played with them or nearly so"""

needs_reference = pytest.mark.skipif(
    not (REFERENCE / "abilities.json").exists(), reason="../shared/reference is not there"
)
needs_captures = pytest.mark.skipif(not CAPTURES.exists(), reason="../shared/data is not there")
needs_tech_tree = pytest.mark.skipif(not TECH_TREE.exists(), reason="../shared/data is not there")


def capture(game: str, section: int) -> list[dict[int, Any]]:
    """Entries of game data by field number: 1 abilities, 3 upgrades, 4 buffs, 5 effects."""
    data = lzma.decompress((CAPTURES / game / "game_data.pb.xz").read_bytes())
    parts = (part for number, part in _fields(data) if number == section)
    return [dict(_fields(part)) for part in parts if isinstance(part, bytes)]


def _fields(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The fields of one message: its number, and a whole number or bytes."""
    at = 0

    def varint() -> int:
        nonlocal at
        value, shift = 0, 0
        while True:
            byte = data[at]
            at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value

    while at < len(data):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
            continue
        size = {1: 8, 5: 4}.get(key & 7) or varint()
        at += size
        yield key >> 3, data[at - size : at]
