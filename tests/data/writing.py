"""Rule-set files that tests write."""

from typing import Any

NEW_UNIT = """
[defaults]
race = "Terran"
flags = ["army"]

[sentinel]
id = 90001
hp = 70
sight = 9
radius = 0.5
speed = 2

[sentinel.production]
barracks = { ability = 1 }
"""


def toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml(part)}" for key, part in value.items()) + " }"
    return repr(value)
