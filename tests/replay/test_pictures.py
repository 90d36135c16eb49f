"""Pictures show the battle that the page shows."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from terrarium.replay.errors import ReplayError
from terrarium.replay.names import TICKS_PER_S_PLAYED
from terrarium.replay.pictures.animation import MAX_PICTURES, save_gif
from terrarium.replay.pictures.ground import fit
from terrarium.replay.pictures.palette import palette
from terrarium.replay.pictures.picture import WIDTH, Painter, fight_middle, sample_at, save_png
from tests.replay import drill
from tests.replay.battles import frames

pytestmark = pytest.mark.slow


def n_pixels(image: Image.Image, color: str) -> int:
    rgb = tuple(int(color[i : i + 2], 16) for i in (1, 3, 5))
    return sum(count for count, found in image.getcolors(1 << 24) or [] if found == rgb)


@pytest.mark.parametrize("scenario", ["smac/3m", "smac/2c_vs_64zg", "smacv2/terran_10_vs_10"])
def test_a_png_shows_both_armies(scenario: str, tmp_path: Path) -> None:
    file = tmp_path / "fight.png"
    size = save_png(frames(scenario), file)
    assert size == file.stat().st_size < 200_000
    with Image.open(file) as image:
        assert image.width == 1200
        assert 500 < image.height < 1100
        picture = image.convert("RGB")
    colors = palette("dark")
    for name in ("ally", "enemy", "ally_body", "enemy_body"):
        assert n_pixels(picture, colors[name]) > 100, name


def test_who_has_fallen_is_not_drawn() -> None:
    battle = frames("smac/3m")
    first, last = (Painter(battle).paint(k).convert("RGB") for k in (0, len(battle.ticks) - 1))
    body = palette("dark")["enemy_body"]
    assert n_pixels(first, body) > 100
    assert n_pixels(last, body) == 0


def test_light_pictures_are_light() -> None:
    battle = frames("smac/3m")
    dark, light = (Painter(battle, 300, s).paint(0).convert("L") for s in ("dark", "light"))
    assert dark.resize((1, 1)).getpixel((0, 0)) < 80 < 170 < light.resize((1, 1)).getpixel((0, 0))


def test_the_middle_of_the_fight_is_in_the_fight() -> None:
    battle = frames("smac/2s3z")
    life = battle.strength()[0].sum(axis=1)
    assert 0.4 < life[fight_middle(battle)] / life[0] < 0.7


def test_a_moment_is_named_in_seconds_of_the_page() -> None:
    battle = frames("smac/3m")
    end_s = battle.ticks[-1] / TICKS_PER_S_PLAYED
    assert sample_at(battle, 0.0) == 0
    assert abs(battle.ticks[sample_at(battle, 1.0)] - 22.4) <= 1.0  # every second tick is shown
    assert sample_at(battle, round(end_s, 1)) == len(battle.ticks) - 1
    for wrong in (-0.1, end_s + 1.0, float("nan")):
        with pytest.raises(ReplayError, match="the battle lasts from 0 to"):
            sample_at(battle, wrong)


def test_a_gif_moves_and_ends(tmp_path: Path) -> None:
    shares: list[float] = []
    size = save_gif(frames("smac/3m"), tmp_path / "fight.gif", shares.append)
    assert size == (tmp_path / "fight.gif").stat().st_size < 1_500_000
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    with Image.open(tmp_path / "fight.gif") as image:
        assert image.width == 640
        assert 30 < image.n_frames <= MAX_PICTURES
        first = image.convert("RGB").tobytes()
        image.seek(image.n_frames - 1)
        assert image.info["duration"] == 1500
        assert image.convert("RGB").tobytes() != first


def test_pictures_show_what_abilities_do() -> None:
    battle, colors = drill.frames(), palette("dark")

    def painted(at_s: float) -> Image.Image:
        return Painter(battle).paint(sample_at(battle, at_s)).convert("RGB")

    calm, fight = painted(0.0), painted(2.5)
    for name in ("boost", "guard", "harm"):
        assert n_pixels(calm, colors[name]) == 0, name
        assert n_pixels(fight, colors[name]) > 50, name
    # A storm only tints the ground: where nobody stands in it, it is lighter than before.
    camera = fit(battle, 2 * WIDTH, 104)
    x, y = (round(pixel / 2) for pixel in camera.pixel(12.0, 13.6))
    before, then = (np.asarray(image)[y, x].sum(dtype=int) for image in (calm, painted(4.6)))
    assert then > before + 20
