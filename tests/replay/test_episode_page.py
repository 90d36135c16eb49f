"""The page of an episode: one file, and in a real browser what the record holds."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from terrarium.replay.episodes.episode_page import episode_page, save_episode_page
from terrarium.replay.episodes.episode_record import EpisodeRecord
from tests.replay.browser import Browser
from tests.replay.episodes import N_STEPS, chase, slides
from tests.replay.test_page import HOSTILE, Tags


def opened(browser: Browser, record: EpisodeRecord, folder: Path, fragment: str = "") -> None:
    file = folder / "episode.html"
    save_episode_page(record, file)
    browser.open(file, fragment)


def seek(browser: Browser, step: float) -> None:
    browser.run("window.terrarium.seek(arguments[0])", step)


def table(browser: Browser) -> list[list[str]]:
    script = "return [...document.querySelectorAll('#agents tbody tr')].map((row) => row.innerText)"
    return [str(line).split("\t") for line in browser.run(script)]


@pytest.mark.parametrize("record", [chase(), slides()])
def test_it_refers_to_nothing_outside(record: EpisodeRecord) -> None:
    text = episode_page(record)
    assert not re.search(r"https?:|//[a-z]+\.|@import|url\(", text)
    assert Tags(text).links == ["data:,"]
    assert "default-src 'none'" in text
    assert "{{" not in text
    assert len(text) < 60_000
    assert episode_page(record) == text


def test_hostile_texts_stay_texts() -> None:
    record = chase(title=HOSTILE)
    assert record.particles is not None
    name = HOSTILE.replace("\u2028", "")  # a name has one line
    things = tuple(replace(thing, name=name) for thing in record.particles.things)
    agents = tuple(f"{name}{a}" for a in range(3))
    hostile = replace(record, agents=agents, particles=replace(record.particles, things=things))
    text = episode_page(hostile)
    assert "alert(1)</script>" not in text
    assert Tags(text).found == Tags(episode_page(chase())).found
    assert text.count("</script>") == 2


def test_hostile_texts_are_shown_as_they_are(browser: Browser, tmp_path: Path) -> None:
    title = '</script><img src=x onerror=alert(1)> & "quotes" {{script}} ü'
    record = replace(chase(title=title), teams=((title, (0, 1)), ("prey", (2,))))
    opened(browser, record, tmp_path)
    assert browser.text("title") == title
    assert table(browser)[0][0] == f"{title} mean"
    assert browser.run("return document.querySelectorAll('img').length") == 0


def test_it_plays_when_the_button_or_the_space_bar_is_pressed(
    browser: Browser, tmp_path: Path
) -> None:
    opened(browser, chase(), tmp_path)
    assert (browser.text("time"), browser.text("step")) == ("0:00.0", "0 / 20")
    browser.click("begin")
    browser.wait(lambda: browser.state()["step"] > 1, "time advances")
    browser.press(" ")
    stopped = browser.state()
    assert not stopped["playing"]
    assert browser.state()["step"] == stopped["step"]
    for _ in range(3):
        browser.press("]")
    assert browser.state()["speed"] == 8
    browser.click("play")
    browser.wait(lambda: not browser.state()["playing"], "the episode is over")
    assert browser.state()["step"] == N_STEPS
    assert browser.text("time") == "0:02.0"


def test_keys_and_the_time_axis_lead_to_steps(browser: Browser, tmp_path: Path) -> None:
    opened(browser, chase(), tmp_path, "#step=7")
    assert browser.state()["step"] == 7
    browser.press("right")
    assert browser.state()["step"] == 8
    browser.press("left")
    browser.press("left")
    assert browser.state()["step"] == 6
    seek(browser, 6.5)
    browser.press("left")
    assert browser.state()["step"] == 6
    browser.press("end")
    assert browser.state()["step"] == N_STEPS
    box = browser.run("return document.getElementById('timeline').getBoundingClientRect().toJSON()")
    middle = box["x"] + 52 + (box["width"] - 60) / 2  # between the axis and the right edge
    browser.click_at(middle, box["y"] + 40)
    assert browser.state()["step"] == pytest.approx(N_STEPS / 2, abs=0.05)  # of whole pixels


def test_the_table_holds_the_numbers_of_the_record(browser: Browser, tmp_path: Path) -> None:
    opened(browser, chase(), tmp_path)
    assert table(browser) == [
        ["hunter mean", "", "–", "0"],  # noqa: RUF001 - the page writes a dash, not a minus
        ["hunter_0", "", "–", "0"],  # noqa: RUF001
        ["hunter_1", "", "–", "0"],  # noqa: RUF001
        ["prey_0", "", "–", "0"],  # noqa: RUF001
    ]
    seek(browser, 7.4)
    assert table(browser) == [
        ["hunter mean", "", "1.50", "10.50"],
        ["hunter_0", "", "1.00", "7.00"],
        ["hunter_1", "", "2.00", "14.00"],
        ["prey_0", "B", "−0.50", "−3.50"],  # noqa: RUF001 - a minus as wide as the digits
    ]
    assert browser.text("result") == "Mean return 16.67"
    assert browser.text("meta") == "mpe/chase · seed 9223372036854775809 · 20 steps · 3 agents"


def test_particles_are_drawn_where_they_are_and_up_is_up(browser: Browser, tmp_path: Path) -> None:
    opened(browser, chase(), tmp_path)
    seek(browser, 10.5)
    places = {
        name: browser.run("return window.terrarium.place(arguments[0])", name)
        for name in ("hunter_0", "hunter_1", "prey_0", "rock")
    }
    assert places["hunter_0"]["y"] < places["prey_0"]["y"] < places["hunter_1"]["y"]
    unit = places["hunter_1"]["y"] - places["hunter_0"]["y"]  # they are 1 apart
    # Half way between two steps, it is half way between two places.
    assert places["prey_0"]["x"] - places["hunter_0"]["x"] == pytest.approx(1.525 * unit, abs=0.5)
    browser.wait(lambda: browser.state()["boxes"] != [], "the names are drawn")
    file = tmp_path / "shot.png"
    browser.screenshot(file)
    with Image.open(file) as image:
        at = places["prey_0"]
        assert image.convert("RGB").getpixel((round(at["x"]), round(at["y"]))) == (89, 217, 89)


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 780)])
def test_no_text_covers_another(browser: Browser, tmp_path: Path, width: int, height: int) -> None:
    record = chase()
    assert record.particles is not None
    crowd = record.particles.positions.copy()
    crowd[:, 1] = crowd[:, 2] + [0.05, 0.0]  # a hunter on the prey
    opened(browser, replace(record, particles=replace(record.particles, positions=crowd)), tmp_path)
    browser.emulate(width, height, phone=width < 640)
    for step in range(0, N_STEPS + 1, 4):
        browser.run("window.terrarium.seek(arguments[0]); return 0", step)
        browser.run("return new Promise((done) => requestAnimationFrame(() => done(0)))")
        boxes = browser.state()["boxes"]
        assert len(boxes) >= 4
        for n, one in enumerate(boxes):
            for other in boxes[:n]:
                beside = abs(one["left"] + one["width"] / 2 - other["left"] - other["width"] / 2)
                above = abs(one["top"] + one["height"] / 2 - other["top"] - other["height"] / 2)
                apart = beside >= (one["width"] + other["width"]) / 2 - 0.01
                assert apart or above >= (one["height"] + other["height"]) / 2 - 0.01
    wide = "return document.documentElement.scrollWidth <= window.innerWidth"
    assert browser.run(wide)


def test_names_can_be_switched_off(browser: Browser, tmp_path: Path) -> None:
    opened(browser, chase(), tmp_path, "#step=3")
    browser.wait(lambda: len(browser.state()["boxes"]) == 5, "four names and a message are there")
    browser.press("n")
    browser.wait(lambda: len(browser.state()["boxes"]) == 1, "only the message is left")
    browser.click("labels")
    browser.wait(lambda: len(browser.state()["boxes"]) == 5, "the names are back")


def test_an_environment_that_draws_itself_is_shown_by_its_pictures(
    browser: Browser, tmp_path: Path
) -> None:
    opened(browser, slides(n_steps=7, every=2), tmp_path)
    assert "every 2nd step is shown" in browser.text("note")
    assert browser.text("labels") == ""
    for step, picture, red in ((0, 0, 0), (3, 1, 20), (6, 3, 60), (7, 4, 70)):
        seek(browser, step)
        browser.wait(lambda: browser.state()["picture"] == picture, "the picture is chosen")  # noqa: B023
        file = tmp_path / "shot.png"

        def color(file: Path = file) -> tuple[int, ...]:
            browser.screenshot(file)
            with Image.open(file) as image:
                return tuple(np.asarray(image.convert("RGB"))[300, 460].tolist())

        browser.wait(lambda: color() == (red, 0, 0), f"it is as red as step {step}")  # noqa: B023
    gone = "return [...document.querySelectorAll('#agents .gone')].map((row) => row.innerText)"
    assert [line.split("\t")[0] for line in browser.run(gone)] == ["archer_0"]


def test_a_page_of_an_episode_without_steps_can_be_opened(browser: Browser, tmp_path: Path) -> None:
    opened(browser, chase(n_steps=0), tmp_path)
    assert browser.text("step") == "0 / 0"
    browser.click("begin")
    browser.wait(lambda: not browser.state()["playing"], "it is over at once")
