"""The page in a real browser: what a person sees is what the record holds."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from terrarium.replay.frames import Frames
from terrarium.replay.names import title_of
from terrarium.replay.page import save_page
from terrarium.replay.playback import frames_of
from terrarium.replay.record import Recorder
from tests.replay import drill
from tests.replay.battles import frames, recorded
from tests.replay.browser import Browser

pytestmark = pytest.mark.slow

HOSTILE = '</script><img src=x onerror=alert(1)> & "quotes" {{script}} ü'


def opened(browser: Browser, battle: Frames, folder: Path, fragment: str = "") -> Frames:
    file = folder / "battle.html"
    save_page(battle, file)
    browser.open(file, fragment)
    return battle


def test_it_plays_when_the_button_or_the_space_bar_is_pressed(
    browser: Browser, tmp_path: Path
) -> None:
    opened(browser, frames("smac/3m"), tmp_path)
    assert browser.text("time") == "0:00.0"
    browser.click("begin")
    browser.wait(lambda: browser.state()["tick"] > 10, "time advances")
    assert browser.text("time") != "0:00.0"
    browser.press(" ")
    stopped = browser.state()
    assert not stopped["playing"]
    assert browser.state()["tick"] == stopped["tick"]
    for _ in range(3):
        browser.press("]")
    assert browser.state()["speed"] == 8
    browser.click("play")
    browser.wait(lambda: not browser.state()["playing"], "the battle is over")
    assert browser.state()["tick"] == browser.state()["lastTick"]


def test_the_numbers_of_the_armies_are_those_of_the_record(
    browser: Browser, tmp_path: Path
) -> None:
    battle = opened(browser, frames("smac/2c_vs_64zg"), tmp_path)
    life, n_alive = battle.strength()
    for k in (0, 40, len(battle.ticks) - 1):
        browser.run("window.terrarium.seek(arguments[0])", int(battle.ticks[k]))
        shown = [browser.text(f"{army}-alive") for army in ("allies", "enemies")]
        assert [int(text) for text in shown] == n_alive[k].tolist()
        for side, army in enumerate(("allies", "enemies")):
            # Life is stored in sixteenths: up to 1/32 for each unit, and half for rounding.
            allowed = 0.5 + battle.units.shape[1] / 32
            assert abs(int(browser.text(f"{army}-life")) - life[k, side]) <= allowed
    assert browser.text("result") == "Enemies win"
    assert browser.text("title") == battle.about.title
    assert f"seed {battle.about.seed}" in browser.text("meta")


def test_a_click_on_a_unit_shows_its_numbers(browser: Browser, tmp_path: Path) -> None:
    battle = opened(browser, frames("smac/MMM2"), tmp_path)
    k = 50
    browser.run("window.terrarium.seek(arguments[0])", int(battle.ticks[k]))
    sample = battle.units[k]
    step = int(np.searchsorted(battle.step_ticks(), battle.ticks[k], side="right")) - 1
    # Each from where nobody else is near enough to be meant.
    distance = np.hypot(*(sample[a][:, None] - sample[a] for a in "xy"))
    distance[:, ~sample["alive"]] = np.inf
    np.fill_diagonal(distance, np.inf)
    lonely = [u for u in np.flatnonzero(sample["alive"]).tolist() if distance[u].min() > 0.7]
    assert {0, 1} <= set(sample["side"][lonely].tolist())
    for slot in lonely[:3] + lonely[-2:]:
        at = browser.run("return window.terrarium.place(arguments[0])", slot)
        browser.click_at(at["x"], at["y"])
        assert browser.state()["selected"] == slot
        unit, unit_type = sample[slot], battle.types[sample["kind"][slot]]
        assert browser.text("unit-name") == title_of(unit_type)
        assert browser.text("unit-slot") == f"#{slot} · {('ally', 'enemy')[unit['side']]}"
        now, most = browser.text("unit-hp").split(" / ")
        assert abs(int(now) - unit["hp"]) <= 0.6
        assert int(most) == unit_type.hp
        assert (browser.text("unit-energy") != "") == (unit_type.energy > 0)
        if unit["order"] == codes.ATTACK:
            target = battle.types[sample["kind"][unit["order_target"]]]
            expected = f"attack {title_of(target)} #{unit['order_target']}"
            assert browser.text("unit-order") == expected
        given = battle.commands[battle.commands["slot"] == slot]
        given = given[given["step"] <= step]
        action = browser.text("unit-action")
        assert (
            action.endswith(f"(step {given['step'][-1] + 1})") if len(given) else action == "none"
        )
    browser.press("escape")
    assert browser.text("unit-name") == ""


def test_positions_between_samples_are_interpolated(browser: Browser, tmp_path: Path) -> None:
    battle = opened(browser, frames("smac/2s3z"), tmp_path)
    k = 30
    browser.run("window.terrarium.seek(arguments[0])", float(battle.ticks[k] + 1))
    for unit in browser.state()["units"]:
        ends = battle.units[[k, k + 1], unit["slot"]]
        if ends["alive"].all():
            # Stored in 1/128 of a cell.
            assert abs(unit["x"] - ends["x"].mean()) < 0.01
            assert abs(unit["y"] - ends["y"].mean()) < 0.01
    n_missiles = [int((battle.missiles["sample"] == j).sum()) for j in range(len(battle.ticks))]
    k = int(np.argmax(n_missiles))
    browser.run("window.terrarium.seek(arguments[0])", int(battle.ticks[k]))
    assert len(browser.state()["missiles"]) == n_missiles[k] > 0


def test_the_slider_the_timeline_and_the_keys_move_through_time(
    browser: Browser, tmp_path: Path
) -> None:
    battle = opened(browser, frames("smac/3m"), tmp_path)
    first, last = int(battle.ticks[0]), int(battle.ticks[-1])
    box = browser.run("return document.getElementById('scrub').getBoundingClientRect().toJSON()")
    middle = box["y"] + box["height"] / 2
    browser.drag((box["x"] + 8, middle), (box["right"] - 2, middle))
    assert browser.state()["tick"] == last
    assert browser.text("step") == f"{len(battle.steps)} / {len(battle.steps)}"
    box = browser.run("return document.getElementById('timeline').getBoundingClientRect().toJSON()")
    browser.click_at(box["x"] + box["width"] / 2, box["y"] + 20)
    assert abs(browser.state()["tick"] - last / 2) < 1
    browser.click("field")
    browser.run("window.terrarium.seek(0)")
    browser.press("right")
    browser.press("right")
    assert browser.state()["tick"] == first + 16
    browser.press("left")
    assert browser.state()["tick"] == first + 8
    browser.press("end")
    assert browser.state()["tick"] == last
    browser.click("back")
    assert browser.state()["tick"] == last - 8


def test_tab_selects_one_unit_after_the_other(browser: Browser, tmp_path: Path) -> None:
    opened(browser, frames("smac/3m"), tmp_path, "#t=1.5&unit=4")
    assert browser.state()["selected"] == 4
    assert abs(browser.state()["tick"] - 1.5 * 22.4) < 1e-6
    for expected in (5, 0, 1):
        browser.press("tab")
        assert browser.state()["selected"] == expected


def test_wheel_and_drag_move_the_map(browser: Browser, tmp_path: Path) -> None:
    opened(browser, frames("smac/3m"), tmp_path)
    before = browser.run("return window.terrarium.place(0)")
    browser.drag((700, 500), (760, 470))
    moved = browser.run("return window.terrarium.place(0)")
    assert abs(moved["x"] - before["x"] - 60) < 8  # the first pixels decide that it is no click
    assert abs(moved["y"] - before["y"] + 30) < 8
    scale = browser.state()["scale"]
    browser.scroll(400, 500, -300)
    browser.wait(lambda: browser.state()["scale"] > 1.2 * scale, "the map is larger")
    browser.click("fit")
    assert browser.state()["scale"] == pytest.approx(scale)
    browser.click("help-open")
    assert "space" in browser.text("help")


def test_it_works_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    browser.emulate(390, 844, phone=True)
    battle = opened(browser, frames("smac/2s3z"), tmp_path)
    assert browser.run("return document.documentElement.scrollWidth") == 390
    for element in ("play", "speed", "scrub", "result", "title", "allies-alive"):
        box = browser.run(
            "return document.getElementById(arguments[0]).getBoundingClientRect().toJSON()", element
        )
        assert box["left"] >= 0
        assert box["right"] <= 390
        assert box["bottom"] <= 844
    browser.run("window.terrarium.seek(40)")
    at = browser.run("return window.terrarium.place(0)")
    browser.tap(at["x"], at["y"])
    assert browser.text("unit-name") == title_of(battle.types[battle.units["kind"][0, 0]])
    scale = browser.state()["scale"]
    browser.pinch((195, 300), 40, 80)
    assert browser.state()["scale"] == pytest.approx(2 * scale, rel=0.15)


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_it_follows_the_color_scheme(browser: Browser, tmp_path: Path, scheme: str) -> None:
    browser.emulate(1280, 800, scheme)
    opened(browser, frames("smac/3m"), tmp_path)
    red = browser.run(
        "const c = document.getElementById('field');"
        "return c.getContext('2d').getImageData(c.width / 2, c.height - 20, 1, 1).data[0]"
    )
    assert (red > 128) == (scheme == "light")


def test_a_hostile_title_is_only_text(browser: Browser, tmp_path: Path) -> None:
    battle = frames("smac/3m")
    opened(browser, replace(battle, about=replace(battle.about, title=HOSTILE)), tmp_path)
    assert browser.text("title") == HOSTILE
    assert browser.run("return document.title") == f"{HOSTILE} - Terrarium"
    assert browser.run("return document.images.length") == 0


def test_a_light_record_plays_as_well(browser: Browser, tmp_path: Path) -> None:
    battle = opened(browser, frames_of(recorded("smac/2s3z", kind="light")), tmp_path)
    browser.press("end")
    assert browser.text("enemies-alive") == str(battle.strength()[1][-1, 1])


def test_a_battle_without_a_step_is_shown(browser: Browser, tmp_path: Path) -> None:
    opened(browser, frames_of(Recorder(Simulator("smac/3m")).record()), tmp_path)
    browser.click("begin")
    browser.wait(lambda: not browser.state()["playing"], "it is over")
    assert browser.text("allies-alive") == "3"


def test_an_old_browser_gets_an_explanation(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "battle.html"
    save_page(frames("smac/3m"), file)
    text = file.read_text(encoding="utf-8")
    # Quietly: the console is checked after each test.
    text = text.replace('"use strict";', '"use strict"; console.error = () => {};')
    file.write_text(text.replace("typeof DecompressionStream", "typeof Nonsense"), encoding="utf-8")
    browser.open(file)
    assert "too old" in browser.text("message")


def seek(browser: Browser, tick: float, slot: int = codes.NO_UNIT) -> None:
    script = "window.terrarium.seek(arguments[0]); window.terrarium.select(arguments[1])"
    browser.run(script, tick, slot)


def shot(browser: Browser, folder: Path) -> Image.Image:
    """What the screen shows, once it has been drawn."""
    browser.run("return new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    browser.screenshot(folder / "shot.png")
    with Image.open(folder / "shot.png") as image:
        return image.convert("RGB")


def slot_of(battle: Frames, name: str) -> int:
    return [battle.types[kind].name for kind in battle.units["kind"][0]].index(name)


def test_what_lasts_is_shown_while_it_lasts(browser: Browser, tmp_path: Path) -> None:
    battle = opened(browser, drill.frames(), tmp_path)
    for tick in (20, 60, 100, 300):
        seek(browser, tick)
        shown = {
            (span["what"], span["skill"]["name"], span["slot"])
            for span in browser.state()["spans"]
            if not span["over"]
        }
        now = battle.spans[(battle.spans["tick"] <= tick) & (tick < battle.spans["until"])]
        kinds = ("buff", "cast", "morph", "lock", "area", "fall", "summon")
        assert shown == {
            (kinds[s["what"]], battle.skills[s["skill"]].name, int(s["slot"])) for s in now
        }
    assert "Infantry Weapons 2" in browser.text("allies-upgrades")
    assert browser.text("enemies-upgrades") == "Shields 1, Psi Storm Tech, Blink Tech"


def test_a_unit_tells_its_buffs_its_order_and_its_reason(browser: Browser, tmp_path: Path) -> None:
    battle = opened(browser, drill.frames(), tmp_path)
    marine, tank, medivac = (slot_of(battle, name) for name in ("marine", "siege_tank", "medivac"))
    seek(browser, 50, marine)
    assert browser.text("unit-why") == "stim, 4 stalkers in reach"
    assert browser.text("unit-state") == "Stimpack 10.3 s"
    assert browser.text("unit-action") == "Stimpack (step 6)"
    assert browser.text("unit-hp") == f"{round(float(battle.units['hp'][25, marine]))} / 55"
    assert browser.text("unit-cargo") == ""
    seek(browser, 20, tank)
    assert browser.text("unit-name") == "Siege Tank"
    assert browser.text("unit-order") == "changes form: Siege Mode to (8.5, 17.5)"
    seek(browser, 90, tank)
    assert browser.text("unit-name") == "Siege Tank Sieged"
    aboard = battle.units["inside"] == medivac  # [T, U]
    k = int(np.flatnonzero(aboard.any(axis=1))[0])
    passenger = int(np.flatnonzero(aboard[k])[0])
    seek(browser, int(battle.ticks[k]), medivac)
    assert browser.text("unit-cargo") == "1 Marine"
    seek(browser, int(battle.ticks[k]), passenger)
    assert browser.text("unit-order") == f"on board Medivac #{medivac}"
    assert browser.text("allies-alive") == str(battle.strength()[1][k, 0])


def test_the_latest_reasons_stand_beside_the_battlefield(browser: Browser, tmp_path: Path) -> None:
    opened(browser, drill.frames(), tmp_path)
    seek(browser, 47)
    lines = browser.text("story").splitlines()
    assert len(lines) == 6
    assert lines[0].startswith("1.8 s")
    assert any(line.endswith("4 Marine: stim, 4 stalkers in reach") for line in lines)
    browser.run("document.querySelector('#story li:last-child').click()")
    assert browser.state()["selected"] >= 0
    seek(browser, 0)
    assert "stim" not in browser.text("story")
    opened(browser, frames("smac/3m"), tmp_path)
    assert browser.text("story") == ""


def test_the_pointer_tells_what_is_under_it(browser: Browser, tmp_path: Path) -> None:
    battle = opened(browser, drill.frames(), tmp_path)
    seek(browser, 20)
    at = browser.run("return window.terrarium.place(arguments[0])", slot_of(battle, "widow_mine"))
    browser.hover(at["x"], at["y"])
    assert browser.text("tip").startswith("Widow Mine #")
    assert browser.text("tip").endswith("burrow")


def test_eyes_of_a_side_see_less(browser: Browser, tmp_path: Path) -> None:
    battle = opened(browser, drill.frames(), tmp_path)
    ghost = slot_of(battle, "ghost")
    seek(browser, 6)
    at = browser.run("return window.terrarium.place(arguments[0])", ghost)
    everybody = shot(browser, tmp_path)
    browser.press("f")
    assert (browser.text("eyes"), browser.state()["eyes"]) == ("Allies' eyes", 0)
    browser.click("eyes")
    assert (browser.text("eyes"), browser.state()["eyes"]) == ("Enemies' eyes", 1)
    theirs = shot(browser, tmp_path)
    box = (at["x"] - 12, at["y"] - 12, at["x"] + 12, at["y"] + 12)

    def blue(image: Image.Image) -> int:
        return int(np.asarray(image.crop(box))[..., 2].max())

    assert blue(theirs) < blue(everybody) - 40  # the cloaked Ghost all but disappears
    browser.press("f")
    assert browser.state()["eyes"] == -1


def test_a_stimmed_unit_glows(browser: Browser, tmp_path: Path) -> None:
    battle = opened(browser, drill.frames(), tmp_path)

    def n_red(tick: float) -> int:
        seek(browser, tick)
        at = browser.run("return window.terrarium.place(arguments[0])", slot_of(battle, "marine"))
        box = (
            at["x"] - 18,
            at["y"] - 18,
            at["x"],
            at["y"] + 18,
        )  # a Ravager's bile is on its right
        pixels = np.asarray(shot(browser, tmp_path).crop(box)).astype(int)
        return int(((pixels[..., 0] > 150) & (pixels[..., 2] < 130)).sum())

    assert n_red(46) > 4 * max(5, n_red(38))
    for tick in range(0, 480, 12):  # everything that happens can be drawn
        seek(browser, tick)
        shot(browser, tmp_path)


def test_the_panel_of_the_fallen_says_when_they_fell(browser: Browser, tmp_path: Path) -> None:
    battle = opened(browser, frames("smac/3m"), tmp_path)
    death = battle.deaths[0]
    browser.run("window.terrarium.seek(1e9)")
    browser.run("window.terrarium.select(arguments[0])", int(death["slot"]))
    panel = browser.run("return document.getElementById('panel').innerText")
    assert f" at 0:{death['tick'] / 22.4:04.1f}" in panel
