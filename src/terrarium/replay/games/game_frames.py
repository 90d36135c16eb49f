"""What a viewer needs of a whole game: the course of every unit, of the ground and of the players.

A game is too long for a table of units and samples. Each unit has *knots* instead: what changes
steadily, like a place, is a line between two knots, and what jumps, like an order, stays until the
next one. Numbers are whole: `LINES` and `STEPS` say how many of them make one of the game's units.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from terrarium.data.maps.game_map import GameMap
from terrarium.engine.records import Records
from terrarium.replay.frames import Skill

GAME_RESULTS = ("victory", "defeat", "tie", "undecided")
NEUTRAL = 0
PLACE_STEPS = 64
"""of a cell"""


@dataclass(frozen=True)
class LineColumn:
    """What is joined by straight lines, and how far those may be from what was sampled."""

    names: tuple[str, ...]
    steps: int
    """whole numbers to one unit of the game"""
    tolerance: int
    """in steps; rounding adds a half"""

    @property
    def error(self) -> float:
        """The most by which a value at a sample is off, in the game's units."""
        return (self.tolerance + 0.5) / self.steps


LINES: Mapping[str, LineColumn] = {
    "place": LineColumn(("x", "y"), PLACE_STEPS, 2),
    "hp": LineColumn(("hp",), 4, 3),
    "shield": LineColumn(("shield",), 4, 3),
    "energy": LineColumn(("energy",), 4, 3),
    "contents": LineColumn(("contents",), 1, 6),  # of a resource
    "built": LineColumn(("built",), 1024, 2),  # share of a structure
    "first_item": LineColumn(("first_item",), 1024, 4),  # share of what is made
    "second_item": LineColumn(("second_item",), 1024, 4),  # beside it, with a reactor
}
STEPS: Mapping[str, tuple[str, ...]] = {
    "kind": ("kind",),  # row of GameFrames.types
    "owner": ("owner",),
    "flags": ("flags",),
    "hp_max": ("hp_max",),  # in steps of hp
    "aim": ("aim",),  # 1 + unit that it attacks or heals
    "inside": ("inside",),  # 1 + unit that it is in
    "queue": ("queue",),  # row of GameFrames.queues
    "order": ("kind", "skill", "target", "x", "y"),  # skill, or product of orders to build: 1 +
}

FLAGS = (
    *("unfinished", "attacking", "healing", "cloaked", "rooted", "disarmed", "silenced"),
    *("untouchable", "lifted", "minerals", "vespene"),  # the last two: what it carries
)
SEEN_BIT = len(FLAGS) - 1
"""Bit SEEN_BIT + o of the flags: player o sees the unit."""
MAX_GAME_PLAYERS = 4

LIFE = np.dtype([("born", "i8"), ("ended", "i8")])  # samples: the first with it, and without it
LOSS = np.dtype([("sample", "i8"), ("unit", "i8"), ("killer", "i8")])  # killer -1: nobody
UPGRADE = np.dtype([("sample", "i8"), ("player", "i8"), ("upgrade", "i8")])
CURVES = (
    *("minerals", "vespene", "supply_used", "supply_cap", "workers"),
    *("mineral_rate", "vespene_rate", "army_minerals", "army_vespene"),
)
"""Of each player, about once a second; rates are per minute of the game's time."""


@dataclass(frozen=True)
class GameAbout:
    """Which game it is, and what it was played by."""

    title: str
    seed: int
    players: tuple[str, ...]
    """what they are called"""
    races: tuple[str, ...]
    results: tuple[str, ...]
    """of each player, one of GAME_RESULTS"""
    fog: bool
    ruleset: str
    ruleset_version: int
    rules_version: int
    package_version: str


@dataclass(frozen=True)
class ThingType:
    """What is drawn of a type of unit, structure or resource."""

    name: str
    race: str
    radius: float
    hp: float
    shield: float
    energy: float
    reach: float
    sight: float
    flying: bool
    burrowed: bool
    form_of: str
    cargo: int
    role: str
    """one of ROLES"""
    width: int
    """of its footprint in cells; 0 = it has none"""
    height: int
    value: float
    """minerals and vespene"""
    outline: tuple[tuple[float, float], ...] = ()
    """of rocks: its corners, from the middle"""


ROLES = (
    *("army", "worker", "structure", "townhall", "other"),
    *("minerals", "vespene", "destructible", "plates", "tower"),  # of nobody, as maps call them
)


@dataclass(frozen=True)
class Fight:
    """Damage that came close in time and place."""

    first: int
    """samples: the first and the last damage"""
    last: int
    x: float
    y: float
    lost: tuple[float, ...]
    """minerals and vespene of what each player lost there"""


@dataclass(frozen=True, eq=False)
class Knots:
    """The course of one property of all units: knots by unit, then in the order of time."""

    first: NDArray[np.int64]  # [L + 1] where the knots of each unit begin
    sample: NDArray[np.int64]  # [K]
    values: NDArray[np.int64]  # [K, n]


@dataclass(frozen=True, eq=False)
class CellLayer:
    """Which cells of the ground are on, from time to time: the cells that changed, as runs."""

    sample: NDArray[np.int64]  # [G]
    n_runs: NDArray[np.int64]  # [G]
    runs: NDArray[np.int64]  # [R] lengths: as before, changed, as before, ...


@dataclass(frozen=True, eq=False)
class GameFrames:
    """A whole game."""

    about: GameAbout
    map: GameMap
    types: tuple[ThingType, ...]
    skills: tuple[Skill, ...]
    products: tuple[str, ...]
    upgrades: tuple[str, ...]
    queues: tuple[tuple[int, ...], ...]
    """rows of products; the first one is empty"""
    ticks: NDArray[np.int64]  # [T] of the samples
    lives: Records  # [L] LIFE, in the order of birth
    knots: Mapping[str, Knots]  # of LINES and STEPS
    losses: Records  # [D] LOSS
    researched: Records  # [R] UPGRADE
    curve_samples: NDArray[np.int64]  # [C]
    curves: Mapping[str, NDArray[np.int64]]  # CURVES: [P, C]
    creep: CellLayer
    sights: tuple[CellLayer, ...]  # what each player sees; empty without fog
    spans: Records  # [K] frames.SPAN, whose slots are units
    fights: tuple[Fight, ...]

    @property
    def n_players(self) -> int:
        return len(self.about.players)

    def at(self, name: str, sample: int) -> NDArray[np.float64]:
        """[L, n] a property of every unit at a sample; 0 where there was none."""
        knots, line = self.knots[name], LINES.get(name)
        n_lives = len(self.lives)
        values = np.zeros((n_lives, knots.values.shape[1]))
        there = np.flatnonzero((self.lives["born"] <= sample) & (sample < self.lives["ended"]))
        if not len(there):
            return values
        span = len(self.ticks) + 1
        unit = np.repeat(np.arange(n_lives), np.diff(knots.first))
        place = np.searchsorted(unit * span + knots.sample, there * span + sample, side="right") - 1
        values[there] = knots.values[place]
        if line is None:
            return values
        last = place + 1 >= knots.first[there + 1]
        after = np.where(last, place, place + 1)
        start, end = self.ticks[knots.sample[place]], self.ticks[knots.sample[after]]
        share = np.where(last, 0.0, (self.ticks[sample] - start) / np.maximum(end - start, 1))
        values[there] += share[:, None] * (knots.values[after] - knots.values[place])
        return values / line.steps


def layer_at(layer: CellLayer, sample: int, n_cells: int) -> NDArray[np.bool_]:
    """The cells of a layer that are on at a sample."""
    n = int(np.searchsorted(layer.sample, sample, side="right"))
    cells = np.zeros(n_cells, np.bool_)
    first = 0
    for count in layer.n_runs[:n].tolist():
        runs = layer.runs[first : first + count]
        first += count
        changed = np.repeat(np.arange(count) % 2 == 1, runs)
        cells[: len(changed)] ^= changed
    return cells
