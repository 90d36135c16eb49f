"""The files that clients look for in the folder of maps, and which map each of them means."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from terrarium.data.battles.scenarios import scenario_names
from terrarium.data.maps.ladder_maps import ladder_maps
from terrarium.data.maps.library import map_names

SUFFIX = ".SC2Map"
SMAC_FOLDER, MELEE_FOLDER, LADDER_FOLDER, OWN_FOLDER = "SMAC_Maps", "Melee", "Ladder", "Terrarium"
MELEE = {
    **{f"Simple{size}": f"simple_{size}" for size in (64, 96, 128)},
    **{f"Flat{size}": f"flat_{size}" for size in (32, 48, 64, 96, 128)},
    "Empty128": "empty_128",
}
"""files of Blizzard's melee pack"""
EMPTY_BATTLES = ("32x32_flat", "10gen_terran", "10gen_protoss", "10gen_zerg", "10gen_empty")
"""SMACv2's files: its clients create the units"""
OTHER_NAMES = ("Abyssal Reef LE", "(2)CatalystLE", "TritonLE")
"""names of ladder maps' files in examples and map packs that differ from those of the captures"""


@cache
def map_files() -> Mapping[str, str]:
    """Paths below the folder of maps, and what `find_served_map` makes of each."""
    battles = [name.split("/")[1] for name in scenario_names("smac")]
    ladder = list(ladder_maps())
    # Examples leave the edition out: `Acropolis`.
    short = {name.removesuffix("LE") for name in ladder if name.endswith("LE")} - set(ladder)
    files = {
        **{f"{MELEE_FOLDER}/{name}": name for name in MELEE},
        **{f"{SMAC_FOLDER}/{name}": name for name in (*battles, *EMPTY_BATTLES)},
        **{f"{map_.season or LADDER_FOLDER}/{name}": name for name, map_ in ladder_maps().items()},
        **{f"{LADDER_FOLDER}/{name}": name for name in (*sorted(short), *OTHER_NAMES)},
        **{f"{OWN_FOLDER}/{name.replace('/', '_')}": name for name in map_names()},
    }
    return MappingProxyType({path + SUFFIX: name for path, name in files.items()})
