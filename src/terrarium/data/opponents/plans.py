"""What computer opponents of each race build: one plan for each kind of build."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from terrarium.data.opponents.levels import RACES, Opening, read_opening
from terrarium.data.tables import Table

_FOLDER = Path(__file__).parent
_RACE_KEYS = (
    "race", "worker", "townhalls", "supply", "gas", "producer", "anti_air", "opening", "energy",
    "build",
)  # fmt: skip
_PLAN_KEYS = (
    "title", "army", "structures", "upgrades", "producers", "wave_shift", "army_shift",
    "expansion_shift",
)  # fmt: skip


@dataclass(frozen=True)
class ArmyShare:
    """How much of an army's value is one kind of unit, from a loop on."""

    unit: str
    weight: float
    loop: float


@dataclass(frozen=True)
class Goal:
    """To have a number of something from a loop on."""

    what: str
    count: int
    loop: float


@dataclass(frozen=True)
class EnergyUse:
    """An ability that is used whenever there is energy for it."""

    unit: str
    ability: str
    energy: float
    at: str
    """minerals | townhall | producer: what it is aimed at"""


@dataclass(frozen=True)
class BuildPlan:
    """What a player of one race builds, in one kind of build."""

    race: str
    name: str
    title: str
    worker: str
    townhalls: tuple[str, ...]
    supply: str
    gas: tuple[str, ...]
    producer: str
    """the first structure that makes an army possible"""
    anti_air: str
    """the unit against armies that fly"""
    opening: Opening
    energy: tuple[EnergyUse, ...]
    army: tuple[ArmyShare, ...]
    structures: tuple[Goal, ...]
    upgrades: tuple[str, ...]
    producers: Mapping[str, int]
    """how many of a structure each base feeds"""
    wave_shift: float
    """what the loops of attacks are multiplied by; half as much of it is for their size"""
    army_shift: float
    """what the loops of the level's army are multiplied by"""
    expansion_shift: float
    """what the loops of expansions are multiplied by"""


BUILDS = ("Rush", "Timing", "Power", "Macro", "Air")
RANDOM_BUILD = "RandomBuild"
_TARGETS = ("minerals", "townhall", "producer")


@cache
def plans(race: str) -> Mapping[str, BuildPlan]:
    """The plans of a race, by the names of the game's API."""
    label = f"opponents/{race.lower()}.toml"
    table = Table.read(_FOLDER / f"{race.lower()}.toml", label)
    table.only(_RACE_KEYS)
    table.choice("race", RACES)
    listed = table.table("build")
    listed.only(BUILDS)
    made = {name: _plan(name, listed.table(name), table) for name in BUILDS}
    return MappingProxyType(made)


def _plan(name: str, table: Table, race: Table) -> BuildPlan:
    table.only(_PLAN_KEYS)
    producers = table.table("producers")
    return BuildPlan(
        race=race.text("race"),
        name=name,
        title=table.text("title"),
        worker=race.text("worker"),
        townhalls=_words(race, "townhalls"),
        supply=race.text("supply"),
        gas=_words(race, "gas"),
        producer=race.text("producer"),
        anti_air=race.text("anti_air"),
        opening=read_opening(race.table("opening")),
        energy=tuple(_energy_use(race, row) for row in _rows(race, "energy", 4)),
        army=tuple(ArmyShare(str(u), float(w), float(k)) for u, w, k in _rows(table, "army", 3)),
        structures=tuple(
            Goal(str(s), int(n), float(k)) for s, n, k in _rows(table, "structures", 3)
        ),
        upgrades=_words(table, "upgrades"),
        producers=MappingProxyType({key: producers.integer(key, 1) for key in producers.values}),
        wave_shift=_shift(table, "wave_shift"),
        army_shift=_shift(table, "army_shift"),
        expansion_shift=_shift(table, "expansion_shift"),
    )


def _shift(table: Table, key: str) -> float:
    return table.number(key, 0) if table.has(key) else 1.0


def _energy_use(table: Table, row: list[Any]) -> EnergyUse:
    unit, ability, energy, at = row
    if at not in _TARGETS:
        raise table.error(f"{at!r} is not one of {', '.join(_TARGETS)}", "energy")
    return EnergyUse(str(unit), str(ability), float(energy), str(at))


def _words(table: Table, key: str) -> tuple[str, ...]:
    words = table.array(key)
    if not all(isinstance(word, str) for word in words):
        raise table.error(f"{words!r} is not a list of names", key)
    return tuple(words)


def _rows(table: Table, key: str, length: int) -> list[list[Any]]:
    rows = table.array(key)
    for k, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != length:
            raise table.error(f"{row!r} is not a list of {length} entries", key, k)
    return rows
