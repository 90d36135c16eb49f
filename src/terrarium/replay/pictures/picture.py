"""A moment of a battle as an image, in the style of the page."""

import math
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from terrarium.engine import codes
from terrarium.engine.records import Records
from terrarium.replay.errors import ReplayError
from terrarium.replay.files import write_file
from terrarium.replay.frames import Frames
from terrarium.replay.names import TICKS_PER_S_PLAYED, glyphs, result_of
from terrarium.replay.pictures.drawing import Point, dashed_ring, disc, faded, font, shortened
from terrarium.replay.pictures.ground import fit, ground_image
from terrarium.replay.pictures.marks import Marks
from terrarium.replay.pictures.palette import Scheme, palette

WIDTH = 1200
FINE = 2
"""Drawn twice as large and reduced: Pillow's circles have no soft edges of their own."""
DEATH_TICKS = 56
SHOT_TICKS = 5
_HEAD = 52  # pixels above the field, for the title


class Painter:
    """Paints any sample of one battle."""

    def __init__(self, frames: Frames, width: int = WIDTH, scheme: Scheme = "dark") -> None:
        self._frames, self._colors = frames, palette(scheme)
        self._zoom = FINE * width / WIDTH  # of everything that is measured in pixels
        self._glyphs = glyphs(frames.types)
        self._head = round(_HEAD * self._zoom)
        self._camera = fit(frames, FINE * width, self._head)
        self._ground = ground_image(frames.terrain, self._camera, self._colors)
        self._strength = frames.strength()

    def paint(self, k: int) -> Image.Image:
        """The sample `k`."""
        image = self._ground.copy()
        marks = Marks(self._frames, self._camera, self._colors, self._zoom, k)
        marks.areas(image)
        # On a layer of its own, because Pillow blends nothing within one image.
        layer = Image.new("RGBA", image.size)
        pen = ImageDraw.Draw(layer)
        units = self._frames.units[k]
        alive = np.flatnonzero(units["alive"]).tolist()
        self._deaths(pen, int(self._frames.ticks[k]))
        for u in alive:
            self._attack(pen, units, u, k)
        marks.lines(pen)
        where = {u: self._camera.pixel(units["x"][u], units["y"][u]) for u in alive}
        bodies = {u: (where[u], self._radius(int(units["kind"][u]))) for u in alive}
        flying = [unit_type.flying for unit_type in self._frames.types]
        # Who is seen through comes first: its body replaces what was painted there before.
        order = sorted(
            alive,
            key=lambda u: (not units["cloaked"][u], flying[units["kind"][u]], -units["y"][u]),
        )
        for u in order:
            marks.behind(pen, u, *bodies[u])
        for u in order:
            self._unit(pen, units[u])
            marks.in_front(pen, u, *bodies[u])
        for u in alive:
            self._bars(pen, units[u])
        for missile in self._frames.missiles[self._frames.missiles["sample"] == k]:
            at = self._camera.pixel(missile["x"], missile["y"])
            size = 0.11 if missile["skill"] == codes.NO_ABILITY else 0.2
            disc(pen, at, max(3.0, size * self._camera.scale), fill=self._colors["glyph"])
            marks.missile(missile, at)
        marks.names(pen)
        self._headline(pen, k)
        image.paste(layer, mask=layer)
        return image.reduce(FINE)

    def _side(self, side: int) -> str:
        return self._colors["enemy" if side else "ally"]

    def _radius(self, kind: int) -> float:
        return max(4.0 * self._zoom, self._frames.types[kind].radius * self._camera.scale)

    def _unit(self, pen: ImageDraw.ImageDraw, unit: Records) -> None:
        x, y = self._camera.pixel(unit["x"], unit["y"])
        radius, color = self._radius(int(unit["kind"])), self._side(int(unit["side"]))
        body = self._colors["enemy_body" if unit["side"] else "ally_body"]
        if self._frames.types[unit["kind"]].flying:
            shadow = (x + 0.25 * radius, y + 0.45 * radius)
            disc(pen, shadow, 0.95 * radius, fill="#00000055")
        self._beak(pen, (x, y), radius, float(unit["facing"]), color)
        line = max(2, round(min(3.0 * self._zoom, 0.16 * radius)))
        if unit["cloaked"]:
            disc(pen, (x, y), radius, faded(body, 0.5))
            dashed_ring(pen, (x, y), radius, color, line, 8)
        else:
            disc(pen, (x, y), radius, body, color, line)
        if radius >= 7 * self._zoom:
            sign = self._glyphs[unit["kind"]]
            size = min(radius * (0.92 if len(sign) > 1 else 1.15), 26 * self._zoom)
            pen.text((x, y), sign, self._colors["glyph"], font(size), anchor="mm")

    def _beak(
        self, pen: ImageDraw.ImageDraw, at: Point, radius: float, facing: float, color: str
    ) -> None:
        """Where the unit looks."""
        x, y = at
        cos, sin = math.cos(facing), -math.sin(facing)
        tip, base = radius + max(2.5 * self._zoom, 0.28 * radius), 0.8 * radius
        half = max(2.0 * self._zoom, 0.34 * radius)
        pen.polygon(
            [
                (x + cos * tip, y + sin * tip),
                (x + cos * base - sin * half, y + sin * base + cos * half),
                (x + cos * base + sin * half, y + sin * base - cos * half),
            ],
            fill=color,
        )

    def _bars(self, pen: ImageDraw.ImageDraw, unit: Records) -> None:
        unit_type, colors = self._frames.types[unit["kind"]], self._colors
        radius = self._radius(int(unit["kind"]))
        life = max(float(unit["hp_max"]), 0.01)
        whole = unit["hp"] >= life and unit["shield"] >= unit_type.shield
        whole &= unit_type.energy == 0.0
        if whole and radius < 15 * self._zoom:
            return
        share = float(unit["hp"]) / life
        bars = [(share, colors["life" if share > 0.34 else "life_low"])]
        if unit_type.shield > 0.0:
            bars.insert(0, (float(unit["shield"]) / unit_type.shield, colors["shield"]))
        if unit_type.energy > 0.0:
            bars.append((float(unit["energy"]) / unit_type.energy, colors["energy"]))
        x, y = self._camera.pixel(unit["x"], unit["y"])
        one = self._zoom
        height = (4 if radius > 12 * one else 3) * one
        width = max(12 * one, min(2 * radius, 52 * one))
        left, top = x - width / 2, y - radius - 5 * one - len(bars) * height
        pen.rectangle(
            (left - one, top - one, left + width + one, top + len(bars) * height),
            fill=colors["track"],
        )
        for part, color in bars:
            if part > 0.0:
                end = left + width * min(1.0, part)
                pen.rectangle((left, top, end, top + height - one), fill=color)
            top += height

    def _attack(self, pen: ImageDraw.ImageDraw, units: Records, u: int, k: int) -> None:
        """A line from a unit to its victim: bright after a shot, faint while it aims."""
        me, strength = units[u], 0.22 if units["attacking"][u] else 0.0
        ticks, target = self._frames.ticks, int(units["target"][u])
        for j in range(k, -1, -1):
            age = float(ticks[k] - ticks[j])
            if age > SHOT_TICKS:
                break
            if self._frames.units["fired"][j, u]:
                strength = max(strength, 1.0 - age / (SHOT_TICKS + 1))
                target = target if target >= 0 else int(self._frames.units["target"][j, u])
                break
        strength = 0.8 if me["healing"] else strength
        if strength <= 0.0 or target < 0 or not units["alive"][target]:
            return
        victim, mine = units[target], self._frames.types[me["kind"]]
        apart = math.hypot(victim["x"] - me["x"], victim["y"] - me["y"])
        if apart - mine.radius - self._frames.types[victim["kind"]].radius > mine.reach + 1.5:
            return  # still on its way
        color = self._colors["heal"] if me["healing"] else self._side(int(me["side"]))
        ends = [self._camera.pixel(end["x"], end["y"]) for end in (me, victim)]
        width = round(max(1.25 * self._zoom, 0.07 * self._camera.scale))
        pen.line(ends, fill=faded(color, strength), width=max(1, width))

    def _deaths(self, pen: ImageDraw.ImageDraw, tick: int) -> None:
        for death in self._frames.deaths:
            age = tick - int(death["tick"])
            if not 0 <= age <= DEATH_TICKS:
                continue
            x, y = self._camera.pixel(death["x"], death["y"])
            radius = self._radius(int(death["kind"]))
            size = min(0.6 * radius, 12 * self._zoom)
            color = faded(self._side(int(death["side"])), 0.85 * (1 - age / DEATH_TICKS))
            width = max(2, round(0.25 * size))
            pen.line((x - size, y - size, x + size, y + size), fill=color, width=width)
            pen.line((x - size, y + size, x + size, y - size), fill=color, width=width)

    def _headline(self, pen: ImageDraw.ImageDraw, k: int) -> None:
        colors, zoom = self._colors, self._zoom
        width, about = self._ground.width, self._frames.about
        pen.rectangle((0, 0, width, self._head - 1), fill=colors["panel"])
        pen.line((0, self._head - 1, width, self._head - 1), fill=colors["edge"], width=FINE)
        seconds = self._frames.ticks[k] / TICKS_PER_S_PLAYED
        life, n_alive = self._strength
        right = width - 16 * zoom
        text, winner = result_of(self._frames)
        notes = [
            (f"{seconds:.1f} s", colors["text"]),
            (f"{n_alive[k, 1]} enemies", colors["enemy"]),
            (f"{n_alive[k, 0]} allies", colors["ally"]),
        ]
        if k == len(self._frames.ticks) - 1:
            notes.append((text, colors[winner] if winner else colors["muted"]))
        letters = font(16 * zoom)
        for note, color in notes:
            pen.text((right, self._head / 2), note, color, letters, anchor="rm")
            right -= letters.getlength(note) + 22 * zoom
        title = shortened(about.title, letters, right - 16 * zoom)
        pen.text((16 * zoom, self._head / 2), title, colors["text"], letters, anchor="lm")
        # What is left of both armies grows from the middle of the headline's lower edge.
        for side, direction in ((0, -1), (1, 1)):
            share = float(life[k, side] / max(1.0, life[0, side]))
            ends = sorted((width / 2, width / 2 * (1 + direction * min(1.0, share))))
            box = (ends[0], self._head - 3 * zoom, ends[1], self._head - 1)
            pen.rectangle(box, fill=self._side(side))


def fight_middle(frames: Frames) -> int:
    """The sample by which half of all losses of life have happened."""
    life = frames.strength()[0].sum(axis=1)  # [T]
    lost = life[0] - life
    return int(np.argmax(lost >= 0.5 * lost.max())) if lost.max() > 0.0 else len(life) // 2


def sample_at(frames: Frames, at_s: float) -> int:
    """The sample nearest to a time in seconds, as the page counts them."""
    last_s = float(frames.ticks[-1]) / TICKS_PER_S_PLAYED
    # Half a tenth of room, because times are shown rounded.
    if not 0.0 <= at_s <= last_s + 0.05:
        raise ReplayError(f"at is {at_s:g} s; the battle lasts from 0 to {last_s:.1f} s")
    return int(np.abs(frames.ticks - at_s * TICKS_PER_S_PLAYED).argmin())


def save_png(frames: Frames, path: str | Path, at_s: float | None = None) -> int:
    """Write one moment, by default the middle of the fight; the size of the file in bytes."""
    k = fight_middle(frames) if at_s is None else sample_at(frames, at_s)
    image = Painter(frames).paint(k)
    return write_image(path, lambda file: image.save(file, "PNG", optimize=True))


def write_image(path: str | Path, write: Callable[[BytesIO], None]) -> int:
    """Encode, then write the file in one go: a failure leaves no half of a picture."""
    buffer = BytesIO()
    write(buffer)
    return write_file(path, buffer.getvalue())
