"""Record files come back as they were, or are refused in one clear line."""

import zlib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terrarium.replay.errors import ReplayError
from terrarium.replay.playback import frames_of
from terrarium.replay.record import Kind
from terrarium.replay.record_file import from_bytes, load_record, save_record, to_bytes
from tests.replay.battles import forged, frames, recorded, signed
from tests.replay.damaging import draw_damage

KINDS: tuple[Kind, ...] = ("exact", "light")


@cache
def content(kind: Kind) -> bytes:
    return to_bytes(recorded("smac/2s3z", kind=kind))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scenario", ["smac/3m", "smac/2c_vs_64zg", "smacv2/terran_10_vs_10"])
def test_a_record_comes_back_from_its_file(scenario: str, kind: Kind, tmp_path: Path) -> None:
    record = recorded(scenario, kind=kind)
    file = tmp_path / "battle.terrarium"
    size = save_record(record, file)
    assert size == file.stat().st_size < 12_000
    again = load_record(file)
    assert again.about == record.about
    assert to_bytes(again) == to_bytes(record)
    assert np.array_equal(frames_of(again).units, frames_of(record).units)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=300)
@given(data=st.data())
def test_damage_is_noticed_wherever_it_is(kind: Kind, data: st.DataObject) -> None:
    whole = content(kind)
    with pytest.raises(ReplayError):
        from_bytes(draw_damage(data, whole))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60)
@given(data=st.data())
def test_a_clever_enemy_changes_numbers_in_vain(kind: Kind, data: st.DataObject) -> None:
    """With sizes and checksum put right, a changed body is refused or holds a possible battle."""

    def change(body: bytearray) -> None:
        for _ in range(data.draw(st.integers(1, 4))):
            body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))

    try:
        record = from_bytes(forged(content(kind), body=change))
    except ReplayError:
        return
    if kind == "light":
        shown = frames_of(record)
        assert shown.units["kind"].max() < len(shown.types)
        assert shown.units["target"].max() < shown.units.shape[1]
        assert np.isfinite(shown.units["x"]).all()
        return
    # What nobody looks at may differ, the point of an attack on a unit; the battle may not.
    try:
        shown = frames_of(record)
    except ReplayError:
        return
    assert np.array_equal(shown.units, frames("smac/2s3z").units)


def _set(key: str, value: object) -> Callable[[dict[str, Any]], object]:
    return lambda header: header.update({key: value})


BAD_HEADERS: list[tuple[Kind, Callable[[dict[str, Any]], object], str]] = [
    ("exact", _set("kind", "heavy"), 'unknown value "heavy"'),
    ("exact", _set("seed", "-1"), "'-1' is not a whole number from 0 to 18446744073709551615"),
    ("exact", _set("seed", str(2**64)), "is not a whole number"),
    ("exact", _set("seed", 7), "7 is not a text"),
    ("exact", _set("seed", "٣"), "is not a whole number"),
    ("exact", _set("outcome", "victory"), 'unknown value "victory"'),
    ("exact", _set("title", "x" * 501), "501 letters; at most 500"),
    ("exact", _set("title", "two\nlines"), "is not a line of text"),
    ("exact", _set("title", "\ud800"), "title: not a text"),
    ("exact", lambda header: header["texts"].update(scenario="\ud800"), "scenario: not a text"),
    ("exact", _set("n_slots", 0), "0 is outside 1 to 2048"),
    ("exact", _set("n_slots", 10**9), "is outside 1 to 2048"),
    ("exact", _set("n_slots", 2), "slot of a command is outside 0 to 1"),
    ("exact", _set("extra", 1), "unknown key"),
    ("exact", lambda header: header.pop("title"), 'the key "title" is missing'),
    ("exact", _set("texts", []), "is not a table"),
    ("exact", lambda header: header["sizes"].update(steps=10**8), "is outside 0 to 60000"),
    ("exact", lambda header: header["sizes"].update(commands=0), "do not have the size"),
    ("light", lambda header: header["sizes"].update(samples=2), "do not have the size"),
    ("light", lambda header: header["sizes"].update(units=9), "units and types do not fit"),
    ("light", _set("types", []), "units and types do not fit"),
    ("light", lambda header: header["types"][0].update(radius=1e9), "outside 0 to 100000"),
    ("light", lambda header: header["types"][0].update(hp=0), "0 is outside 0.01 to 100000"),
    ("light", lambda header: header["types"].pop(), "units.kind is"),
    ("light", _set("terrain", "walkable = 3"), "its terrain cannot be used"),
    ("light", _set("terrain", "x = [\n[" + " " * 500_000 + "1]]"), "no recorder writes the line"),
]


@pytest.mark.parametrize(("kind", "change", "message"), BAD_HEADERS)
def test_a_header_that_lies_is_refused(
    kind: Kind, change: Callable[[dict[str, Any]], object], message: str, tmp_path: Path
) -> None:
    file = tmp_path / "bad.terrarium"
    file.write_bytes(forged(content(kind), header=change))
    with pytest.raises(ReplayError) as caught:
        load_record(file)
    assert str(caught.value).startswith(f"{file}: ")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"[]", "its header is no JSON object"),
        (b'{"kind": "exact", "kind": "light"}', "a key is there twice"),
        (b'{"kind": NaN}', "NaN is not a number"),
        (b"{", "its header is not JSON"),
        (b"\xff", "its header is not JSON"),
        (b"[" * 100_000, "its header is not JSON"),
        (b'{"n": ' + b"9" * 5000 + b"}", "its header is not JSON"),
    ],
)
def test_a_header_that_is_no_header_is_refused(raw: bytes, message: str) -> None:
    with pytest.raises(ReplayError, match=message):
        from_bytes(forged(content("exact"), raw_header=raw))


def test_points_that_are_no_places_are_refused() -> None:
    record = recorded("smac/2s3z")
    for value in (np.nan, np.inf, 1e6):
        commands = record.commands.copy()  # type: ignore[union-attr]
        commands["x"][3] = value
        changed = type(record)(**{**vars(record), "commands": commands})
        with pytest.raises(ReplayError, match="a point that is no place"):
            from_bytes(to_bytes(changed))


def test_numbers_of_commands_that_do_not_add_up_are_refused() -> None:
    record = recorded("smac/2s3z")
    for value in (2**31 - 1, -1, 0):
        steps = record.steps.copy()  # type: ignore[union-attr]
        steps["n_commands"] = value
        changed = type(record)(**{**vars(record), "steps": steps})
        with pytest.raises(ReplayError, match=r"impossible number|do not belong to its steps"):
            from_bytes(to_bytes(changed))


def test_a_bomb_is_not_unpacked() -> None:
    bomb = b"\0" * 50_000_000
    for sizes in ((len(bomb), 8), (100, 8), (2**32 - 1, 2**32 - 1)):
        with pytest.raises(ReplayError, match=r"larger than any record|do not have the sizes"):
            from_bytes(signed(bomb, b"", sizes))
    whole = content("exact")
    with pytest.raises(ReplayError, match="do not have the size that the header states"):
        from_bytes(forged(whole, body=lambda body: body.extend(bomb)))


def test_other_files_are_no_records(tmp_path: Path) -> None:
    file = tmp_path / "picture.png"
    file.write_bytes(b"\x89PNG" + zlib.compress(b"x"))
    with pytest.raises(ReplayError, match=r"picture.png: this is no battle record"):
        load_record(file)
    with pytest.raises(ReplayError, match="cannot be read: Is a directory"):
        load_record(tmp_path)
    with pytest.raises(ReplayError, match="cannot be read: No such file"):
        load_record(tmp_path / "none.terrarium")
    with pytest.raises(ReplayError, match="cannot be written: Is a directory; choose another"):
        save_record(recorded(), tmp_path)


def test_another_format_says_what_to_do() -> None:
    whole = content("exact")
    with pytest.raises(ReplayError, match=r"format 258, and this .* format 2; update Terrarium"):
        from_bytes(whole[:8] + b"\x02\x01" + whole[10:])
    with pytest.raises(ReplayError, match=r"format 1, and this .* format 2; record the battle ag"):
        from_bytes(whole[:8] + b"\x01\x00" + whole[10:])
