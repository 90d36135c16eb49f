"""`terrarium watch` as a person meets it."""

import functools
from pathlib import Path

import pytest
from PIL import Image

from terrarium.replay.record_file import load_record
from tests.program import Run, call_program


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Call the program in an empty folder."""
    return functools.partial(call_program, "watch", home=tmp_path)


def test_a_scenario_becomes_a_page_named_after_it(run: Run, tmp_path: Path) -> None:
    code, out, err = run("smac/3m", "--seed", "7")
    assert (code, err) == (0, "")
    size = (tmp_path / "smac_3m_seed7.html").stat().st_size
    assert out == f"smac_3m_seed7.html ({size / 1e3:.1f} kB)\n"
    assert [file.name for file in tmp_path.iterdir()] == ["smac_3m_seed7.html"]


@pytest.mark.slow
def test_everything_at_once_and_again_from_the_record(run: Run, tmp_path: Path) -> None:
    code, out, err = run(
        *("3m", "--out", "a.html", "--png", "a.png", "--gif", "a.gif", "--at", "2.5"),
        *("--save-record", "a.terrarium"),
    )
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()] == [
        *("a.terrarium", "a.png", "a.gif", "a.html")
    ]
    record = load_record(tmp_path / "a.terrarium")
    assert record.about.scenario == "smac/3m"
    assert record.about.title.startswith("kiting, seed 0: ")
    assert record.about.outcome in ("win", "loss")
    page = (tmp_path / "a.html").read_bytes()
    (tmp_path / "a.html").unlink()
    assert run("a.terrarium") == (0, f"a.html ({len(page) / 1e3:.1f} kB)\n", "")
    assert (tmp_path / "a.html").read_bytes() == page
    for name in ("a.png", "a.gif"):
        with Image.open(tmp_path / name) as image:
            image.verify()


def test_a_picture_alone_needs_no_page(run: Run, tmp_path: Path) -> None:
    assert run("3m", "--png", "x.png")[0] == 0
    assert [file.name for file in tmp_path.iterdir()] == ["x.png"]


BAD_INPUT = [
    ("smac/3mm", 'unknown scenario "smac/3mm". Did you mean "smac/3m"?'),
    ("bttle.terrarium", 'bttle.terrarium: there is no such file. Did you mean "battle.terrarium"?'),
    ("none.toml", "none.toml: cannot be read"),
    ("text.txt", "text.txt: this is no battle record"),
    ("battle.terrarium --seed 3", "battle.terrarium: a record has its own seed"),
    ("battle.terrarium", "battle.terrarium: this is no battle record"),
    ("3m --seed -1", "seed is -1; allowed are 0 to"),
    ("3m --out folder", "folder: this is a folder; give the name of a file in it"),
    ("3m --out none/x.html", "none/x.html: there is no folder none; make it first"),
    ("3m --png text.txt/x.png", "text.txt/x.png: there is no folder text.txt"),
    ("3m --at 3", "--at is the moment of a picture; name one with --png"),
    ("3m --png x.png --at 99", "at is 99 s; the battle lasts from 0 to"),
    ("3m --png x.png --at nan", "at is nan s; the battle lasts from 0 to"),
    ("3m --png x --gif x", "two of the files have the same name"),
    ("text.txt --out text.txt", "two of the files have the same name"),
    ("3m --gfi x", 'unknown option "--gfi" of terrarium watch. Did you mean "--gif"?'),
    ("3m --save_record x", 'unknown option "--save_record" of terrarium watch. Did you mean'),
]


@pytest.mark.parametrize(("line", "expected"), BAD_INPUT)
def test_mistakes_get_one_clear_line(run: Run, line: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.txt").write_text("hello")
    (tmp_path / "battle.terrarium").write_text("hello")
    code, out, err = run(*line.split())
    assert err.startswith(f"terrarium: {expected}")
    assert err.count("\n") == 1
    assert (code, out) == (2, "")


def test_a_place_that_cannot_be_written_is_named(run: Run) -> None:
    code, _, err = run("3m", "--out", "/proc/x.html")
    assert code == 2
    assert err.startswith("terrarium: /proc/x.html: cannot be written: ")
