"""`terrarium watch` with the record of a whole game."""

import functools
from pathlib import Path

import pytest
from PIL import Image

from terrarium.replay.games.game_file import game_bytes, save_game_record
from terrarium.replay.games.game_playback import game_frames_of
from terrarium.replay.games.game_record import Kind
from terrarium.replay.replays import GameReplay, load_replay
from tests.program import Run, call_program
from tests.replay.battles import forged
from tests.replay.games.macro_game import macro_record


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Call the program in an empty folder."""
    return functools.partial(call_program, "watch", home=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["exact", "light"])
def test_a_record_becomes_a_page_and_a_picture(kind: Kind, run: Run, tmp_path: Path) -> None:
    save_game_record(macro_record(480, kind, "two_base"), tmp_path / "game.terrarium")
    code, out, err = run("game.terrarium")
    assert (code, err) == (0, "")
    assert out.startswith("game.html (")
    assert (tmp_path / "game.html").stat().st_size < 1_000_000
    assert run("game.terrarium", "--png", "x.png", "--at", "10")[0] == 0
    with Image.open(tmp_path / "x.png") as image:
        image.verify()


def test_what_is_wrong_is_said_in_one_line(run: Run, tmp_path: Path) -> None:
    content = game_bytes(macro_record(480, "exact", "two_base"))
    (tmp_path / "game.terrarium").write_bytes(content)
    (tmp_path / "bad.terrarium").write_bytes(
        forged(content, header=lambda header: header.update(races=["Terran", "Human"]))
    )
    (tmp_path / "cut.terrarium").write_bytes(content[:-5])
    for line, expected in (
        ("game.terrarium --seed 3", "game.terrarium: a record has its own seed"),
        ("game.terrarium --png x.png --at 99", "at is 99 s; the game lasts from 0 to 21.4 s"),
        ("bad.terrarium", 'bad.terrarium: its map cannot be used: race "Human"'),
        ("cut.terrarium", "cut.terrarium: the record is damaged: its length is not the one"),
    ):
        code, out, err = run(*line.split())
        assert err.startswith(f"terrarium: {expected}"), err
        assert err.count("\n") == 1
        assert (code, out) == (2, "")


def test_a_file_says_itself_whether_it_holds_a_game(tmp_path: Path) -> None:
    record = macro_record(480, "light", "two_base")
    save_game_record(record, tmp_path / "game.terrarium")
    replay = load_replay(tmp_path / "game.terrarium")
    assert isinstance(replay, GameReplay)
    assert replay.frames.about == game_frames_of(record).about
    replay.save(tmp_path / "again.terrarium")
    assert (tmp_path / "again.terrarium").read_bytes() == game_bytes(record)
