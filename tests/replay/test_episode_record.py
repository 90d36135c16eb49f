"""Records of episodes come back as they were, or are refused in one clear line."""

import base64
import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from terrarium.errors import TerrariumError
from terrarium.replay.episodes.episode_frames import MAX_PICTURES, Particles, picture_steps
from terrarium.replay.episodes.episode_record import (
    EpisodeRecord,
    from_bytes,
    load_episode_record,
    save_episode_record,
    to_bytes,
)
from terrarium.replay.errors import ReplayError
from tests.replay.damaging import draw_damage
from tests.replay.episodes import chase, forged, signed, slides

RECORDS = [chase(), chase(n_steps=0), slides(), slides(n_steps=1, every=1)]


@pytest.mark.parametrize("record", RECORDS)
def test_a_record_comes_back_from_its_file(record: EpisodeRecord, tmp_path: Path) -> None:
    file = tmp_path / "episode.episode"
    assert save_episode_record(record, file) == file.stat().st_size < 4_000
    again = load_episode_record(file)
    for name in ("title", "task", "seed", "agents", "teams", "fps", "pictures", "picture_every"):
        assert getattr(again, name) == getattr(record, name), name
    assert np.array_equal(again.rewards, record.rewards)
    assert np.array_equal(again.present, record.present)
    assert (again.particles is None) == (record.particles is None)
    if again.particles is not None and record.particles is not None:
        assert again.particles.things == record.particles.things
        for name in ("positions", "colors", "messages"):
            found, expected = getattr(again.particles, name), getattr(record.particles, name)
            assert found.dtype == expected.dtype
            assert np.array_equal(found, expected), name
    assert to_bytes(again) == to_bytes(record)


def test_returns_are_sums_of_rewards() -> None:
    returns = chase().returns()
    assert returns[0].tolist() == [0.0, 0.0, 0.0]
    assert returns[7].tolist() == [7.0, 14.0, -3.5]


def test_what_was_put_away_is_neither_shown_nor_in_sight_of_the_camera() -> None:
    particles = chase().particles
    assert particles is not None
    near = particles.bounds()
    assert near == pytest.approx((-1.1, -0.6, 1.05, 0.95))
    positions = particles.positions.copy()
    positions[3, 3] = -999.0
    away = replace(particles, positions=positions)
    assert away.bounds() == near
    assert away.shown.sum() == particles.shown.sum() - 1
    assert not away.shown[3, 3]


def test_of_every_step_there_is_the_latest_picture() -> None:
    record = slides(n_steps=7, every=3)
    assert picture_steps(7, 3) == [0, 3, 6, 7]
    shown = [record.pictures.index(record.picture_at(step)) for step in range(8)]
    assert shown == [0, 0, 0, 1, 1, 1, 2, 3]


@pytest.mark.parametrize("record", [chase(), slides()])
@settings(max_examples=150)
@given(data=st.data())
def test_damage_is_noticed_wherever_it_is(record: EpisodeRecord, data: st.DataObject) -> None:
    whole = to_bytes(record)
    with pytest.raises(ReplayError):
        from_bytes(draw_damage(data, whole))


def floats(*values: float) -> str:
    return base64.b64encode(np.array(values, "<f4").tobytes()).decode()


def put(**values: Any) -> Callable[[dict[str, Any]], object]:
    return lambda table: table.update(values)


def first_thing(**values: Any) -> Callable[[dict[str, Any]], object]:
    return lambda table: table["things"][0].update(values)


HOSTILE: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (lambda table: table.pop("title"), 'the key "title" is missing'),
    (put(titel="x"), "titel"),
    (put(title=3), "title"),
    (put(title="two\nlines"), "not a line of text"),
    (put(title="x" * 501), "501 letters"),
    (put(agents=["a", "b", {}]), "not a text"),
    (put(agents=["a", "a", "b"]), "two agents have the same name"),
    (put(agents=[], teams=[]), "rewards"),
    (put(agents=["a"] * 2000), "2000 entries"),
    (put(teams=[{"name": "all", "members": [0, 1]}]), "teams do not hold each agent once"),
    (put(teams=[{"name": "all", "members": [0, 1, 3]}]), "not numbers of agents"),
    (put(teams=[{"name": "all", "members": [0, 1, True]}]), "not numbers of agents"),
    (put(seed="-1"), "not a whole number"),
    (put(seed="9" * 20), "seed is 99999999999999999999"),
    (put(fps=0), "fps"),
    (put(fps=1e9), "fps"),
    (put(n_steps=-1), "n_steps"),
    (put(n_steps=10**9), "n_steps"),
    (put(n_steps=21), "bytes instead of"),
    (put(rewards=floats(*[np.nan] * 60)), "no number"),
    (put(rewards=floats(*[np.inf] * 60)), "no number"),
    (put(rewards="%%%"), "not base64"),
    (put(rewards=[1.0]), "rewards"),
    (put(positions=floats(0.0)), "4 bytes instead of 672"),
    (put(n_words=10**6), "n_words"),
    (put(things=[]), "bytes instead of"),
    (put(things=[3]), "things"),
    (first_thing(kind="script"), "script"),
    (first_thing(radius=-1.0), "radius"),
    (first_thing(radius=0.0), "a radius is outside"),
    (first_thing(radius="1"), "radius"),
    (first_thing(name="\ud800"), "name"),
    (put(pictures=["x"], picture_every=1), "pictures"),
]


@pytest.mark.parametrize(("change", "expected"), HOSTILE)
def test_a_forged_file_is_refused_in_one_line(
    change: Callable[[dict[str, Any]], object], expected: str, tmp_path: Path
) -> None:
    file = tmp_path / "forged.episode"
    file.write_bytes(forged(to_bytes(chase()), change))
    with pytest.raises(ReplayError) as caught:
        load_episode_record(file)
    message = str(caught.value)
    assert message.startswith(f"{file}: ")
    assert expected in message
    assert "\n" not in message
    assert len(message) < 600


def png_head(width: int, height: int) -> bytes:
    """A picture that announces its size, and has nothing to show."""
    chunk = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    end = struct.pack(">I", zlib.crc32(chunk))
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + end


@pytest.mark.parametrize(
    "picture",
    [b"", b"GIF89a", b"<svg onload=alert(1)>", png_head(60_000, 60_000), png_head(481, 10)],
    ids=["nothing", "gif", "svg", "huge", "wide"],
)
def test_a_picture_that_is_none_or_too_large_is_refused(picture: bytes) -> None:
    text = base64.b64encode(picture).decode()
    content = forged(to_bytes(slides()), lambda table: table["pictures"].__setitem__(1, text))
    with pytest.raises(TerrariumError, match=r"pictures\.1: no PNG or JPEG of at most 480 x 1200"):
        from_bytes(content)


def test_pictures_must_fit_the_steps() -> None:
    with pytest.raises(ReplayError, match="5 pictures do not fit 7 steps with one at every 3"):
        from_bytes(forged(to_bytes(slides()), put(picture_every=3)))
    many = slides().pictures[:1] * (MAX_PICTURES + 2)
    with pytest.raises(ReplayError, match="302 pictures; at most 301 are kept"):
        replace(slides(), pictures=many)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "this is no record of an episode"),
        (b"TERRAREC" + bytes(80), "this is no record of an episode"),
        (b"TERRAWLD", "it ends too early"),
        (b"TERRAWLD" + struct.pack("<HI", 9, 0) + bytes(32), "a record of format 9"),
        (signed(b"{}", 2**31), "it claims to be larger than any record"),
        (signed(bytes(10**6), 10), "do not have the sizes that it states"),
        (signed(b"[" * 100_000), "not JSON"),
        (signed(b"[" + b"1," * 100_000 + b"1]"), "it has more entries than any record"),
        (signed(b"[]"), "no JSON object"),
        (signed(b'{"fps": NaN}'), "NaN is not a number"),
        (signed(b'{"fps": 1, "fps": 2}'), "a key is there twice"),
    ],
)
def test_what_is_no_record_is_refused(content: bytes, expected: str) -> None:
    with pytest.raises(TerrariumError, match=expected):
        from_bytes(content)


def test_a_record_that_could_not_be_read_again_is_not_made() -> None:
    record = chase()
    assert record.particles is not None
    broken = record.particles.positions.copy()
    broken[2, 1, 0] = np.nan
    with pytest.raises(ReplayError, match="positions hold what is no number"):
        replace(record, particles=replace(record.particles, positions=broken))
    short = record.particles.positions[1:]
    with pytest.raises(ReplayError, match=r"positions have the shape \(20, 4, 2\)"):
        replace(record, particles=replace(record.particles, positions=short))
    with pytest.raises(ReplayError, match="by particles or by pictures"):
        replace(record, particles=None)
    with pytest.raises(ReplayError, match="is no name of one line"):
        replace(record, agents=("hunter_0", "hunter\n1", "prey_0"))


def test_a_title_of_several_lines_becomes_one() -> None:
    again = from_bytes(to_bytes(replace(chase(), title="a\nb\t\u202ec")))
    assert again.title == "a b c"


def test_nobody_speaks_where_there_are_no_words() -> None:
    record = chase()
    assert record.particles is not None
    silent: Particles = replace(record.particles, messages=record.particles.messages[..., :0])
    again = from_bytes(to_bytes(replace(record, particles=silent)))
    assert again.particles is not None
    assert again.particles.messages.shape == (21, 3, 0)
