"""`terrarium list maps` and `terrarium import-map` as a person meets them."""

import json
import lzma
import subprocess
import sys
from pathlib import Path

import pytest

from terrarium.data.maps.files import load_map
from terrarium.data.maps.flat import flat_map
from terrarium.data.maps.library import find_map, map_names
from tests.data.maps.test_importer import messages
from tests.program import call_program


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A recorded game: one file as it is, one compressed."""
    info, seen = (part.SerializeToString() for part in messages(flat_map(48)))
    (tmp_path / "info.pb").write_bytes(info)
    (tmp_path / "seen.pb.xz").write_bytes(lzma.compress(seen))
    return tmp_path


def test_maps_are_listed() -> None:
    rows = {row["name"]: row for row in json.loads(call_program("list", "maps", "--json").out)}
    assert tuple(rows) == map_names()
    assert rows["flat_96"]["playable"] == "96 x 96"
    assert (rows["flat_96"]["bases"], rows["empty_128"]["bases"]) == (2, 0)


def test_a_recorded_game_becomes_a_map(folder: Path) -> None:
    out = folder / "mine.toml"
    words = ("import-map", str(folder / "info.pb"), str(folder / "seen.pb.xz"), "--out", str(out))
    answer = call_program(*words)
    assert (answer.code, answer.err) == (0, "")
    assert str(out) in answer.out
    assert load_map(out).starts == flat_map(48).starts


@pytest.mark.parametrize(
    ("info", "seen", "out", "message"),
    [
        ("none.pb", "seen.pb.xz", "map.toml", "none.pb: cannot be read: No such file"),
        ("info.pb", "cut.pb.xz", "map.toml", "cut.pb.xz: no xz file, or truncated"),
        ("info.pb", "cut.pb", "map.toml", "observation: "),
        ("seen.pb.xz", "info.pb", "map.toml", "not a message of the game"),
        ("info.pb", "seen.pb.xz", "map.png", "maps are TOML files"),
        ("info.pb", "seen.pb.xz", "none/map.toml", "there is no folder"),
    ],
)
def test_a_bad_import_is_one_line(
    folder: Path, info: str, seen: str, out: str, message: str
) -> None:
    packed = (folder / "seen.pb.xz").read_bytes()
    (folder / "cut.pb.xz").write_bytes(packed[:40])
    (folder / "cut.pb").write_bytes(lzma.decompress(packed)[:40])
    words = [str(folder / name) for name in (info, seen, out)]
    answer = call_program("import-map", words[0], words[1], "--out", words[2])
    assert answer.code == 2
    assert message in answer.err
    assert answer.err.count("\n") == 1
    assert not (folder / out).exists()


def test_without_the_package_one_line_names_the_extra(folder: Path) -> None:
    program = (
        "import sys; sys.modules['s2clientprotocol'] = None; from terrarium.cli import main; main()"
    )
    files = [str(folder / name) for name in ("info.pb", "seen.pb.xz", "map.toml")]
    words = ["import-map", files[0], files[1], "--out", files[2]]
    done = subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "pip install 'terrarium-sc2[server]'" in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_bases_of_a_map_are_shown() -> None:
    rows = json.loads(call_program("map", "two_base", "--json").out)
    assert [row["minerals"] for row in rows] == [10800] * 4
    assert [row["start"] for row in rows].count("yes") == 2
    assert "(20.5, 18.5)" in call_program("map", "two_base").out


def test_a_map_is_drawn_and_written(tmp_path: Path) -> None:
    png, out = tmp_path / "map.png", tmp_path / "map.toml"
    answer = call_program("map", "simple_64", "--png", str(png), "--out", str(out))
    assert (answer.code, answer.err) == (0, "")
    assert png.read_bytes()[:4] == b"\x89PNG"
    assert load_map(out).starts == find_map("simple_64").starts


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("simple_65",), 'unknown map "simple_65". Did you mean "simple_'),
        (("two_base", "--png", "none/map.png"), "there is no folder"),
        (("two_base", "--out", "map.txt"), "maps are TOML files"),
        (("two_base", "--json", "--png", "map.png"), "--json prints the bases"),
        (("empty_128",), "this map has no bases"),
    ],
)
def test_a_bad_map_command_is_one_line(words: tuple[str, ...], message: str) -> None:
    answer = call_program("map", *words)
    assert answer.code == 2
    assert message in answer.err
    assert answer.err.count("\n") == 1
