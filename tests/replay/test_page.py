"""The page is one file that needs nothing but itself."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from terrarium.replay.frames import Frames, UnitType
from terrarium.replay.names import glyphs, result_of
from terrarium.replay.page import page
from terrarium.replay.pictures.palette import palette
from tests.replay.battles import frames

HOSTILE = "</script><script>alert(1)</script><b>&amp; {{script}} \u2028 'quoted\""


class Tags(HTMLParser):
    """What a browser would find."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.links: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "action")]


def titled(title: str) -> Frames:
    battle = frames("smac/3m")
    return replace(battle, about=replace(battle.about, title=title, scenario_title=title))


def test_it_refers_to_nothing_outside() -> None:
    text = page(frames("smac/MMM2"))
    assert not re.search(r"https?:|//[a-z]+\.|@import|url\(", text)
    assert Tags(text).links == ["data:,"]
    assert "default-src 'none'" in text


def test_a_hostile_title_stays_a_title() -> None:
    text = page(titled(HOSTILE))
    assert "alert(1)</script>" not in text
    assert Tags(text).found == Tags(page(titled("Peace"))).found
    assert text.count("</script>") == 2


def test_a_large_battle_is_a_small_file() -> None:
    assert len(page(frames("smac/2c_vs_64zg")).encode()) < 150_000


def test_the_same_battle_is_the_same_page() -> None:
    assert page(frames()) == page(frames())


def test_both_schemes_name_the_same_colors() -> None:
    assert palette("dark").keys() == palette("light").keys()
    colors = (*palette("dark").values(), *palette("light").values())
    assert all(re.fullmatch("#[0-9a-f]{6}", color) for color in colors)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["zealot", "stalker"], ["Z", "S"]),
        (["marine", "marauder", "medivac"], ["Mn", "Ma", "Me"]),
        (["zealot", "zergling"], ["Za", "Zr"]),
        (["siege_tank", "siege_tank_sieged", "marine"], ["ST", "SS", "M"]),
    ],
)
def test_each_type_has_letters_of_its_own(names: list[str], expected: list[str]) -> None:
    types = [UnitType(name, 0.5, 50.0, 0.0, 0.0, 5.0, 9.0, False) for name in names]
    assert glyphs(types) == expected


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        ("win", ("Allies win", "ally")),
        ("loss", ("Enemies win", "enemy")),
        ("draw", ("Draw", "")),
        ("timeout", ("Time is up", "")),
        ("unknown", ("Allies win", "ally")),  # nobody else is left
    ],
)
def test_the_result_is_told(outcome: str, expected: tuple[str, str]) -> None:
    battle = frames("smac/3m")
    assert result_of(replace(battle, about=replace(battle.about, outcome=outcome))) == expected
