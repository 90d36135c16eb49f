"""A melee map as a picture: relief, cliffs, ramps, resources, rocks, starts."""

import math
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from terrarium.data.maps.expansions import find_expansions
from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.grids import Mask, mask_of
from terrarium.data.maps.objects import MapObject, cells_of
from terrarium.replay.files import write_file
from terrarium.replay.pictures.drawing import disc, font, ring

CELL = 8
"""pixels of the picture"""
FINE = 2
"""Shapes are drawn twice as large and reduced: Pillow gives them no soft edges."""
_SCALE = CELL * FINE
_MARGIN = 3  # cells around the playable area
_HEAD = 4  # cells above it, for the title
_GROUND = ((175, (38, 46, 44)), (191, (56, 70, 60)), (207, (86, 104, 76)), (223, (128, 142, 98)))
"""colors of heights; between them they are mixed"""
_HIGH_GROUND = (150, 158, 120)  # of any height above
_ROCK, _VOID, _RAMP, _SMOKE = (58, 54, 50), (12, 16, 18), (168, 148, 104), (44, 92, 60)
_RUBBLE, _RUBBLE_EDGE = (134, 98, 66), (58, 40, 26)
_PLATES = (120, 124, 128)
_MINERALS, _RICH, _GAS, _TOWER = "#58c4ff", "#ffd24a", "#4ee07a", "#fff0a0"
_EDGE = "#0b1012"
_PLAYERS = ("#e8483f", "#3f86ff", "#2fc48d", "#f0a030")
_RAMP_SHARE, _SMOKE_SHARE = 0.42, 0.75
_CLIFF_STEPS = 10.0
"""how much higher than the ground beside it the closed ground looks"""

Color = tuple[int, int, int]
Pixels = NDArray[np.float32]


def save_map_png(game_map: GameMap, path: str | Path) -> int:
    """Write the picture of a map; the size of the file in bytes."""
    buffer = BytesIO()
    map_image(game_map).save(buffer, "PNG")
    return write_file(path, buffer.getvalue())


def ground_image_of(game_map: GameMap, with_rocks: bool = True) -> Image.Image:
    """The ground of the whole grid, `CELL` pixels a cell, without what else stands on it: what a
    game is shown on."""
    bare = replace(game_map, objects=()) if not with_rocks else game_map
    return Image.fromarray(_relief(bare).astype(np.uint8))


def map_image(game_map: GameMap) -> Image.Image:
    """The playable area from above, with the name of the map."""
    relief = ground_image_of(game_map)
    size = (game_map.width * _SCALE, game_map.height * _SCALE)
    image = relief.resize(size, Image.Resampling.BICUBIC)
    pen = ImageDraw.Draw(image, "RGBA")
    for expansion in find_expansions(game_map):
        if expansion.place not in game_map.starts:
            ring(pen, _pixel(game_map, *expansion.place), 2.6 * _SCALE, "#ffffff38", FINE)
    for o in game_map.objects:
        _draw_object(pen, game_map, o)
    for k, start in enumerate(game_map.starts):
        _draw_start(pen, game_map, start, k)
    x0, y0, x1, y1 = game_map.playable
    left, top = _pixel(game_map, x0 - _MARGIN, y1 + _MARGIN + _HEAD)
    right, bottom = _pixel(game_map, x1 + _MARGIN, y0 - _MARGIN)
    # Beyond the grid there is nothing: Pillow fills it with black.
    cut = image.crop((round(left), round(top), round(right), round(bottom)))
    _headline(ImageDraw.Draw(cut), game_map)
    return cut.reduce(FINE)


def _pixel(game_map: GameMap, x: float, y: float) -> tuple[float, float]:
    return x * _SCALE, (game_map.height - y) * _SCALE


def _relief(game_map: GameMap) -> Pixels:
    """The ground without objects, as [rows, columns, 3] from 0 to 255, the largest y first."""
    is_open = _smooth(game_map.pathing_grid) > 0.5
    height = _ground_height(game_map)
    color = _height_color(height) * _grain(game_map)[..., None]
    ramp = game_map.pathing_grid & ~game_map.placement_grid & ~game_map.sight_blocker
    color = _mixed(color, _RAMP, _RAMP_SHARE * (_smooth(ramp) > 0.5))
    color = _mixed(color, _SMOKE, _SMOKE_SHARE * _smoke(game_map))
    near = np.clip(3.0 * _blurred(game_map.pathing_grid, 2.0), 0.0, 1.0)
    rock = _mixed(np.broadcast_to(np.array(_VOID, np.float32), color.shape), _ROCK, near)
    rock *= (0.6 + 0.4 * _grain(game_map))[..., None]
    color = np.where(is_open[..., None], color, rock)
    color *= _light(height + _CLIFF_STEPS * ~is_open)[..., None]
    color *= (1.0 - 0.45 * _shade(game_map) * is_open)[..., None]
    plates = _bodies(game_map, "plates")
    rubble = _bodies(game_map, "destructible")
    color = _mixed(color, _PLATES, 0.6 * (_smooth(plates) > 0.5))
    edge = _smooth(rubble)
    color = _mixed(color, _RUBBLE_EDGE, 1.0 * (edge > 0.3))
    speckled = np.array(_RUBBLE, np.float32) * _grain(game_map, 0.35)[..., None]
    return np.clip(np.where((edge > 0.55)[..., None], speckled, color), 0.0, 255.0)


def _bodies(game_map: GameMap, kind: str) -> Mask:
    chosen = [o for o in game_map.objects if o.kind.kind == kind]
    cells = [cell for o in chosen for cell in cells_of(o.kind.shape, o.x, o.y)[0]]
    return mask_of(game_map.pathing_grid.shape, cells)


def _scaled(grid: NDArray[np.uint8], blur_cells: float) -> Pixels:
    """A grid of bytes as pixels, the largest y first, its cells blurred."""
    image = Image.fromarray(np.ascontiguousarray(grid[::-1]))
    size = (grid.shape[1] * CELL, grid.shape[0] * CELL)
    image = image.resize(size, Image.Resampling.NEAREST)
    blurred = image.filter(ImageFilter.GaussianBlur(blur_cells * CELL))
    return np.asarray(blurred, np.float32)


def _blurred(mask: Mask, blur_cells: float) -> Pixels:
    return _scaled(np.where(mask, 255, 0).astype(np.uint8), blur_cells) / np.float32(255)


def _smooth(mask: Mask) -> Pixels:
    """From 0 to 1; where it is a half, steps of cells have become curves."""
    return _blurred(mask, 0.55)


def _ground_height(game_map: GameMap) -> Pixels:
    """Heights of open ground; blurred, but cliffs keep the height of the nearest ground."""
    ground = game_map.pathing_grid
    known = _scaled(np.where(ground, game_map.terrain_height, 0).astype(np.uint8), 0.8)
    share = _blurred(ground, 0.8)
    return np.where(share > 0.02, known / np.maximum(share, 0.02), 175.0).astype(np.float32)


def _height_color(height: Pixels) -> Pixels:
    steps = [float(step) for step, _ in _GROUND] + [255.0]
    colors = np.array([color for _, color in _GROUND] + [_HIGH_GROUND], np.float32)
    parts = [np.interp(height, steps, colors[:, k]) for k in range(3)]
    return np.stack(parts, axis=-1).astype(np.float32)


def _grain(game_map: GameMap, strength: float = 0.12) -> Pixels:
    """Spots of brightness around 1, the same for each map of one size."""
    draws = np.random.default_rng(0)
    spots = draws.integers(0, 256, game_map.pathing_grid.shape).astype(np.uint8)
    fine = _scaled(spots, 0.7)
    spread = np.float32(2.0 * fine.std())
    grain: Pixels = 1.0 + np.float32(strength) * (fine - fine.mean()) / spread
    return grain


def _smoke(game_map: GameMap) -> Pixels:
    """Sight blockers: tufts within their cells."""
    rows, columns = game_map.pathing_grid.shape
    y, x = np.ogrid[: rows * CELL, : columns * CELL]
    tufts = np.sin(x * 2.4 * math.pi / CELL) * np.sin(y * 2.4 * math.pi / CELL)
    return ((_smooth(game_map.sight_blocker) > 0.5) * (0.55 + 0.45 * tufts)).astype(np.float32)


def _light(height: Pixels) -> Pixels:
    """Brightness of slopes, with the light from the upper left."""
    soft = Image.fromarray(height.astype(np.uint8)).filter(ImageFilter.GaussianBlur(0.3 * CELL))
    down, right = np.gradient(np.asarray(soft, np.float32))
    slope: Pixels = np.asarray(down + right, np.float32)
    return (1.0 + 0.16 * slope).clip(0.45, 1.7).astype(np.float32)


def _shade(game_map: GameMap) -> Pixels:
    """The shadow of cliffs on the ground to their lower right."""
    closed = _blurred(~game_map.pathing_grid, 0.8)
    shift = round(0.9 * CELL)
    shadow = np.zeros_like(closed)
    shadow[shift:, shift:] = closed[:-shift, :-shift]
    return shadow


def _mixed(color: Pixels, other: Color, share: Pixels | NDArray[np.float64]) -> Pixels:
    part = np.asarray(share, np.float32)[..., None]
    return color * (1 - part) + np.array(other, np.float32) * part


def _draw_object(pen: ImageDraw.ImageDraw, game_map: GameMap, o: MapObject) -> None:
    x, y = _pixel(game_map, o.x, o.y)
    kind = o.kind.kind
    if kind == "minerals":
        draw_minerals(pen, (x, y), _SCALE, o.kind.is_rich)
    elif kind == "vespene":
        draw_geyser(pen, (x, y), _SCALE)
    elif kind == "tower":
        draw_tower(pen, (x, y), _SCALE)
    elif kind == "zone":
        ring(pen, (x, y), o.kind.area * _SCALE, "#c792ff90", 2 * FINE)


def draw_minerals(
    pen: ImageDraw.ImageDraw, at: tuple[float, float], scale: float, is_rich: bool
) -> None:
    """Two crystals; `scale`: pixels of a cell."""
    for dx, size in ((-0.5, 0.85), (0.45, 0.7)):
        x, y, r = at[0] + dx * scale, at[1], size * scale
        body = [(x, y - 1.25 * r), (x + 0.7 * r, y), (x, y + 0.8 * r), (x - 0.7 * r, y)]
        pen.polygon(body, fill=_RICH if is_rich else _MINERALS, outline=_EDGE)
        pen.polygon([body[0], body[2], body[3]], fill="#ffffff50")


def draw_geyser(pen: ImageDraw.ImageDraw, at: tuple[float, float], scale: float) -> None:
    disc(pen, at, 1.4 * scale, "#23352b", _EDGE, FINE)
    disc(pen, at, 0.75 * scale, _GAS)


def draw_tower(pen: ImageDraw.ImageDraw, at: tuple[float, float], scale: float) -> None:
    disc(pen, at, 1.1 * scale, "#4a4a3a", _TOWER, 2 * FINE)
    disc(pen, at, 0.4 * scale, _TOWER)


def _draw_start(
    pen: ImageDraw.ImageDraw, game_map: GameMap, start: tuple[float, float], k: int
) -> None:
    """A townhall in the color of its player."""
    x, y = _pixel(game_map, *start)
    big, small = 2.5 * _SCALE, 1.4 * _SCALE
    corners = [(small, big), (big, small), (big, -small), (small, -big)]
    corners += [(-dx, -dy) for dx, dy in corners]
    outline = [(x + dx, y + dy) for dx, dy in corners]
    pen.polygon(outline, fill=_PLAYERS[k % len(_PLAYERS)], outline=_EDGE, width=2 * FINE)
    pen.text((x, y), str(k + 1), "#ffffff", font(2.6 * _SCALE), anchor="mm")


def _headline(pen: ImageDraw.ImageDraw, game_map: GameMap) -> None:
    x0, y0, x1, y1 = game_map.playable
    about = f"{game_map.name}   {x1 - x0} x {y1 - y0}, {len(find_expansions(game_map))} bases"
    at = (_MARGIN * _SCALE, (_MARGIN + _HEAD) * _SCALE / 2)
    pen.text(at, about, "#e9f2ec", font(2.6 * _SCALE), anchor="lm")
