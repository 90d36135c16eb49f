"""An episode of any task as one HTML file that needs nothing but a browser."""

import base64
import html
import json
import zlib
from pathlib import Path
from typing import Any

from terrarium.replay.episodes.episode_frames import FAR
from terrarium.replay.episodes.episode_record import EpisodeRecord, to_table
from terrarium.replay.files import write_file
from terrarium.replay.page import fill_template, scripts
from terrarium.replay.pictures.palette import palette, palette_css, viewer_file

_SCRIPTS = (
    "player.js",
    "episode_data.js",
    "episode_field.js",
    "episode_course.js",
    "episode_app.js",
)


def episode_page(record: EpisodeRecord) -> str:
    """The text of the file."""
    content = json.dumps(_table(record), allow_nan=False).encode()
    parts = {
        "title": html.escape(f"{record.title} - Terrarium"),
        "style": palette_css() + viewer_file("viewer.css") + viewer_file("episode.css"),
        # The record holds texts of strangers: as base64 they cannot be taken for HTML.
        "episode": base64.b64encode(zlib.compress(content, 9)).decode("ascii"),
        "script": scripts(_SCRIPTS),
    }
    return fill_template("episode.html", parts)


def save_episode_page(record: EpisodeRecord, path: str | Path) -> int:
    """Write the file; its size in bytes."""
    return write_file(path, episode_page(record).encode("utf-8"))


def _table(record: EpisodeRecord) -> dict[str, Any]:
    table = to_table(record) | {"palette": list(palette("dark"))}
    if record.particles is None:
        return table
    return table | {"bounds": record.particles.bounds(), "far": FAR}
