"""A battle as one HTML file that needs nothing but a browser."""

import json
import struct
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import Any

from terrarium.replay.files import write_file
from terrarium.replay.frames import SPAN_KINDS, Frames
from terrarium.replay.names import (
    glyphs,
    ground_signs,
    result_of,
    title_of,
    title_of_skill,
    title_of_upgrade,
)
from terrarium.replay.pictures.palette import palette
from terrarium.replay.shell import html_page
from terrarium.replay.storage.columns import layout, sizes_of, to_columns
from terrarium.replay.storage.packing import pack

_SCRIPTS = (
    *("player.js", "columns.js", "data.js", "map.js", "ground.js", "spells.js", "field.js"),
    *("timeline.js", "panel.js", "story.js", "app.js"),
)


def page(frames: Frames) -> str:
    """The text of the file."""
    return html_page("battle.html", frames.about.title, _battle(frames), _SCRIPTS)


def save_page(frames: Frames, path: str | Path) -> int:
    """Write the file; its size in bytes."""
    return write_file(path, page(frames).encode("utf-8"))


def _battle(frames: Frames) -> bytes:
    """Header and columns, compressed."""
    return record_bytes(_header(frames), pack(to_columns(frames).values()))


def record_bytes(header: dict[str, Any], columns: bytes) -> bytes:
    """What `viewer/columns.js` reads: the header and the columns that it lays out, compressed."""
    text = json.dumps(header, allow_nan=False).encode()
    return zlib.compress(struct.pack("<I", len(text)) + text + columns, 9)


def _header(frames: Frames) -> dict[str, Any]:
    text, winner = result_of(frames)
    terrain = frames.terrain
    creep = ["".join(".~"[cell] for cell in row) for row in terrain.creep.astype(int).tolist()]
    return {
        "about": asdict(frames.about) | {"seed": str(frames.about.seed)},
        "result": {"text": text, "winner": winner},
        "types": [
            asdict(unit_type) | {"title": title_of(unit_type), "glyph": glyph}
            for unit_type, glyph in zip(frames.types, glyphs(frames.types), strict=True)
        ],
        "skills": [
            asdict(skill) | {"title": title_of_skill(skill, frames.types)}
            for skill in frames.skills
        ],
        "spanKinds": SPAN_KINDS,
        "reasons": frames.reasons,
        "upgrades": [[title_of_upgrade(name) for name in side] for side in frames.about.upgrades],
        "terrain": {
            "width": terrain.width,
            "height": terrain.height,
            "cells": ground_signs(terrain),
            "creep": creep if terrain.creep.any() else None,
        },
        "colors": list(palette("dark")),
        "layout": layout(sizes_of(frames)),
    }
