"""Shapes and letters for Pillow, around a point instead of in a box."""

from functools import cache

from PIL import ImageDraw, ImageFont

Point = tuple[float, float]
Box = tuple[float, float, float, float]


def disc(
    pen: ImageDraw.ImageDraw,
    at: Point,
    radius: float,
    fill: str | None,
    outline: str | None = None,
    width: int = 1,
) -> None:
    pen.ellipse(_box(at, radius), fill, outline, width)


def ring(pen: ImageDraw.ImageDraw, at: Point, radius: float, color: str, width: int) -> None:
    disc(pen, at, radius, None, color, width)


def arc(
    pen: ImageDraw.ImageDraw, at: Point, radius: float, share: float, color: str, width: int
) -> None:
    """A part of a circle, clockwise from the top."""
    if share > 0.0:
        pen.arc(_box(at, radius), -90.0, -90.0 + 360.0 * min(1.0, share), color, width)


def dashed_ring(
    pen: ImageDraw.ImageDraw, at: Point, radius: float, color: str, width: int, n_dashes: int
) -> None:
    part = 360.0 / n_dashes
    for n in range(n_dashes):
        pen.arc(_box(at, radius), (n - 0.25) * part, (n + 0.25) * part, color, width)


def faded(color: str, strength: float) -> str:
    return f"{color}{round(255 * strength):02x}"


@cache
def font(size: float) -> ImageFont.FreeTypeFont:
    letters = ImageFont.load_default(round(size))
    assert isinstance(letters, ImageFont.FreeTypeFont), "Pillow without FreeType"
    return letters


def shortened(text: str, letters: ImageFont.FreeTypeFont, width: float) -> str:
    """As much of a text as fits."""
    if letters.getlength(text) <= width:
        return text
    while text and letters.getlength(f"{text}...") > width:
        text = text[:-1]
    return f"{text}..."


def _box(at: Point, radius: float) -> Box:
    x, y = at
    return x - radius, y - radius, x + radius, y + radius
