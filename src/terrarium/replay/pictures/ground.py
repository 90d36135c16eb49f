"""The ground of a picture, and the camera that looks at it."""

from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw

from terrarium.data.battles.scenario import Terrain
from terrarium.replay.frames import Frames
from terrarium.replay.names import ground_signs

MARGIN = 2.2  # cells around all that happens
_FLATTEST, _TALLEST = 0.45, 0.8  # height of the field, of its width
Box = tuple[int, int, int, int]
_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1))


@dataclass(frozen=True)
class Camera:
    """Where points of the game are in a picture; y grows upwards there and downwards here."""

    width: int
    height: int
    scale: float
    left: float
    top: float

    def pixel(self, x: float, y: float) -> tuple[float, float]:
        return self.left + float(x) * self.scale, self.top - float(y) * self.scale


def fit(frames: Frames, width: int, head: int) -> Camera:
    """All that happens, below a headline."""
    alive = frames.units["alive"]
    ends = []
    for axis, size in (("x", frames.terrain.width), ("y", frames.terrain.height)):
        places = frames.units[axis][alive] if alive.any() else np.array([0, size])
        ends.append((float(places.min()) - MARGIN, float(places.max()) + MARGIN))
    (x0, x1), (y0, y1) = ends
    height = round(width * min(_TALLEST, max(_FLATTEST, (y1 - y0) / (x1 - x0))))
    scale = min(width / (x1 - x0), height / (y1 - y0), width / 24)
    left = width / 2 - scale * (x0 + x1) / 2
    top = head + height / 2 + scale * (y0 + y1) / 2
    # Even numbers, because the picture is reduced to half its size.
    return Camera(width, (head + height) // 2 * 2, scale, left, top)


def ground_image(terrain: Terrain, camera: Camera, colors: dict[str, str]) -> Image.Image:
    """The terrain as the page draws it."""
    image = Image.new("RGB", (camera.width, camera.height), colors["void"])
    pen = ImageDraw.Draw(image)
    signs = ground_signs(terrain)
    for y, row in enumerate(signs):
        for x, sign in enumerate(row):
            pen.rectangle(_box(camera, x, y), fill=_color(colors, terrain, sign, x, y))
    thick = max(2.0, camera.scale / 12)
    for y, row in enumerate(signs):
        for x, sign in enumerate(row):
            if sign == "#":
                continue
            for dx, dy in _SIDES:
                other = _sign(signs, x + dx, y + dy)
                falls = other != "#" and _height(sign) - _height(other) > 1
                if other == "#" or falls:
                    _edge(pen, _box(camera, x, y), (dx, dy), thick, colors["rim"])
                if falls:  # a cliff casts a shadow on its low side
                    dark = _mix(colors["cliff"], colors["ground1"], 0.65)
                    low = _box(camera, x + dx, y + dy)
                    _edge(pen, low, (-dx, -dy), 0.35 * camera.scale, dark)
    return image


def _sign(signs: list[str], x: int, y: int) -> str:
    inside = 0 <= y < len(signs) and 0 <= x < len(signs[0])
    return signs[y][x] if inside else "#"


def _height(sign: str) -> int:
    """Four steps from level to level, the thirds of a ramp between."""
    return 5 + "abc".index(sign) if sign in "abc" else 4 * int(sign)


def _color(colors: dict[str, str], terrain: Terrain, sign: str, x: int, y: int) -> str:
    if sign == "#":
        return colors["rock" if (x + y) % 2 else "void"]
    base = colors["ground1" if sign in "abc" else f"ground{sign}"]
    grain = (x * 73 + y * 151 + x * y * 31) % 101 / 101 * 0.09
    color = _mix(colors["rim"], base, grain)
    if sign in "abc":
        color = _mix(colors["ramp"], color, 0.3 + 0.3 * "abc".index(sign))
    return _mix(colors["creep"], color, 0.5) if terrain.creep[y, x] else color


def _mix(color: str, base: str, share: float) -> str:
    parts = ((int(color[i : i + 2], 16), int(base[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(a * share + b * (1 - share)):02x}" for a, b in parts)


def _box(camera: Camera, x: int, y: int) -> Box:
    (x0, y0), (x1, y1) = camera.pixel(x, y + 1), camera.pixel(x + 1, y)
    return round(x0), round(y0), round(x1) - 1, round(y1) - 1


def _edge(
    pen: ImageDraw.ImageDraw, box: Box, towards: tuple[int, int], thick: float, color: str
) -> None:
    """A strip of a cell along one of its sides."""
    x0, y0, x1, y1 = box
    wide = max(1, round(thick)) - 1
    dx, dy = towards
    if dx:
        x0, x1 = (x1 - wide, x1) if dx > 0 else (x0, x0 + wide)
    else:
        y0, y1 = (y0, y0 + wide) if dy > 0 else (y1 - wide, y1)
    pen.rectangle((x0, y0, x1, y1), fill=color)
