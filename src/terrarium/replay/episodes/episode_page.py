"""An episode of any task as one HTML file that needs nothing but a browser."""

import json
import zlib
from pathlib import Path
from typing import Any

from terrarium.replay.episodes.episode_frames import FAR
from terrarium.replay.episodes.episode_record import EpisodeRecord, to_table
from terrarium.replay.files import write_file
from terrarium.replay.pictures.palette import palette
from terrarium.replay.shell import html_page

_SCRIPTS = (
    "player.js",
    "episode_data.js",
    "episode_field.js",
    "episode_course.js",
    "episode_app.js",
)


def episode_page(record: EpisodeRecord) -> str:
    """The text of the file."""
    content = zlib.compress(json.dumps(_table(record), allow_nan=False).encode(), 9)
    return html_page("episode.html", record.title, content, _SCRIPTS, ("episode.css",))


def save_episode_page(record: EpisodeRecord, path: str | Path) -> int:
    """Write the file; its size in bytes."""
    return write_file(path, episode_page(record).encode("utf-8"))


def _table(record: EpisodeRecord) -> dict[str, Any]:
    table = to_table(record) | {"palette": list(palette("dark"))}
    if record.particles is None:
        return table
    return table | {"bounds": record.particles.bounds(), "far": FAR}
