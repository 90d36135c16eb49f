"""An episode of a world as one HTML file that needs nothing but a browser."""

import base64
import html
import json
import zlib
from pathlib import Path
from typing import Any

from terrarium.replay.files import write_file
from terrarium.replay.page import fill_template, scripts
from terrarium.replay.pettingzoo.world_frames import FAR
from terrarium.replay.pettingzoo.world_record import PettingZooRecord, to_table
from terrarium.replay.pictures.palette import palette, palette_css, viewer_file

_SCRIPTS = ("player.js", "world_data.js", "world_field.js", "world_course.js", "world_app.js")


def world_page(record: PettingZooRecord) -> str:
    """The text of the file."""
    content = json.dumps(_table(record), allow_nan=False).encode()
    parts = {
        "title": html.escape(f"{record.title} - Terrarium"),
        "style": palette_css() + viewer_file("viewer.css") + viewer_file("world.css"),
        # The world holds texts of strangers: as base64 they cannot be taken for HTML.
        "world": base64.b64encode(zlib.compress(content, 9)).decode("ascii"),
        "script": scripts(_SCRIPTS),
    }
    return fill_template("world.html", parts)


def save_world_page(record: PettingZooRecord, path: str | Path) -> int:
    """Write the file; its size in bytes."""
    return write_file(path, world_page(record).encode("utf-8"))


def _table(record: PettingZooRecord) -> dict[str, Any]:
    table = to_table(record) | {"palette": list(palette("dark"))}
    if record.particles is None:
        return table
    return table | {"bounds": record.particles.bounds(), "far": FAR}
