"""Pictures of maps: what stands where is there in the picture."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageColor

from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.library import find_map
from terrarium.replay.errors import ReplayError
from terrarium.replay.pictures import map_picture
from terrarium.replay.pictures.map_picture import CELL, map_image, save_map_png


def around(pixels: NDArray[np.uint8], game_map: GameMap, x: float, y: float) -> NDArray[np.uint8]:
    """The pixels of about a cell around a place."""
    margin, head = map_picture._MARGIN, map_picture._HEAD
    column = round((x - game_map.playable[0] + margin) * CELL)
    row = round((game_map.playable[3] - y + margin + head) * CELL)
    half = CELL // 2
    return pixels[row - half : row + half, column - half : column + half].reshape(-1, 3)


def has_color(pixels: NDArray[np.uint8], color: str) -> bool:
    wanted = np.array(ImageColor.getrgb(color)[:3])
    return bool((np.abs(pixels.astype(int) - wanted).sum(axis=1) < 40).any())


@pytest.fixture(scope="module")
def game_map() -> GameMap:
    return find_map("two_base")


@pytest.fixture(scope="module")
def pixels(game_map: GameMap) -> NDArray[np.uint8]:
    return np.asarray(map_image(game_map))


def test_the_picture_holds_the_playable_area(game_map: GameMap, pixels: NDArray[np.uint8]) -> None:
    x0, y0, x1, y1 = game_map.playable
    n_around = 2 * map_picture._MARGIN
    assert pixels.shape[1] == (x1 - x0 + n_around) * CELL
    assert pixels.shape[0] == (y1 - y0 + n_around + map_picture._HEAD) * CELL


def test_players_resources_and_towers_are_drawn(
    game_map: GameMap, pixels: NDArray[np.uint8]
) -> None:
    for k, (x, y) in enumerate(game_map.starts):
        assert has_color(around(pixels, game_map, x - 1.8, y), map_picture._PLAYERS[k])
    colors = {
        "minerals": map_picture._MINERALS,
        "vespene": map_picture._GAS,
        "tower": map_picture._TOWER,
    }
    drawn = set()
    for o in game_map.objects:
        if o.kind.kind in colors:
            drawn.add(o.kind.kind)
            assert has_color(around(pixels, game_map, o.x, o.y), colors[o.kind.kind]), o
    assert drawn == set(colors)


def test_high_ground_is_brighter_and_cliffs_are_darker(
    game_map: GameMap, pixels: NDArray[np.uint8]
) -> None:
    def brightness(chosen: NDArray[np.bool_]) -> float:
        spots = np.argwhere(chosen)[::7].tolist()
        return float(np.mean([around(pixels, game_map, x + 0.5, y + 0.5).mean() for y, x in spots]))

    free, height = game_map.buildable(), game_map.terrain_height
    low, middle, high = (brightness(free & (height == step)) for step in (191, 207, 223))
    assert low < middle < high
    x0, y0, x1, y1 = game_map.playable
    closed = ~game_map.pathing_grid
    closed[:y0], closed[y1:], closed[:, :x0], closed[:, x1:] = False, False, False, False
    assert brightness(closed) < low


def test_a_picture_that_cannot_be_written_is_one_line(game_map: GameMap, tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match="cannot be written"):
        save_map_png(game_map, tmp_path / "none" / "map.png")
    assert save_map_png(game_map, tmp_path / "map.png") > 10_000
    with Image.open(tmp_path / "map.png") as image:
        assert image.mode == "RGB"
