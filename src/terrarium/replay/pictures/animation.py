"""A battle as an animated GIF."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from terrarium.replay.frames import Frames
from terrarium.replay.names import TICKS_PER_S_PLAYED
from terrarium.replay.pictures.picture import Painter, fight_middle, write_image

WIDTH = 640
MAX_PICTURES = 240
FRAME_S = 0.1  # between pictures at least
LAST_S = 1.5
N_COLORS = 96


def save_gif(
    frames: Frames, path: str | Path, progress: Callable[[float], None] | None = None
) -> int:
    """Write the battle at the game's speed, long ones faster; the size of the file in bytes."""
    ticks = frames.ticks
    n_pictures = min(MAX_PICTURES, int(ticks[-1] / TICKS_PER_S_PLAYED / FRAME_S) + 1, len(ticks))
    times = np.linspace(0, ticks[-1], n_pictures)
    chosen = np.searchsorted(ticks, times, side="right") - 1
    painter = Painter(frames, WIDTH)
    # One palette for all: colors that change from picture to picture flicker.
    colors = painter.paint(fight_middle(frames)).quantize(N_COLORS, dither=Image.Dither.NONE)
    pictures: list[Image.Image] = []
    for n, k in enumerate(chosen.tolist()):
        picture = painter.paint(int(k))
        pictures.append(picture.quantize(palette=colors, dither=Image.Dither.NONE))
        if progress is not None:
            progress((n + 1) / n_pictures)
    return write_gif(path, pictures, FRAME_S)


def write_gif(path: str | Path, pictures: Sequence[Image.Image], pause_s: float) -> int:
    """Write pictures that share a palette one after another; the last one stays longer."""
    pauses = [round(1000 * pause_s)] * (len(pictures) - 1) + [round(1000 * LAST_S)]
    return write_image(
        path,
        lambda file: pictures[0].save(
            file, "GIF", save_all=True, append_images=pictures[1:], duration=pauses, loop=0
        ),
    )
