"""The page of a whole game is one file that needs nothing but itself."""

import re
from dataclasses import replace

import pytest

from terrarium.replay.games.game_file import game_bytes
from terrarium.replay.games.game_frames import GameFrames
from terrarium.replay.games.game_page import game_page, letters_of, result_words
from terrarium.replay.games.game_record import LightGameRecord
from tests.replay.games.macro_game import macro_record
from tests.replay.test_page import HOSTILE, Tags


def frames(
    ticks: int = 480, where: str = "two_base", races: tuple[str, str] = ("Terran", "Zerg")
) -> GameFrames:
    record = macro_record(ticks, "light", where, races)
    assert isinstance(record, LightGameRecord)
    return record.frames


def titled(title: str) -> GameFrames:
    game = frames()
    return replace(game, about=replace(game.about, title=title, players=(title, title)))


def test_it_refers_to_nothing_outside() -> None:
    text = game_page(frames())
    assert not re.search(r"https?:|//[a-z]+\.|@import|url\(", text)
    assert Tags(text).links == ["data:,"]
    assert "default-src 'none'" in text


def test_a_hostile_title_stays_a_title() -> None:
    text = game_page(titled(HOSTILE))
    assert "alert(1)</script>" not in text
    assert Tags(text).found == Tags(game_page(titled("Peace"))).found
    assert text.count("</script>") == 2


def test_the_same_game_is_the_same_page() -> None:
    assert game_page(frames()) == game_page(frames())


def test_every_type_has_a_sign() -> None:
    game = frames()
    letters = letters_of(game.types)
    assert all(1 <= len(sign) <= 3 for sign in letters)
    moving = [sign for sign, thing in zip(letters, game.types, strict=True) if not thing.width]
    assert len(set(moving)) == len(moving)


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        (("victory", "defeat"), ("Macro wins", 1)),
        (("defeat", "victory"), ("Rival wins", 2)),
        (("victory", "victory"), ("Macro and Rival win", 1)),
        (("tie", "tie"), ("Tie", 0)),
        (("undecided", "undecided"), ("Undecided", 0)),
    ],
)
def test_the_result_is_told(results: tuple[str, ...], expected: tuple[str, int]) -> None:
    game = frames()
    assert result_words(replace(game, about=replace(game.about, results=results))) == expected


@pytest.mark.slow
def test_twenty_minutes_are_a_small_file() -> None:
    """26,880 ticks of two scripts with structures, upgrades, waves of attacks and fights."""
    record = macro_record(26_880, races=("Terran", "Protoss"))
    assert isinstance(record, LightGameRecord)
    game = record.frames
    assert len(game.lives) > 500
    assert len(game.losses) > 150
    assert len(game.fights) > 5
    assert len(game_bytes(record)) < 3_000_000
    assert len(game_page(game).encode()) < 5_000_000
