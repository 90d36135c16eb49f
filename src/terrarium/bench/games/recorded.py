"""How the built-in AI developed in recorded games (economy.md, 12): medians of ten games each."""

from collections.abc import Mapping
from dataclasses import dataclass

LOOPS = (1600, 3200, 4800, 6400, 9600)


@dataclass(frozen=True)
class Recorded:
    """Medians of one level and race at `LOOPS`."""

    workers: tuple[float, ...]
    army: tuple[float | None, ...]
    """minerals and gas of living army units; None: not measured"""


def _recorded(workers: str, army: str) -> Recorded:
    numbers = tuple(float(word) for word in workers.split())
    values = tuple(float(word) for word in army.split())
    return Recorded(numbers, (None, *values))


RECORDED: Mapping[str, Mapping[str, Recorded]] = {
    "Medium": {
        "Terran": _recorded("17 18 21 24 24", "50 388 688 750"),
        "Protoss": _recorded("18 18 22 24 25", "100 525 1125 1425"),
        "Zerg": _recorded("17 18 22 24 25", "250 650 850 625"),
    },
    "MediumHard": {
        "Terran": _recorded("17 20 21 26 26", "50 462 900 825"),
        "Protoss": _recorded("18 20 22 26 26", "100 600 1200 2025"),
        "Zerg": _recorded("17 18 20 26 23", "250 650 1050 1475"),
    },
    "Hard": {
        "Terran": _recorded("17 20 22 26 26", "50 475 925 950"),
        "Protoss": _recorded("18 20 20 25 25", "100 688 1412 1150"),
        "Zerg": _recorded("17 18 20 26 25", "250 575 950 1925"),
    },
    "Harder": {
        "Terran": _recorded("17 20 24 28 40", "100 450 725 2562"),
        "Protoss": _recorded("18 24 28 38 48", "100 450 1462 3238"),
        "Zerg": _recorded("17 20 27 32 49", "50 650 975 1825"),
    },
    "VeryHard": {
        "Terran": _recorded("17 20 24 30 44", "100 725 725 2750"),
        "Protoss": _recorded("18 24 32 42 51", "100 400 1125 2600"),
        "Zerg": _recorded("16 20 27 32 50", "50 450 1050 2550"),
    },
}
"""by the level's name in the API, and race"""
