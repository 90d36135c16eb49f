"""Recorded battles that several tests look at; each is played once."""

import hashlib
import json
import struct
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any

from terrarium.engine.simulator import Simulator
from terrarium.replay.frames import Frames
from terrarium.replay.playback import frames_of
from terrarium.replay.record import Kind, Record, record_battle
from terrarium.replay.storage.container import FORMAT_VERSION
from tests.replay.script import is_over, lead, outcome_word

_PREFIX = struct.Struct("<8sHIIII")


@cache
def recorded(scenario: str = "smac/3m", seed: int = 7, kind: Kind = "exact") -> Record:
    """A battle under a small script."""
    sim = Simulator(scenario)
    recorder = record_battle(sim, lead, is_over, seed, kind)
    return recorder.record(f"A battle of {scenario}", outcome_word(sim))


@cache
def frames(scenario: str = "smac/3m", seed: int = 7) -> Frames:
    return frames_of(recorded(scenario, seed))


def forged(
    content: bytes,
    header: Callable[[dict[str, Any]], object] | None = None,
    raw_header: bytes | None = None,
    body: Callable[[bytearray], object] | None = None,
) -> bytes:
    """A record file that somebody changed who knows the format: sizes and checksum are right."""
    _, _, n_header, _, _, _ = _PREFIX.unpack_from(content)
    middle = _PREFIX.size + n_header
    values = json.loads(zlib.decompress(content[_PREFIX.size : middle]))
    if header is not None:
        header(values)
    raw = json.dumps(values).encode() if raw_header is None else raw_header
    columns = bytearray(zlib.decompress(content[middle:-32]))
    if body is not None:
        body(columns)
    return signed(raw, bytes(columns))


def signed(raw: bytes, body: bytes, sizes: tuple[int, int] | None = None) -> bytes:
    """A file of these parts, or one that lies about their sizes."""
    packed = zlib.compress(raw), zlib.compress(body)
    said = sizes or (len(raw), len(body))
    lengths = (len(packed[0]), said[0], len(packed[1]), said[1])
    content = _PREFIX.pack(b"TERRAREC", FORMAT_VERSION, *lengths) + b"".join(packed)
    return content + hashlib.sha256(content).digest()
