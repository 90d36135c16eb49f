"""What the pages of battles, games and other episodes have in common: one file, nothing outside.

`viewer/page.html` is the frame. What a page has of its own stands in a file of parts, each below a
line with its name.
"""

import base64
import html
import re
from collections.abc import Mapping, Sequence

from terrarium.replay.pictures.palette import palette_css, viewer_file

_PART = re.compile(r"^<!-- part: (\w+) -->\n", re.MULTILINE)


def html_page(
    parts_file: str,
    title: str,
    record: bytes,
    scripts: Sequence[str],
    styles: Sequence[str] = (),
) -> str:
    """A page that plays a record, which its scripts read."""
    known = _parts(parts_file) | {
        "title": html.escape(f"{title} - Terrarium"),
        "style": palette_css() + "".join(viewer_file(name) for name in ("viewer.css", *styles)),
        # The record holds texts of strangers: as base64 they cannot be taken for HTML.
        "record": base64.b64encode(record).decode("ascii"),
        "script": _scripts(scripts),
    }
    return _filled(viewer_file("page.html"), known)


def _parts(name: str) -> dict[str, str]:
    """The parts of a file by their names."""
    _, *pieces = _PART.split(viewer_file(name))
    return {part: text.strip("\n") for part, text in zip(pieces[::2], pieces[1::2], strict=True)}


def _filled(frame: str, parts: Mapping[str, str]) -> str:
    """The frame with its parts in place of their names."""
    # In one pass, so that a title with {{script}} in it is just a title.
    pieces = frame.split("{{")
    filled = [pieces[0]]
    for piece in pieces[1:]:
        part, rest = piece.split("}}", 1)
        filled += [parts[part], rest]
    return "".join(filled)


def _scripts(names: Sequence[str]) -> str:
    """Scripts of the viewer as one, whose names nobody else sees."""
    lean = "".join(_lean(viewer_file(name)) for name in names)
    return f'"use strict";\n(() => {{\n{lean}}})();'


def _lean(script: str) -> str:
    """A script without indentation and lines of comment, which are a fifth of it.

    No comment and no text of the viewer's scripts goes over several lines.
    """
    lines = (line.strip() for line in script.splitlines())
    return "".join(f"{line}\n" for line in lines if line and not line.startswith(("//", "/*")))
