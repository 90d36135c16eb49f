"""The page of a whole game in a real browser: what a person sees is what the record holds."""

from pathlib import Path

import numpy as np
import pytest

from terrarium.replay.games.game_frames import LINES, GameFrames
from terrarium.replay.games.game_page import save_game_page
from terrarium.replay.names import spoken
from tests.replay.browser import Browser
from tests.replay.games.test_game_page import frames, titled
from tests.replay.test_viewer import HOSTILE

pytestmark = pytest.mark.slow

TICKS = 10_400


def opened(browser: Browser, game: GameFrames, folder: Path, fragment: str = "") -> GameFrames:
    file = folder / "game.html"
    save_game_page(game, file)
    browser.open(file, fragment)
    return game


@pytest.fixture(scope="module")
def game() -> GameFrames:
    return frames(TICKS, "ladder/3", ("Terran", "Protoss"))


def seek(browser: Browser, tick: float) -> None:
    browser.run("window.terrarium.seek(arguments[0])", tick)


def test_it_plays_and_stops(browser: Browser, game: GameFrames, tmp_path: Path) -> None:
    opened(browser, game, tmp_path)
    browser.click("begin")
    browser.wait(lambda: browser.state()["tick"] > 10, "time advances")
    browser.press(" ")
    stopped = browser.state()
    assert not stopped["playing"]
    for _ in range(9):
        browser.press("]")
    assert browser.state()["speed"] == 32
    seek(browser, TICKS - 1000)
    browser.click("play")
    browser.wait(lambda: not browser.state()["playing"], "the game is over")
    assert browser.state()["tick"] == browser.state()["lastTick"] == TICKS
    assert browser.text("result") == "Macro wins"


def test_every_unit_is_where_the_record_has_it(
    browser: Browser, game: GameFrames, tmp_path: Path
) -> None:
    opened(browser, game, tmp_path)
    # Forwards, backwards, and far away: the page keeps in mind where it was.
    for sample in (0, 700, 703, 690, len(game.ticks) - 1, 20):
        seek(browser, int(game.ticks[sample]))
        shown = {unit["slot"]: unit for unit in browser.state()["units"]}
        there = (game.lives["born"] <= sample) & (sample < game.lives["ended"])
        there &= game.at("inside", sample)[:, 0] == 0
        assert sorted(shown) == np.flatnonzero(there).tolist()
        place, hp = game.at("place", sample), game.at("hp", sample)[:, 0]
        kinds, flags = game.at("kind", sample)[:, 0], game.at("flags", sample)[:, 0]
        for slot, unit in shown.items():
            assert abs(unit["x"] - place[slot, 0]) < 1e-6
            assert abs(unit["y"] - place[slot, 1]) < 1e-6
            assert abs(unit["hp"] - hp[slot]) < 1e-6
            assert (unit["kind"], unit["flags"]) == (kinds[slot], flags[slot])


def test_the_numbers_of_the_players_are_those_of_the_record(
    browser: Browser, game: GameFrames, tmp_path: Path
) -> None:
    opened(browser, game, tmp_path)
    at = len(game.curve_samples) // 2
    seek(browser, int(game.ticks[game.curve_samples[at]]))
    cards = browser.run(
        "return [...document.querySelectorAll('#players .army')].map(card =>"
        " [...card.querySelectorAll('.icon')].map(cell => cell.textContent))"
    )
    for player, card in enumerate(cards):
        values = {name: int(curve[player, at]) for name, curve in game.curves.items()}
        army = values["army_minerals"] + values["army_vespene"]
        assert card == [
            f"{values['minerals']:,}",
            f"{values['vespene']:,}",
            f"{values['supply_used']}/{values['supply_cap']}",
            str(values["workers"]),
            f"{army:,}",
        ]


def test_production_is_shown_with_its_progress(
    browser: Browser, game: GameFrames, tmp_path: Path
) -> None:
    opened(browser, game, tmp_path)
    sample = 900
    seek(browser, int(game.ticks[sample]))
    (first, *_), _ = browser.state()["production"]
    shares = [game.at(name, sample)[:, 0] for name in ("first_item", "second_item", "built")]
    assert 0.0 < first["share"] <= 1.0
    assert np.abs(np.concatenate(shares) - first["share"]).min() <= 2 * LINES["built"].error
    words = browser.run("return document.querySelector('#players .making').innerText")
    assert first["title"] in words
    assert f"{int(100 * first['share'])} %" in words


def test_a_click_on_a_structure_shows_its_queue(
    browser: Browser, game: GameFrames, tmp_path: Path
) -> None:
    opened(browser, game, tmp_path)
    sample = 900
    seek(browser, int(game.ticks[sample]))
    queues, owners = game.at("queue", sample)[:, 0], game.at("owner", sample)[:, 0]
    busy = int(np.flatnonzero((queues > 0) & (owners == 1))[0])
    at = browser.run("return window.terrarium.place(arguments[0])", busy)
    browser.click_at(at["x"], at["y"])
    assert browser.state()["selected"] == busy
    kind = game.types[int(game.at("kind", sample)[busy, 0])]
    assert browser.text("unit-name") == spoken(kind.name)
    assert "Macro" in browser.text("unit-slot")
    queue = game.queues[int(queues[busy])]
    assert len(browser.text("unit-making").splitlines()) >= len(queue)
    assert browser.text("unit-making").count("%") >= 1
    browser.press("escape")
    assert browser.text("unit-name") == ""


def test_a_field_tells_what_is_left(browser: Browser, game: GameFrames, tmp_path: Path) -> None:
    opened(browser, game, tmp_path)
    sample = 1200
    seek(browser, int(game.ticks[sample]))
    roles = np.array([kind.role for kind in game.types])
    is_field = roles[game.at("kind", sample)[:, 0].astype(int)] == "minerals"
    left = game.at("contents", sample)[:, 0]
    mined = int(np.flatnonzero(is_field & (left > 0))[left[is_field & (left > 0)].argmin()])
    browser.run("window.terrarium.select(arguments[0])", mined)
    assert int(browser.text("unit-contents").replace(",", "")) == round(left[mined])


def test_fights_are_jumped_to(browser: Browser, game: GameFrames, tmp_path: Path) -> None:
    opened(browser, game, tmp_path)
    assert game.fights
    first = game.fights[0]
    browser.press("n")
    state = browser.state()
    assert 0 < game.ticks[first.first] - state["tick"] < 60
    assert np.hypot(state["middle"][0] - first.x, state["middle"][1] - first.y) < 0.1
    assert state["scale"] >= 10
    browser.press("0")
    if len(game.fights) > 1:
        browser.click("fight-next")
        assert browser.state()["tick"] > state["tick"]
        browser.press("p")
        assert browser.state()["tick"] < game.ticks[game.fights[1].first]


def test_the_eyes_of_a_player_see_no_more_than_the_player(
    browser: Browser, game: GameFrames, tmp_path: Path
) -> None:
    opened(browser, game, tmp_path)
    sample = 500
    seek(browser, int(game.ticks[sample]))
    everybody = set(browser.state()["shown"])
    owners, flags = game.at("owner", sample)[:, 0], game.at("flags", sample)[:, 0].astype(int)
    widths = np.array([kind.width for kind in game.types])[
        game.at("kind", sample)[:, 0].astype(int)
    ]
    for player in (1, 2):
        browser.press("f")
        assert browser.state()["eyes"] == player
        assert browser.text("eyes") == f"{game.about.players[player - 1]}'s eyes"
        shown = browser.state()["shown"]
        assert set(shown) < everybody
        for slot in shown:
            seen = flags[slot] >> 10 + player & 1
            assert owners[slot] == player or seen or widths[slot]
        mine = np.flatnonzero(owners == player).tolist()
        assert set(mine) & everybody <= set(shown)
    browser.press("f")
    assert browser.state()["eyes"] == 0


def test_curves_and_the_small_map_can_be_clicked(
    browser: Browser, game: GameFrames, tmp_path: Path
) -> None:
    opened(browser, game, tmp_path)
    browser.press("c")
    assert browser.state()["metric"] == "supply"
    box = browser.run("return document.getElementById('timeline').getBoundingClientRect().toJSON()")
    browser.click_at(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert abs(browser.state()["tick"] - TICKS / 2) < TICKS / 100
    box = browser.run("return document.getElementById('minimap').getBoundingClientRect().toJSON()")
    x0, y0, x1, y1 = game.map.playable
    browser.click_at(box["x"] + box["width"] / 4, box["y"] + box["height"] / 4)
    x, y = browser.state()["middle"]
    assert abs(x - (x0 + (x1 - x0) / 4)) < 3
    assert abs(y - (y1 - (y1 - y0) / 4)) < 3


def test_it_opens_where_its_address_says(
    browser: Browser, game: GameFrames, tmp_path: Path
) -> None:
    opened(browser, game, tmp_path, "#t=60&unit=3&eyes=2")
    state = browser.state()
    assert abs(state["tick"] - 60 * 22.4) < 1e-6
    assert (state["selected"], state["eyes"]) == (3, 2)


def test_on_a_phone_nothing_is_cut_off_and_fingers_work(
    browser: Browser, game: GameFrames, tmp_path: Path
) -> None:
    browser.emulate(390, 844, phone=True)
    opened(browser, game, tmp_path)
    wide = "return document.documentElement.scrollWidth"
    assert browser.run(wide) <= 390
    for element in ("players", "minimap", "timeline", "metrics", "fights", "zoom", "speed"):
        box = browser.run(
            "return document.getElementById(arguments[0]).getBoundingClientRect().toJSON()", element
        )
        assert box["left"] >= 0, element
        assert box["right"] <= 390, element
        assert box["bottom"] <= 844, element
    before = browser.state()["scale"]
    browser.pinch((195, 400), 30, 90)
    assert browser.state()["scale"] > 1.5 * before
    browser.click("fit")
    assert browser.state()["scale"] == pytest.approx(before)


def test_a_hostile_title_is_shown_as_it_is(browser: Browser, tmp_path: Path) -> None:
    opened(browser, titled(HOSTILE), tmp_path)
    assert browser.text("title") == HOSTILE


def test_scrubbing_is_smooth(browser: Browser, game: GameFrames, tmp_path: Path) -> None:
    """A drawing takes a small part of the sixtieth of a second that it may take."""
    opened(browser, game, tmp_path)
    times = []
    for tick in (0, 5000, 100, 3000, 4900):
        seek(browser, tick)
        times.append(browser.run("return window.terrarium.measure(5)"))
    assert np.median(times) < 50, times  # leaves room for a busy machine
