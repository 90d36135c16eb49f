"""One moment of a whole game as a picture: the players on top of the map."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from terrarium.replay.errors import ReplayError
from terrarium.replay.games.game_frames import FLAGS, PLACE_STEPS, GameFrames, ThingType, layer_at
from terrarium.replay.games.game_page import letters_of, result_words, rocks_are_units
from terrarium.replay.names import TICKS_PER_S_PLAYED
from terrarium.replay.pictures.animation import write_gif
from terrarium.replay.pictures.drawing import Point, disc, font, shortened
from terrarium.replay.pictures.map_picture import (
    CELL,
    draw_geyser,
    draw_minerals,
    draw_tower,
    ground_image_of,
)
from terrarium.replay.pictures.palette import palette
from terrarium.replay.pictures.picture import write_image

WIDTH = 1200
GIF_WIDTH = 640
MAX_PICTURES = 200
FRAME_S = 0.1
N_COLORS = 128
FINE = 2
"""Drawn twice as large and reduced: Pillow's shapes have no soft edges of their own."""
DEATH_TICKS = 112
_HEAD = 44  # pixels above the map, for the title
_MARGIN = 2  # cells around the playable area
_CREEP_SHARE = 0.6
_UNFINISHED = 1 << FLAGS.index("unfinished")
_CHAMFER = 0.22


class GamePainter:
    """Paints any sample of one game."""

    def __init__(self, frames: GameFrames, width: int = WIDTH) -> None:
        self._frames, self._colors = frames, palette("dark")
        x0, y0, x1, y1 = frames.map.playable
        self._left, self._top = x0 - _MARGIN, y1 + _MARGIN
        across, down = x1 - x0 + 2 * _MARGIN, y1 - y0 + 2 * _MARGIN
        self._scale = FINE * width / across  # pixels a cell
        self._zoom = FINE * width / WIDTH
        self._head = round(_HEAD * self._zoom)
        self._size = (FINE * width, round(down * self._scale) // FINE * FINE)
        self._letters = letters_of(frames.types)
        above, right = frames.map.height - self._top, self._left + across
        box = (self._left * CELL, above * CELL, right * CELL, (above + down) * CELL)
        ground = ground_image_of(frames.map, not rocks_are_units(frames)).crop(box)
        self._ground = ground.resize(self._size, Image.Resampling.BICUBIC)

    def paint(self, sample: int) -> Image.Image:
        """The game at a sample."""
        field = self._ground.copy()
        self._paint_creep(field, sample)
        pen = ImageDraw.Draw(field, "RGBA")
        self._paint_units(pen, sample)
        self._paint_losses(pen, sample)
        image = Image.new("RGB", (self._size[0], self._head + self._size[1]), self._colors["panel"])
        image.paste(field, (0, self._head))
        self._headline(ImageDraw.Draw(image), sample)
        height = image.height // FINE * FINE
        return image.crop((0, 0, image.width, height)).reduce(FINE)

    def _pixel(self, x: float, y: float) -> Point:
        return (x - self._left) * self._scale, (self._top - y) * self._scale

    def _paint_creep(self, field: Image.Image, sample: int) -> None:
        frames = self._frames
        rows, columns = frames.map.height, frames.map.width
        creep = layer_at(frames.creep, sample, rows * columns).reshape(rows, columns)
        if not creep.any():
            return
        small = Image.fromarray(np.where(creep[::-1], 255, 0).astype(np.uint8))
        x0, y0 = self._left, rows - self._top
        across, down = (round(n / self._scale) for n in self._size)
        cut = small.crop((x0, y0, x0 + across, y0 + down))
        mask = cut.resize(self._size, Image.Resampling.BICUBIC).point(
            lambda on: round(_CREEP_SHARE * on)
        )
        field.paste(self._colors["creep_ground"], mask=mask)

    def _paint_units(self, pen: ImageDraw.ImageDraw, sample: int) -> None:
        """Structures and resources first, then who walks, then who flies."""
        frames = self._frames
        kinds = frames.at("kind", sample)[:, 0].astype(int)
        owners = frames.at("owner", sample)[:, 0].astype(int)
        flags = frames.at("flags", sample)[:, 0].astype(int)
        places, built = frames.at("place", sample), frames.at("built", sample)[:, 0]
        shown = (frames.lives["born"] <= sample) & (sample < frames.lives["ended"])
        shown &= frames.at("inside", sample)[:, 0] == 0
        types = frames.types

        def depth(u: int) -> tuple[bool, bool, float]:
            return types[kinds[u]].width == 0, types[kinds[u]].flying, -float(places[u, 1])

        for u in sorted(np.flatnonzero(shown).tolist(), key=depth):
            thing, at = types[kinds[u]], self._pixel(*places[u])
            owner = int(owners[u])
            if thing.role == "minerals":
                draw_minerals(pen, at, self._scale, "rich" in thing.name)
            elif thing.role == "vespene":
                draw_geyser(pen, at, self._scale)
            elif thing.role == "tower":
                draw_tower(pen, at, self._scale)
            elif thing.outline:
                self._rubble(pen, thing, at)
            elif thing.width:
                share = built[u] if flags[u] & _UNFINISHED else 1.0
                self._structure(pen, int(kinds[u]), owner, at, float(share))
            else:
                self._unit(pen, int(kinds[u]), owner, at)

    def _rubble(self, pen: ImageDraw.ImageDraw, thing: ThingType, at: Point) -> None:
        scale, colors = self._scale, self._colors
        outline = [(at[0] + x * scale, at[1] - y * scale) for x, y in thing.outline]
        if thing.role == "plates":
            pen.polygon(outline, colors["neutral"] + "60")
        else:
            width = max(1, round(0.3 * scale))
            pen.polygon(outline, colors["rubble"], colors["rubble_edge"], width)

    def _owner_colors(self, owner: int) -> tuple[str, str]:
        name = f"player{owner}" if owner else "neutral"
        return self._colors[name], self._colors[f"{name}_body"]

    def _structure(
        self, pen: ImageDraw.ImageDraw, kind: int, owner: int, at: Point, share: float
    ) -> None:
        thing, (x, y) = self._frames.types[kind], at
        color, body = self._owner_colors(owner)
        w, h = ((size - 0.12) / 2 * self._scale for size in (thing.width, thing.height))
        c = 2 * _CHAMFER * min(w, h)
        corners = [(w - c, -h), (w, c - h), (w, h - c), (w - c, h)]
        corners += [(-dx, -dy) for dx, dy in corners]
        outline = [(x + dx, y + dy) for dx, dy in corners]
        pen.polygon(outline, fill=body if share >= 1.0 else f"{body}90")
        if share < 1.0:
            inner = 0.8
            top = y + inner * h - 2 * inner * h * share
            pen.rectangle((x - inner * w, top, x + inner * w, y + inner * h), fill=f"{color}80")
        pen.polygon(outline, outline=color, width=max(FINE, round(0.14 * self._scale)))
        self._sign(pen, kind, at, 0.5 * 2 * w)

    def _unit(self, pen: ImageDraw.ImageDraw, kind: int, owner: int, at: Point) -> None:
        thing, (x, y) = self._frames.types[kind], at
        color, body = self._owner_colors(owner)
        radius = max(2.2 * self._zoom, thing.radius * self._scale)
        large = radius > 7 * self._zoom
        fill, line = (body, max(2, round(0.16 * radius))) if large else (color, FINE)
        edge = color if large else "#0b1012"
        if thing.role == "worker":
            r = 1.1 * radius
            pen.polygon([(x, y - r), (x + r, y), (x, y + r), (x - r, y)], fill, edge, line)
        else:
            disc(pen, at, radius, fill, edge, line)
        if thing.flying:
            disc(pen, at, radius + 2 * self._zoom, None, color, FINE)
        if large:
            self._sign(pen, kind, at, 1.1 * radius)

    def _sign(self, pen: ImageDraw.ImageDraw, kind: int, at: Point, size: float) -> None:
        sign = self._letters[kind]
        size *= 0.8 if len(sign) > 1 else 1.0
        if size >= 7 * self._zoom:
            pen.text(at, sign, self._colors["glyph"], font(min(size, 40 * self._zoom)), anchor="mm")

    def _paint_losses(self, pen: ImageDraw.ImageDraw, sample: int) -> None:
        frames = self._frames
        for loss in frames.losses[frames.losses["sample"] <= sample]:
            age = int(frames.ticks[sample] - frames.ticks[loss["sample"]])
            if age > DEATH_TICKS:
                continue
            u = int(loss["unit"])
            x, y = self._pixel(*(self._last("place", u) / PLACE_STEPS))
            color, _ = self._owner_colors(int(self._last("owner", u)[0]))
            size, faded = 4.5 * self._zoom, f"{color}{round(220 * (1 - age / DEATH_TICKS)):02x}"
            width = round(1.5 * self._zoom)
            pen.line((x - size, y - size, x + size, y + size), fill=faded, width=width)
            pen.line((x - size, y + size, x + size, y - size), fill=faded, width=width)

    def _last(self, name: str, unit: int) -> NDArray[np.int64]:
        """What the last knot of a unit says."""
        knots = self._frames.knots[name]
        values: NDArray[np.int64] = knots.values[knots.first[unit + 1] - 1]
        return values

    def _headline(self, pen: ImageDraw.ImageDraw, sample: int) -> None:
        colors, zoom, frames = self._colors, self._zoom, self._frames
        at = int(np.searchsorted(frames.curve_samples, sample, side="right")) - 1
        seconds = round(float(frames.ticks[sample]) / TICKS_PER_S_PLAYED)
        notes = [(f"{seconds // 60}:{seconds % 60:02d}", colors["text"])]
        for k in reversed(range(frames.n_players)):
            used, cap = (int(frames.curves[f"supply_{name}"][k, at]) for name in ("used", "cap"))
            notes.append((f"{frames.about.players[k]} {used}/{cap}", colors[f"player{k + 1}"]))
        text, winner = result_words(frames)
        if sample == len(frames.ticks) - 1 and winner:
            notes.append((text, colors[f"player{winner}"]))
        letters, right, middle = font(15 * zoom), self._size[0] - 14 * zoom, self._head / 2
        for note, color in notes:
            pen.text((right, middle), note, color, letters, anchor="rm")
            right -= letters.getlength(note) + 20 * zoom
        title = shortened(frames.about.title, letters, right - 14 * zoom)
        pen.text((14 * zoom, middle), title, colors["text"], letters, anchor="lm")


def save_game_png(frames: GameFrames, path: str | Path, at_s: float | None = None) -> int:
    """Write one moment, by default the middle of the largest fight; the size of the file in
    bytes."""
    sample = largest_fight(frames) if at_s is None else game_sample_at(frames, at_s)
    image = GamePainter(frames).paint(sample)
    return write_image(path, lambda file: image.save(file, "PNG", optimize=True))


def save_game_gif(
    frames: GameFrames, path: str | Path, progress: Callable[[float], None] | None = None
) -> int:
    """Write the whole game in a few hundred pictures; the size of the file in bytes."""
    n_pictures = min(MAX_PICTURES, len(frames.ticks))
    times = np.linspace(frames.ticks[0], frames.ticks[-1], n_pictures)
    samples = np.searchsorted(frames.ticks, times, side="right") - 1
    painter = GamePainter(frames, GIF_WIDTH)
    # One palette for all: colors that change from picture to picture flicker.
    last = painter.paint(len(frames.ticks) - 1)
    colors = last.quantize(N_COLORS, dither=Image.Dither.NONE)
    pictures: list[Image.Image] = []
    for n, sample in enumerate(samples.tolist()):
        picture = painter.paint(int(sample))
        pictures.append(picture.quantize(palette=colors, dither=Image.Dither.NONE))
        if progress is not None:
            progress((n + 1) / n_pictures)
    return write_gif(path, pictures, FRAME_S)


def largest_fight(frames: GameFrames) -> int:
    """A sample in the middle of the fight in which most was lost; of the game if there is none."""
    if not frames.fights:
        return len(frames.ticks) // 2
    fight = max(frames.fights, key=lambda fight: (sum(fight.lost), -fight.first))
    return (fight.first + fight.last) // 2


def game_sample_at(frames: GameFrames, at_s: float) -> int:
    """The sample nearest to a time in seconds, as the page counts them."""
    last_s = float(frames.ticks[-1]) / TICKS_PER_S_PLAYED
    # Half a tenth of room, because times are shown rounded.
    if not 0.0 <= at_s <= last_s + 0.05:
        raise ReplayError(f"at is {at_s:g} s; the game lasts from 0 to {last_s:.1f} s")
    return int(np.abs(frames.ticks - at_s * TICKS_PER_S_PLAYED).argmin())
