"""The map that a client means: by its path or by the bytes of its file."""

from pathlib import PurePosixPath

from terrarium.data.battles.scenarios import load_scenario, scenario_names
from terrarium.data.maps.checks import MapError
from terrarium.data.maps.library import find_map
from terrarium.server.game_plan import ServedMap

SUFFIX = ".SC2Map"
SMAC_FOLDER = "SMAC_Maps"


def find_served_map(path: str) -> ServedMap | None:
    """The map with a path as clients send it; None where there is none."""
    parts = PurePosixPath(path.replace("\\", "/"))
    stem = parts.name.removesuffix(SUFFIX)
    battles = {name.split("/")[1]: name for name in scenario_names("smac")}
    if stem in battles:
        scenario = load_scenario(battles[stem])
        return ServedMap(stem, path, scenario)
    for name in (stem, _own_name(stem)):
        try:
            found = find_map(name)
        except MapError:
            continue
        return ServedMap(found.title, path, found)
    return None


def _own_name(stem: str) -> str:
    """Simple64 is our simple_64."""
    letters = stem.rstrip("0123456789")
    return f"{letters.lower()}_{stem[len(letters) :]}"
