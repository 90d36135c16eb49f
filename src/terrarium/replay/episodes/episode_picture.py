"""A moment of an episode as an image, in the style of the page, and the whole as an animation."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from terrarium.replay.episodes.episode_frames import PICTURE_HEIGHT, PICTURE_WIDTH, Particles
from terrarium.replay.episodes.episode_record import EpisodeRecord
from terrarium.replay.errors import ReplayError
from terrarium.replay.pictures.animation import FRAME_S, MAX_PICTURES, N_COLORS, write_gif
from terrarium.replay.pictures.animation import WIDTH as GIF_WIDTH
from terrarium.replay.pictures.drawing import Box, Point, dashed_ring, disc, faded, font, shortened
from terrarium.replay.pictures.palette import Scheme, palette
from terrarium.replay.pictures.picture import FINE, write_image

WIDTH = 900
TRAIL_STEPS = 14
JUMP = 0.5  # farther in one step is no way but a jump
CONTRAST = 3.5
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_HEAD = 44  # pixels above the field, for the title
_MARGIN = 40
_MOST_HEIGHT = 1.2  # of the width: a plane that is only high would be a tower


class EpisodePainter:
    """Paints any step of one episode."""

    def __init__(self, record: EpisodeRecord, width: int = WIDTH, scheme: Scheme = "dark") -> None:
        self._record, self._colors = record, palette(scheme)
        self._zoom = FINE * width / WIDTH  # of everything that is measured in pixels
        self._width, self._head = FINE * width, round(_HEAD * self._zoom)
        self._returns = record.returns()
        self._fit()

    def _fit(self) -> None:
        """Set the camera so that the whole episode is seen."""
        particles, width = self._record.particles, self._width
        if particles is None:
            self._scale, self._middle = 1.0, (0.0, 0.0)
            with _opened(self._record.pictures[0]) as first:
                height = round(width * first.height / first.width)
            self._height = min(height, round(_MOST_HEIGHT * width))
            return
        left, bottom, right, top = particles.bounds()
        wide, high, margin = max(right - left, 0.5), max(top - bottom, 0.5), _MARGIN * self._zoom
        self._scale = (width - 2 * margin) / wide
        self._height = round(min(high * self._scale + 2 * margin, _MOST_HEIGHT * width))
        self._height = max(self._height, width // 2)
        self._scale = min(self._scale, (self._height - 2 * margin) / high)
        self._middle = ((left + right) / 2, (bottom + top) / 2)

    def paint(self, step: int) -> Image.Image:
        """What is seen after `step` steps."""
        size = (self._width, self._head + self._height)
        image = Image.new("RGB", size, self._colors["void"])
        # On a layer of its own, because Pillow blends nothing within one image.
        layer = Image.new("RGBA", size)
        pen = ImageDraw.Draw(layer)
        if self._record.particles is None:
            self._paste_picture(image, step)
        else:
            self._things(pen, self._record.particles, step)
        self._headline(pen, step)
        image.paste(layer, mask=layer)
        return image.reduce(FINE)

    def _pixel(self, x: float, y: float) -> Point:
        """y grows upwards on the plane and downwards in a picture."""
        right, up = x - self._middle[0], y - self._middle[1]
        down = self._head + self._height / 2
        return self._width / 2 + right * self._scale, down - up * self._scale

    def _things(self, pen: ImageDraw.ImageDraw, particles: Particles, step: int) -> None:
        things, shown = particles.things, particles.shown[step]
        # Agents above landmarks, small above large: nothing is covered whole.
        order = sorted(
            (e for e in range(len(things)) if shown[e] and self._is_there(e, step)),
            key=lambda e: (things[e].kind == "agent", -things[e].radius),
        )
        agents = [e for e in order if things[e].kind == "agent"]
        for e in order[: len(order) - len(agents)]:
            self._body(pen, particles, e, step)
        for e in agents:
            self._trail(pen, particles, e, step)
        for e in agents:
            self._body(pen, particles, e, step)
        for e in agents:
            self._words(pen, particles, e, step)
        taken: list[Box] = []
        for e in agents:
            self._name(pen, particles, e, step, taken)

    def _is_there(self, e: int, step: int) -> bool:
        """A thing that is no agent of the record is always there."""
        particles, agents = self._record.particles, self._record.agents
        assert particles is not None
        thing = particles.things[e]
        if thing.kind != "agent" or thing.name not in agents:
            return True
        return bool(self._record.present[step, agents.index(thing.name)])

    def _color(self, particles: Particles, e: int, step: int) -> str:
        return visible(particles.colors[step, e], self._colors["void"])

    def _radius(self, particles: Particles, e: int) -> float:
        return max(4.0 * self._zoom, particles.things[e].radius * self._scale)

    def _trail(self, pen: ImageDraw.ImageDraw, particles: Particles, e: int, step: int) -> None:
        """Where it was, fainter the longer ago."""
        color, places = self._color(particles, e, step), particles.positions[:, e]
        width = min(6.0 * self._zoom, 0.4 * self._radius(particles, e))
        for k in range(min(TRAIL_STEPS, step)):
            to, origin = places[step - k], places[step - k - 1]
            if np.abs(to - origin).max() > JUMP:
                break
            left = 1 - k / TRAIL_STEPS
            ends = [self._pixel(*origin.tolist()), self._pixel(*to.tolist())]
            pen.line(ends, fill=faded(color, 0.55 * left), width=max(2, round(width * left)))

    def _body(self, pen: ImageDraw.ImageDraw, particles: Particles, e: int, step: int) -> None:
        """Agents are full circles, landmarks hollow ones with a cross."""
        at = x, y = self._pixel(*particles.positions[step, e].tolist())
        radius, color = self._radius(particles, e), self._color(particles, e, step)
        line = max(2, round(1.75 * self._zoom))
        if particles.things[e].kind == "agent":
            disc(pen, at, radius, color, self._colors["glyph"], line)
            return
        disc(pen, at, radius, faded(color, 0.14))
        dashed_ring(pen, at, radius, color, line, max(8, round(radius / (3 * self._zoom))))
        arm = min(6.0 * self._zoom, 0.6 * radius)
        pen.line((x - arm, y, x + arm, y), fill=color, width=line)
        pen.line((x, y - arm, x, y + arm), fill=color, width=line)

    def _words(self, pen: ImageDraw.ImageDraw, particles: Particles, e: int, step: int) -> None:
        """The letter of what an agent says, above it."""
        name, agents = particles.things[e].name, self._record.agents
        said = particles.messages[step, agents.index(name)] if name in agents else np.zeros(0)
        if not said.any():
            return
        best = int(np.abs(said).argmax())
        letter = _LETTERS[best] if best < len(_LETTERS) else f"#{best + 1}"
        x, y = self._pixel(*particles.positions[step, e].tolist())
        letters, half = font(15 * self._zoom), 12 * self._zoom
        y -= self._radius(particles, e) + half + 4 * self._zoom
        side = max(half, letters.getlength(letter) / 2 + 6 * self._zoom)
        box = (x - side, y - half, x + side, y + half)
        color, panel = self._color(particles, e, step), self._colors["panel"]
        pen.rounded_rectangle(box, 7 * self._zoom, panel, color, max(2, round(1.5 * self._zoom)))
        pen.text((x, y), letter, self._colors["text"], letters, anchor="mm")

    def _name(
        self,
        pen: ImageDraw.ImageDraw,
        particles: Particles,
        e: int,
        step: int,
        taken: list[Box],
    ) -> None:
        """An agent's name below it, where it covers no other."""
        name, letters = particles.things[e].name, font(12 * self._zoom)
        x, y = self._pixel(*particles.positions[step, e].tolist())
        half, top = letters.getlength(name) / 2, y + self._radius(particles, e) + 3 * self._zoom
        box = (x - half, top, x + half, top + 15 * self._zoom)
        beside = (
            box[0] >= right or box[2] <= left or box[1] >= low or box[3] <= high
            for left, high, right, low in taken
        )
        if all(beside):
            taken.append(box)
            middle = (x, (box[1] + box[3]) / 2)
            pen.text(middle, name, self._colors["text"], letters, anchor="mm")

    def _paste_picture(self, image: Image.Image, step: int) -> None:
        with _opened(self._record.picture_at(step)) as picture:
            scale = min(self._width / picture.width, self._height / picture.height)
            size = max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
            shown = picture.convert("RGB").resize(size, Image.Resampling.LANCZOS)
        at = (self._width - size[0]) // 2, self._head + (self._height - size[1]) // 2
        image.paste(shown, at)

    def _headline(self, pen: ImageDraw.ImageDraw, step: int) -> None:
        colors, zoom, width, record = self._colors, self._zoom, self._width, self._record
        pen.rectangle((0, 0, width, self._head - 1), fill=colors["panel"])
        pen.line((0, self._head - 1, width, self._head - 1), fill=colors["edge"], width=FINE)
        letters, middle, right = font(15 * zoom), self._head / 2, width - 16 * zoom
        for note, color in (
            (f"step {step} / {record.n_steps}", colors["text"]),
            (f"mean return {self._returns[step].mean():.2f}", colors["muted"]),
        ):
            pen.text((right, middle), note, color, letters, anchor="rm")
            right -= letters.getlength(note) + 22 * zoom
        title = shortened(record.title, letters, right - 16 * zoom)
        pen.text((16 * zoom, middle), title, colors["text"], letters, anchor="lm")


def save_episode_png(record: EpisodeRecord, path: str | Path, at_s: float | None = None) -> int:
    """Write one moment, by default the middle; the size of the file in bytes."""
    step = record.n_steps // 2 if at_s is None else step_at(record, at_s)
    image = EpisodePainter(record).paint(step)
    return write_image(path, lambda file: image.save(file, "PNG", optimize=True))


def step_at(record: EpisodeRecord, at_s: float) -> int:
    """The step nearest to a time in seconds, as the page counts them."""
    # Half a tenth of room, because times are shown rounded.
    if not 0.0 <= at_s <= record.seconds + 0.05:
        raise ReplayError(f"at is {at_s:g} s; the episode lasts from 0 to {record.seconds:.1f} s")
    return min(record.n_steps, round(at_s * record.fps))


def save_episode_gif(
    record: EpisodeRecord, path: str | Path, progress: Callable[[float], None] | None = None
) -> int:
    """Write the episode at its own speed, long ones faster; the size of the file in bytes."""
    pause_s = max(FRAME_S, 1.0 / record.fps)
    n_pictures = min(MAX_PICTURES, record.n_steps + 1, int(record.seconds / pause_s) + 2)
    painter = EpisodePainter(record, GIF_WIDTH)
    # One palette for all: colors that change from picture to picture flicker.
    colors = painter.paint(record.n_steps // 2).quantize(N_COLORS, dither=Image.Dither.NONE)
    pictures = []
    for n, step in enumerate(np.linspace(0, record.n_steps, n_pictures).round().tolist()):
        picture = painter.paint(int(step))
        pictures.append(picture.quantize(palette=colors, dither=Image.Dither.NONE))
        if progress is not None:
            progress((n + 1) / n_pictures)
    return write_gif(path, pictures, pause_s)


def encode_picture(frame: NDArray[np.uint8]) -> bytes:
    """A picture [height, width, 3] as a small file: PNG where it is exact, else JPEG."""
    image = Image.fromarray(frame)
    scale = min(1.0, PICTURE_WIDTH / image.width, PICTURE_HEIGHT / image.height)
    if scale < 1.0:
        size = max(1, round(image.width * scale)), max(1, round(image.height * scale))
        image = image.resize(size, Image.Resampling.BOX)
    buffer = BytesIO()
    if image.getcolors(256) is None:
        image.save(buffer, "JPEG", quality=85)
    else:
        image.quantize(256, dither=Image.Dither.NONE).save(buffer, "PNG", optimize=True)
    return buffer.getvalue()


def visible(color: NDArray[np.uint8], ground: str) -> str:
    """A color moved away from the ground until it can be told from it."""
    below = _light(np.array([int(ground[at : at + 2], 16) for at in (1, 3, 5)]))
    target = 255.0 if below < 0.5 else 0.0
    for share in np.arange(0.0, 1.0, 0.05).tolist():
        mixed = np.round(color + share * (target - color.astype(np.float64)))
        light = _light(mixed)
        if (max(light, below) + 0.05) / (min(light, below) + 0.05) >= CONTRAST:
            return "#" + "".join(f"{int(part):02x}" for part in mixed)
    return "#ffffff" if target else "#000000"


def _light(color: NDArray[np.generic]) -> float:
    """Relative luminance, as WCAG defines it."""
    part = np.asarray(color, np.float64) / 255
    linear = np.where(part <= 0.04, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return float(linear @ np.array([0.2126, 0.7152, 0.0722]))


def _opened(content: bytes) -> Image.Image:
    """A picture, decoded; a damaged one is told in a line."""
    try:
        image = Image.open(BytesIO(content), formats=("PNG", "JPEG"))
        image.load()
    except (OSError, ValueError, SyntaxError) as error:
        raise ReplayError(f"a picture of the record is damaged: {error}; record anew") from error
    return image
