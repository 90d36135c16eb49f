"""A battle as one HTML file that needs nothing but a browser."""

import base64
import html
import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from terrarium.replay.columns import layout, sizes_of, to_columns
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
from terrarium.replay.packing import pack
from terrarium.replay.pictures.palette import palette, palette_css, viewer_file

_SCRIPTS = (
    *("player.js", "data.js", "ground.js", "spells.js", "field.js"),
    *("timeline.js", "panel.js", "story.js", "app.js"),
)


def page(frames: Frames) -> str:
    """The text of the file."""
    parts = {
        "title": html.escape(f"{frames.about.title} - Terrarium"),
        "style": palette_css() + viewer_file("viewer.css"),
        # The battle holds texts of strangers: as base64 they cannot be taken for HTML.
        "battle": base64.b64encode(_battle(frames)).decode("ascii"),
        "script": scripts(_SCRIPTS),
    }
    return fill_template("viewer.html", parts)


def fill_template(name: str, parts: Mapping[str, str]) -> str:
    """A page of the viewer with its parts in place of their names."""
    # In one pass, so that a title with {{script}} in it is just a title.
    pieces = viewer_file(name).split("{{")
    filled = [pieces[0]]
    for piece in pieces[1:]:
        part, rest = piece.split("}}", 1)
        filled += [parts[part], rest]
    return "".join(filled)


def scripts(names: Sequence[str]) -> str:
    """Scripts of the viewer as one, whose names nobody else sees."""
    lean = "".join(_lean(viewer_file(name)) for name in names)
    return f'"use strict";\n(() => {{\n{lean}}})();'


def _lean(script: str) -> str:
    """A script without indentation and lines of comment, which are a fifth of it.

    No comment and no text of the viewer's scripts goes over several lines.
    """
    lines = (line.strip() for line in script.splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.startswith(("//", "/*")))


def save_page(frames: Frames, path: str | Path) -> int:
    """Write the file; its size in bytes."""
    return write_file(path, page(frames).encode("utf-8"))


def _battle(frames: Frames) -> bytes:
    """Header and columns, compressed."""
    header = json.dumps(_header(frames), allow_nan=False).encode()
    columns = pack(to_columns(frames).values())
    return zlib.compress(struct.pack("<I", len(header)) + header + columns, 9)


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
