"""Pictures of episodes show what the record holds."""

from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from terrarium.replay.episodes.episode_frames import PICTURE_WIDTH
from terrarium.replay.episodes.episode_picture import (
    CONTRAST,
    WIDTH,
    EpisodePainter,
    encode_picture,
    save_episode_gif,
    save_episode_png,
    step_at,
    visible,
)
from terrarium.replay.episodes.episode_record import EpisodeRecord
from terrarium.replay.errors import ReplayError
from terrarium.replay.pictures.palette import Scheme, palette
from tests.replay.episodes import HUNTER, PREY, chase, slides

Color = tuple[int, int, int]


def where(image: Image.Image, color: Color) -> np.ndarray:
    """The middle (x, y) of all pixels of a color."""
    rows, columns = np.nonzero((np.asarray(image.convert("RGB")) == color).all(axis=-1))
    assert len(rows) > 50, f"nothing is {color}"
    return np.array([columns.mean(), rows.mean()])


def test_the_prey_runs_to_the_right_and_up_is_up() -> None:
    painter = EpisodePainter(chase())
    first, last = painter.paint(1), painter.paint(20)
    moved = where(last, PREY) - where(first, PREY)
    scale = (WIDTH - 80) / 2.15  # the width of the episode, from the left hunter to the prey's end
    assert moved == pytest.approx([0.95 * scale, 0.0], abs=2.0)  # two pixels: drawn twice as fine
    record = chase()
    assert record.particles is not None
    higher = record.particles.positions.copy()
    higher[20, 2, 1] = 0.3
    raised = replace(record, particles=replace(record.particles, positions=higher))
    assert where(EpisodePainter(raised).paint(20), PREY)[1] < where(last, PREY)[1] - 50


def test_who_has_left_is_not_drawn() -> None:
    record = chase()
    present = record.present.copy()
    present[10:, 2] = False
    painter = EpisodePainter(replace(record, present=present))
    where(painter.paint(9), PREY)
    with pytest.raises(AssertionError, match="nothing is"):
        where(painter.paint(10), PREY)
    where(painter.paint(10), HUNTER)


def test_a_png_is_of_the_second_that_was_named(tmp_path: Path) -> None:
    file = tmp_path / "moment.png"
    assert save_episode_png(chase(), file, 2.0) == file.stat().st_size < 60_000
    with Image.open(file) as image:
        assert image.width == WIDTH
        assert image.convert("RGB").tobytes() == EpisodePainter(chase()).paint(20).tobytes()
    assert step_at(chase(), 0.0) == 0
    assert step_at(chase(), 0.52) == 5
    with pytest.raises(ReplayError, match=r"at is 2\.1 s; the episode lasts from 0 to 2\.0 s"):
        save_episode_png(chase(), file, 2.1)
    with pytest.raises(ReplayError, match="at is nan s"):
        save_episode_png(chase(), file, float("nan"))


@pytest.mark.parametrize(("record", "n_pictures"), [(chase(), 21), (slides(), 8)])
def test_a_gif_shows_every_step(record: EpisodeRecord, n_pictures: int, tmp_path: Path) -> None:
    file = tmp_path / "episode.gif"
    told: list[float] = []
    assert save_episode_gif(record, file, told.append) == file.stat().st_size
    assert told[-1] == 1.0
    with Image.open(file) as image:
        # Equal pictures that follow each other are joined; these differ by the step in the title.
        assert image.n_frames == n_pictures
        assert image.size[0] == 640


def test_an_environment_that_draws_itself_is_shown_by_its_own_pictures() -> None:
    painter = EpisodePainter(slides(n_steps=7, every=2))
    for step, red in ((0, 0), (1, 0), (2, 20), (5, 40), (7, 70)):
        shown = painter.paint(step).convert("RGB")
        assert shown.getpixel((shown.width // 2, shown.height - 20)) == (red, 0, 0)


def test_large_pictures_become_small_and_few_colors_stay_exact() -> None:
    board = np.zeros((600, 960, 3), np.uint8)
    board[:, 480:] = (200, 100, 50)
    content = encode_picture(board)
    with Image.open(BytesIO(content)) as image:
        assert (image.format, image.size) == ("PNG", (PICTURE_WIDTH, 300))
        assert image.convert("RGB").getpixel((400, 100)) == (200, 100, 50)
    noise = np.random.default_rng(0).integers(0, 256, (90, 90, 3)).astype(np.uint8)
    with Image.open(BytesIO(encode_picture(noise))) as image:
        assert (image.format, image.size) == ("JPEG", (90, 90))
    tall = encode_picture(np.zeros((4000, 10, 3), np.uint8))
    with Image.open(BytesIO(tall)) as image:
        assert image.height == 1200


def test_a_damaged_picture_is_told_in_one_line() -> None:
    record = slides()
    cut = tuple(picture[:60] for picture in record.pictures)
    with pytest.raises(ReplayError, match="a picture of the record is damaged"):
        EpisodePainter(replace(record, pictures=cut)).paint(0)


@pytest.mark.parametrize("scheme", ["dark", "light"])
@pytest.mark.parametrize("color", [(64, 64, 64), (0, 0, 0), (255, 255, 255), (153, 255, 153)])
def test_every_color_can_be_told_from_the_ground(scheme: Scheme, color: Color) -> None:
    def light(text: str) -> float:
        parts = np.array([int(text[at : at + 2], 16) / 255 for at in (1, 3, 5)])
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return float(linear @ [0.2126, 0.7152, 0.0722]) + 0.05

    ground = palette(scheme)["void"]
    shown, below = light(visible(np.array(color, np.uint8), ground)), light(ground)
    assert max(shown, below) / min(shown, below) >= CONTRAST - 0.01  # rounded to whole colors
