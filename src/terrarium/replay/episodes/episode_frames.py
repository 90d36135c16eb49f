"""What an episode looked like at each step: particles on a plane, or pictures."""

import struct
import warnings
from dataclasses import dataclass
from io import BytesIO
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from terrarium.replay.errors import ReplayError

MAX_STEPS = 100_000
MAX_NAMES = 1024  # agents, or things on the plane
MAX_TEAMS = 256
MAX_CELLS = 2**21  # numbers of one table: 8 MB
MAX_PICTURES = 300
PICTURE_WIDTH = 480
PICTURE_HEIGHT = 1200
FAR = 100.0
"""From here on a thing counts as hidden: mpe2 sends treasures to -999 while nobody can take them"""


@dataclass(frozen=True)
class Thing:
    """An agent's body, or a landmark."""

    name: str
    kind: Literal["agent", "landmark"]
    radius: float


@dataclass(frozen=True, eq=False)
class Particles:
    """Circles on a plane whose y axis points up."""

    things: tuple[Thing, ...]
    positions: NDArray[np.float32]  # [T+1, E, 2]
    colors: NDArray[np.uint8]  # [T+1, E, 3]: who carries something changes its color
    messages: NDArray[np.float32]  # [T+1, A, C]: what each agent says; zeros: nothing

    @property
    def shown(self) -> NDArray[np.bool_]:
        """[T+1, E]: where a thing is, as opposed to where it was put away."""
        near: NDArray[np.bool_] = np.abs(self.positions).max(axis=-1) < FAR
        return near

    def bounds(self) -> tuple[float, float, float, float]:
        """What a camera must see to see the whole episode: left, bottom, right, top."""
        radii = np.array([thing.radius for thing in self.things])[:, None]  # [E, 1]
        shown = self.shown
        if not shown.any():
            return -1.0, -1.0, 1.0, 1.0
        low, high = (self.positions - radii)[shown], (self.positions + radii)[shown]  # [., 2]
        (left, bottom), (right, top) = low.min(axis=0).tolist(), high.max(axis=0).tolist()
        return float(left), float(bottom), float(right), float(top)


def picture_steps(n_steps: int, every: int) -> list[int]:
    """Of which steps there are pictures: every so many, and the end."""
    steps = list(range(0, n_steps + 1, every))
    return steps if steps[-1] == n_steps else [*steps, n_steps]


def check_particles(particles: Particles, n_steps: int, n_agents: int) -> None:
    n_things, n_words = len(particles.things), particles.messages.shape[-1]
    if not 1 <= n_things <= MAX_NAMES:
        raise ReplayError(f"{n_things} things on the plane; allowed are 1 to {MAX_NAMES}")
    if not all(0.0 < thing.radius <= FAR for thing in particles.things):
        raise ReplayError(f"a radius is outside 0 to {FAR:g}")
    check_table("positions", particles.positions, (n_steps + 1, n_things, 2))
    check_table("colors", particles.colors, (n_steps + 1, n_things, 3))
    check_table("messages", particles.messages, (n_steps + 1, n_agents, n_words))


def check_table(name: str, table: NDArray[np.generic], shape: tuple[int, ...]) -> None:
    """Refuse another shape, too many numbers, and what is no number."""
    if table.shape != shape:
        raise ReplayError(f"{name} have the shape {table.shape} instead of {shape}")
    if table.size > MAX_CELLS:
        raise ReplayError(f"{table.size} {name} are too many; record fewer steps")
    # Sums and drawings of larger numbers would overflow.
    if table.dtype.kind == "f" and not (np.abs(table) < 1e30).all():
        raise ReplayError(f"{name} hold what is no number, or one beyond 1e30")


def is_small_picture(content: bytes) -> bool:
    """Whether its head is one that we would write; a few bytes can announce gigabytes."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with Image.open(BytesIO(content), formats=("PNG", "JPEG")) as image:
                width, height = image.size
    except (OSError, ValueError, SyntaxError, struct.error, Warning, Image.DecompressionBombError):
        return False
    return 1 <= width <= PICTURE_WIDTH and 1 <= height <= PICTURE_HEIGHT
