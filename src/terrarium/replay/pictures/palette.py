"""The colors of pages and pictures, stated once in `viewer/palette.json`."""

import json
from functools import cache
from importlib.resources import files
from typing import Literal

Scheme = Literal["dark", "light"]


def viewer_file(name: str) -> str:
    """One of the texts that a page is made of."""
    return files("terrarium.replay").joinpath("viewer", name).read_text(encoding="utf-8")


@cache
def palette(scheme: Scheme) -> dict[str, str]:
    """The colors of a scheme by their names, as #rrggbb."""
    colors: dict[str, str] = json.loads(viewer_file("palette.json"))[scheme]
    return colors


def palette_css() -> str:
    """Both schemes as variables of a style sheet; dark unless the reader prefers light."""
    rules = {scheme: _variables(palette(scheme)) for scheme in ("dark", "light")}
    light = f"@media (prefers-color-scheme: light) {{ :root {{ {rules['light']} }} }}"
    return f":root {{ {rules['dark']} }}\n{light}\n"


def _variables(colors: dict[str, str]) -> str:
    return " ".join(f"--{name}: {color};" for name, color in colors.items())
