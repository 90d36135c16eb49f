"""Episodes that several tests look at, made up so that every number is known."""

import hashlib
import json
import struct
import zlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from terrarium.replay.episodes.episode_frames import Particles, Thing, picture_steps
from terrarium.replay.episodes.episode_picture import encode_picture
from terrarium.replay.episodes.episode_record import FORMAT_VERSION, MAGIC, EpisodeRecord

_PREFIX = struct.Struct("<8sHI")

HUNTER, PREY, ROCK = (217, 89, 89), (89, 217, 89), (64, 64, 64)
N_STEPS = 20


def chase(n_steps: int = N_STEPS, title: str = "A chase") -> EpisodeRecord:
    """Two hunters, one prey that talks and runs to the right, and a rock."""
    steps = np.arange(n_steps + 1, dtype=np.float32)
    positions = np.zeros((n_steps + 1, 4, 2), np.float32)
    positions[:, 0] = [-1.0, 0.5]
    positions[:, 1] = [-1.0, -0.5]
    positions[:, 2, 0] = 0.05 * steps
    positions[:, 3] = [0.5, 0.75]
    colors = np.array([HUNTER, HUNTER, PREY, ROCK], np.uint8)
    messages = np.zeros((n_steps + 1, 3, 3), np.float32)
    messages[1:, 2, 1] = 1.0
    rewards = np.zeros((n_steps, 3), np.float32)
    rewards[:, 0], rewards[:, 1], rewards[:, 2] = 1.0, 2.0, -0.5
    things = (
        Thing("hunter_0", "agent", 0.1),
        Thing("hunter_1", "agent", 0.1),
        Thing("prey_0", "agent", 0.05),
        Thing("rock", "landmark", 0.2),
    )
    return EpisodeRecord(
        title=title,
        task="mpe/chase",
        seed=2**63 + 1,
        agents=("hunter_0", "hunter_1", "prey_0"),
        teams=(("hunter", (0, 1)), ("prey", (2,))),
        rewards=rewards,
        present=np.ones((n_steps + 1, 3), np.bool_),
        fps=10.0,
        particles=Particles(things, positions, np.tile(colors, (n_steps + 1, 1, 1)), messages),
    )


def slides(n_steps: int = 7, every: int = 2) -> EpisodeRecord:
    """An environment that draws itself: the picture of a step is as red as the step is late."""
    shown = picture_steps(n_steps, every)
    pictures = tuple(
        encode_picture(np.full((30, 40, 3), (10 * step, 0, 0), np.uint8)) for step in shown
    )
    present = np.ones((n_steps + 1, 2), np.bool_)
    present[4:, 1] = False
    return replace(
        chase(n_steps, "Slides"),
        agents=("knight_0", "archer_0"),
        teams=(("knight", (0,)), ("archer", (1,))),
        rewards=np.ones((n_steps, 2), np.float32),
        present=present,
        particles=None,
        pictures=pictures,
        picture_every=every,
    )


def forged(content: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    """A file that somebody changed who knows the format: size and checksum are right."""
    table = json.loads(zlib.decompress(content[_PREFIX.size : -32]))
    change(table)
    return signed(json.dumps(table).encode())


def signed(raw: bytes, size: int | None = None) -> bytes:
    """A file with this text, or one that lies about its size."""
    said = len(raw) if size is None else size
    content = _PREFIX.pack(MAGIC, FORMAT_VERSION, said) + zlib.compress(raw)
    return content + hashlib.sha256(content).digest()
