"""What abilities do, in a picture: areas, locks, casts, and marks on the units themselves."""

import math

import numpy as np
from PIL import Image, ImageDraw

from terrarium.engine import codes
from terrarium.engine.records import Records
from terrarium.replay.frames import SPAN_KINDS, Frames, Skill
from terrarium.replay.names import title_of_skill
from terrarium.replay.pictures.drawing import Point, arc, dashed_ring, disc, faded, font, ring
from terrarium.replay.pictures.ground import Camera

_ON_GROUND = ("area", "fall", "summon")
_WIDE = 6.0  # cells: larger areas are only hinted at
_LABEL = 12  # pixels


class Marks:
    """The marks of one sample; each method draws one layer of them."""

    def __init__(
        self, frames: Frames, camera: Camera, colors: dict[str, str], zoom: float, k: int
    ) -> None:
        self._frames, self._camera, self._colors, self._zoom = frames, camera, colors, zoom
        self._units, self._tick = frames.units[k], int(frames.ticks[k])
        spans = frames.spans
        now = spans[(spans["tick"] <= self._tick) & (self._tick < spans["until"])]
        self._now = [(SPAN_KINDS[span["what"]], span) for span in now]
        self._names: list[tuple[str, Point, str]] = []

    def areas(self, image: Image.Image) -> None:
        """Translucent circles; the bright part of a rim is the share of time that is left."""
        on_ground = [(what, span) for what, span in self._now if what in _ON_GROUND]
        for what, span in sorted(on_ground, key=lambda pair: -self._skill(pair[1]).radius):
            skill, at, left = self._skill(span), self._place(span), self._left(span)
            color = self._color(what, span)
            radius = max(5.0 * self._zoom, skill.radius * self._camera.scale)
            filled = 0.0 if what == "summon" else 0.05 if skill.radius > _WIDE else 0.18
            width = max(1, round(1.5 * self._zoom))
            half = math.ceil(radius) + width
            # Each on a layer of its own, because they overlap.
            layer = Image.new("RGBA", (2 * half, 2 * half))
            pen, middle = ImageDraw.Draw(layer), (half, half)
            disc(pen, middle, radius, faded(color, filled), faded(color, 0.45), width)
            arc(pen, middle, radius, left, color, width + 1)
            if skill.name == "nuke_dot":
                disc(pen, middle, 0.2 * self._camera.scale, color)
            image.paste(layer, (round(at[0]) - half, round(at[1]) - half), layer)
            top = max(at[1] - radius - 8 * self._zoom, 66 * self._zoom)  # below the headline
            self._name(span, (at[0], top), color)

    def lines(self, pen: ImageDraw.ImageDraw) -> None:
        """Locks, and where casts are aimed at."""
        for what, span in self._now:
            if what not in ("lock", "cast") or not self._units["alive"][span["slot"]]:
                continue
            me, to = self._units[span["slot"]], self._place(span)
            start = self._camera.pixel(me["x"], me["y"])
            if math.dist(start, to) < 0.5 * self._camera.scale:
                continue  # on itself
            color = faded(self._side(span), 0.9 if what == "lock" else 0.5)
            pen.line((start, to), color, round((2.0 if what == "lock" else 1.0) * self._zoom))
            dashed_ring(pen, to, 0.6 * self._camera.scale, color, round(1.5 * self._zoom), 4)

    def behind(self, pen: ImageDraw.ImageDraw, u: int, at: Point, radius: float) -> None:
        """Behind a body: the glow of a boost, the legs of a planted unit, a burrowed one's hole."""
        unit_type = self._frames.types[self._units["kind"][u]]
        if any(self._skill(span).effect == "boost" for span in self._carried(u, "buff")):
            for part, strength in ((1.6, 0.15), (1.4, 0.3), (1.2, 0.55)):
                disc(pen, at, part * radius, faded(self._colors["boost"], strength))
        if unit_type.burrowed:
            disc(pen, at, 1.3 * radius, self._colors["cliff"])
        elif unit_type.form_of:
            color = self._colors["enemy" if self._units["side"][u] else "ally"]
            for leg in (0.25, 0.75, 1.25, 1.75):
                far = 1.45 * radius
                x, y = math.cos(leg * math.pi), math.sin(leg * math.pi)
                end = (at[0] + x * far, at[1] + y * far)
                pen.line((at, end), color, max(2, round(0.25 * radius)))

    def in_front(self, pen: ImageDraw.ImageDraw, u: int, at: Point, radius: float) -> None:
        """In front of it: its buffs, its progress and its passengers."""
        buffs = [b for b in self._carried(u, "buff") if self._skill(b).effect]
        width = max(2, round(0.1 * radius))
        for n, buff in enumerate(buffs):
            color = self._colors[self._skill(buff).effect]
            ring(pen, at, radius + (2 + 3 * n) * self._zoom, color, width)
            if buff["ticks"] > 0.0:
                self._time(pen, (at[0], at[1] + radius + (5 + 5 * n) * self._zoom), buff, color)
        color = self._colors["enemy" if self._units["side"][u] else "ally"]
        for what in ("cast", "morph"):
            for span in self._carried(u, what):
                progress = 1.0 - self._left(span) if span["ticks"] > 0.0 else 0.0
                line = color if what == "cast" else self._colors["glyph"]
                arc(pen, at, 1.25 * radius, progress, line, max(2, round(0.16 * radius)))
                below = at[1] + 1.25 * radius + (10 + 5 * len(buffs)) * self._zoom
                self._name(span, (at[0], below), color)
        n_aboard = int((self._units["inside"] == u).sum())
        size = 0.16 * radius
        for n in range(n_aboard):
            x = at[0] + (n % 4 - (min(n_aboard, 4) - 1) / 2) * 2.6 * size
            y = at[1] + 0.55 * radius + n // 4 * 2.4 * size
            disc(pen, (x, y), size, self._colors["life_low"], self._colors["track"])

    def missile(self, missile: Records, at: Point) -> None:
        """The name of an ability that flies."""
        if missile["skill"] != codes.NO_ABILITY:
            self._name(missile, (at[0], at[1] - 14 * self._zoom), self._side(missile))

    def names(self, pen: ImageDraw.ImageDraw) -> None:
        """Last, so that nothing hides them."""
        letters = font(_LABEL * self._zoom)
        edge = round(2 * self._zoom)
        for text, at, color in self._names:
            pen.text(
                *(at, text, color, letters),
                anchor="mm",
                stroke_width=edge,
                stroke_fill=self._colors["void"],
            )

    def _time(self, pen: ImageDraw.ImageDraw, at: Point, buff: Records, color: str) -> None:
        x, y, half, one = *at, 8 * self._zoom, self._zoom
        pen.rectangle((x - half - one, y - one, x + half + one, y + 3 * one), self._colors["track"])
        end = x - half + 2 * half * self._left(buff)
        pen.rectangle((x - half, y, end, y + 2 * one), color)

    def _name(self, span: Records, at: Point, color: str) -> None:
        """Once where several of a kind are close together."""
        text = title_of_skill(self._skill(span), self._frames.types)
        near = 70 * self._zoom
        if not any(text == said and math.dist(at, there) < near for said, there, _ in self._names):
            self._names.append((text, at, color))

    def _skill(self, span: Records) -> Skill:
        return self._frames.skills[int(span["skill"])]

    def _carried(self, u: int, kind: str) -> list[Records]:
        return [span for what, span in self._now if what == kind and span["slot"] == u]

    def _place(self, span: Records) -> Point:
        """With its target, if it has one that is still there."""
        target = int(span["target"])
        on = self._units[target] if target >= 0 and self._units["alive"][target] else span
        return self._camera.pixel(on["x"], on["y"])

    def _left(self, span: Records) -> float:
        if span["ticks"] <= 0.0:
            return 0.0
        return float(np.clip(1.0 - (self._tick - span["tick"]) / span["ticks"], 0.0, 1.0))

    def _side(self, span: Records) -> str:
        return self._colors["enemy" if span["side"] else "ally"]

    def _color(self, what: str, span: Records) -> str:
        danger = what == "fall" or self._skill(span).name == "nuke_dot"
        return self._colors["danger"] if danger else self._side(span)
