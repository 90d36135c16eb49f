"""Pictures of whole games show the players on top of the map."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from terrarium.replay.errors import ReplayError
from terrarium.replay.games.game_picture import (
    GamePainter,
    game_sample_at,
    largest_fight,
    save_game_gif,
    save_game_png,
)
from terrarium.replay.pictures.palette import palette
from tests.replay.games.test_game_page import frames


def test_a_picture_shows_both_townhalls_in_the_colors_of_their_players() -> None:
    game = frames()
    image = np.asarray(GamePainter(game, width=600).paint(0).convert("RGB")).astype(int)
    x0, _, x1, y1 = game.map.playable
    scale = 600 / (x1 - x0 + 4)
    for player, (x, y) in enumerate(game.map.starts, 1):
        body = palette("dark")[f"player{player}_body"]
        color = np.array([int(body[i : i + 2], 16) for i in (1, 3, 5)])
        column, row = (x - x0 + 2) * scale, 22 + (y1 + 2 - y) * scale
        around = image[int(row - scale * 1.8) : int(row - scale), int(column)]
        assert np.abs(around - color).sum(axis=1).min() < 12


def test_times_are_those_of_the_page() -> None:
    game = frames()
    assert game_sample_at(game, 0.0) == 0
    assert game.ticks[game_sample_at(game, 10.0)] == 224
    with pytest.raises(ReplayError, match=r"at is 99 s; the game lasts from 0 to 21\.4 s"):
        game_sample_at(game, 99.0)
    with pytest.raises(ReplayError, match="at is nan s"):
        game_sample_at(game, float("nan"))
    assert 0 <= largest_fight(game) < len(game.ticks)


@pytest.mark.slow
def test_files_are_pictures(tmp_path: Path) -> None:
    game = frames()
    assert save_game_png(game, tmp_path / "game.png", 5.0) == (tmp_path / "game.png").stat().st_size
    with Image.open(tmp_path / "game.png") as image:
        assert image.width == 1200
        image.verify()
    shares: list[float] = []
    save_game_gif(game, tmp_path / "game.gif", shares.append)
    assert shares[-1] == 1.0
    with Image.open(tmp_path / "game.gif") as image:
        assert image.width == 640
        assert getattr(image, "n_frames", 1) == len(shares)
