"""Files of whole games come back as they were, or are refused in one clear line."""

import json
import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terrarium.errors import TerrariumError
from terrarium.replay.errors import ReplayError
from terrarium.replay.games.game_columns import layout, sizes_of
from terrarium.replay.games.game_file import (
    game_bytes,
    game_from_bytes,
    load_game_record,
    save_game_record,
)
from terrarium.replay.games.game_playback import game_frames_of
from terrarium.replay.games.game_record import Kind, LightGameRecord
from tests.replay.battles import forged, recorded, signed
from tests.replay.games.macro_game import macro_record

KINDS: tuple[Kind, ...] = ("exact", "light")
TICKS = 480
Change = Callable[[dict[str, Any]], object]


@cache
def content(kind: Kind) -> bytes:
    return game_bytes(macro_record(TICKS, kind, "two_base"))


@pytest.mark.parametrize("kind", KINDS)
def test_a_record_comes_back_from_its_file(kind: Kind, tmp_path: Path) -> None:
    record = macro_record(TICKS, kind, "two_base")
    file = tmp_path / "game.terrarium"
    size = save_game_record(record, file)
    assert size == file.stat().st_size < 40_000
    again = load_game_record(file)
    assert again.about == record.about
    assert game_bytes(again) == game_bytes(record) == file.read_bytes()


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=100)
@given(data=st.data())
def test_damage_is_noticed_wherever_it_is(kind: Kind, data: st.DataObject) -> None:
    whole = content(kind)
    at = data.draw(st.integers(0, len(whole) - 1))
    flipped = whole[:at] + bytes([whole[at] ^ 1 << data.draw(st.integers(0, 7))]) + whole[at + 1 :]
    for damaged in (flipped, whole[:at], whole + whole[at:]):
        with pytest.raises(ReplayError):
            game_from_bytes(damaged)


@settings(max_examples=100)
@given(data=st.data())
def test_a_clever_enemy_changes_numbers_in_vain(data: st.DataObject) -> None:
    """With sizes and checksum put right, a changed body is refused or holds a possible game."""

    def change(body: bytearray) -> None:
        for _ in range(data.draw(st.integers(1, 4))):
            body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))

    try:
        record = game_from_bytes(forged(content("light"), body=change))
    except ReplayError:
        return
    assert isinstance(record, LightGameRecord)
    frames = record.frames
    for sample in (0, len(frames.ticks) // 2, len(frames.ticks) - 1):
        assert frames.at("kind", sample).max() < len(frames.types)
        assert np.isfinite(frames.at("place", sample)).all()
        assert frames.at("queue", sample).max() < len(frames.queues)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_altered_commands_play_the_same_game_or_none(data: st.DataObject) -> None:
    def change(body: bytearray) -> None:
        body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))

    try:
        frames = game_frames_of(game_from_bytes(forged(content("exact"), body=change)))
    except ReplayError:
        return
    true = game_frames_of(game_from_bytes(content("exact")))
    last = len(true.ticks) - 1
    assert np.array_equal(frames.at("place", last), true.at("place", last))


def _set(key: str, value: object) -> Change:
    return lambda header: header.update({key: value})


def _size(key: str, value: object) -> Change:
    return lambda header: header["sizes"].update({key: value})


BAD_HEADERS: list[tuple[Kind, Change, str]] = [
    ("exact", _set("kind", "heavy"), 'unknown value "heavy"'),
    ("exact", _set("seed", "-1"), "'-1' is not a whole number from 0 to 18446744073709551615"),
    ("exact", _set("title", "two\nlines"), "is not a line of text"),
    ("exact", _set("n_slots", 10**9), "is outside 1 to 2048"),
    ("exact", _set("n_slots", 2), "unit of a command is outside 0 to 1"),
    ("exact", _set("surplus", 1), "unknown key"),
    ("exact", _set("extra", 1), "is not a text"),
    ("exact", _set("races", ["Terran", "Human"]), 'its map cannot be used: race "Human"'),
    ("exact", _set("races", []), "players, races and results are not as many"),
    ("exact", _set("results", ["won", "lost"]), "'won' is no result"),
    ("exact", _set("players", ["one"]), "players, races and results are not as many"),
    ("exact", _set("teams", [[1], [1]]), "they do not hold each player once"),
    ("exact", _set("teams", [1, 2]), "1 is not a list of players"),
    ("exact", _set("layers", ["lava"]), "are not layers of the ground"),
    ("exact", _set("map", "format = 1"), "its map cannot be used"),
    ("exact", _set("map", "]["), "its map cannot be used"),
    ("exact", _set("ticks_per_step", 0), "0 is outside 1 to"),
    ("exact", _size("commands", 10**8), "is outside 0 to"),
    ("exact", _size("commands", 0), "do not have the size"),
    ("light", _size("samples", 2), "do not have the size"),
    ("light", _size("lives", 10**7), "is outside 0 to 65535"),
    ("light", _set("types", []), "kind is"),
    ("light", lambda header: header["types"][0].update(hp=0), "0 is outside 0.01 to 100000"),
    ("light", lambda header: header["types"][0].update(role="king"), 'unknown value "king"'),
    ("light", _set("queues", [["marine"]]), "is not a list of products"),
    ("light", _set("queues", []), "0 of them"),
    ("light", _set("upgrades", 3), "is not a list"),
    ("light", _set("map", "]["), "its map cannot be used"),
    ("light", _set("fights", [{"first": 1}]), "the key"),
]


@pytest.mark.parametrize(("kind", "change", "expected"), BAD_HEADERS)
def test_a_bad_header_is_refused_in_one_line(kind: Kind, change: Change, expected: str) -> None:
    with pytest.raises(TerrariumError) as error:
        game_from_bytes(forged(content(kind), header=change))
    assert expected in str(error.value)
    assert "\n" not in str(error.value)


def test_other_files_are_no_records(tmp_path: Path) -> None:
    file = tmp_path / "game.terrarium"
    file.write_bytes(b"hello")
    with pytest.raises(ReplayError, match=r"game.terrarium: this is no battle record"):
        load_game_record(file)
    with pytest.raises(ReplayError, match="it claims to be larger than any record"):
        game_from_bytes(signed(b"{}", b"", sizes=(2, 2**30)))
    from terrarium.replay.record_file import to_bytes

    with pytest.raises(TerrariumError, match='unknown value "exact"'):
        game_from_bytes(to_bytes(recorded()))


def test_columns_are_those_of_the_layout() -> None:
    record = macro_record(TICKS, "light", "two_base")
    assert isinstance(record, LightGameRecord)
    sizes = sizes_of(record.frames)
    assert sizes["samples"] == TICKS // 4 + 1
    names = [name for name, _, _ in layout(sizes, 2)]
    assert len(names) == len(set(names))
    raw = zlib.decompress(content("light")[26 : 26 + _header_size(content("light"))])
    assert json.loads(raw)["sizes"] == sizes


def _header_size(whole: bytes) -> int:
    return int.from_bytes(whole[10:14], "little")
