"""Scenarios and terrains as frozen dataclasses: who fights where, under which rules."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Terrain:
    """A map's ground. Grids are indexed [y, x]; cell (x, y) covers [x, x+1) x [y, y+1)."""

    name: str
    title: str
    width: int
    height: int
    playable: tuple[float, float, float, float]
    """x0, y0, x1, y1: nothing is ever outside of it"""
    walkable: NDArray[np.bool_]
    level: NDArray[np.uint8]
    """cliff level of the cell; on a ramp the lower of the two it joins"""
    ramp: NDArray[np.uint8]
    """0 on flat ground; 1, 2, 3 = the lower, middle and upper third of a ramp"""
    z: NDArray[np.float64]
    """height of the ground, in the game's units; NaN where the sources do not say"""
    creep: NDArray[np.bool_]
    buildable: NDArray[np.bool_] | None = None
    """where a structure may stand; `None`: on walkable, flat ground of one level"""
    sight_blocker: NDArray[np.bool_] | None = None
    """ground units do not see through these cells; `None`: there are none"""


@dataclass(frozen=True)
class Order:
    """An opening order of a group."""

    kind: str
    """attack_move: to `at` | attack_move_between: to a random point from `at` to `to` |
    attack: every living unit of `side`, nearest first | hold | patrol: to `at`, then between it
    and `to` | cast: `ability`, at `at` if it has a target"""
    at: tuple[float, float] | None = None
    to: tuple[float, float] | None = None
    side: str | None = None
    ability: str | None = None


@dataclass(frozen=True)
class Group:
    """Units created at one point, in the order in which the script creates them."""

    side: str
    at: tuple[float, float]
    units: Mapping[str, int]
    passive: bool = False
    """the agents' copies of SMAC: they never pick a target themselves"""
    order: Order | None = None
    after_ticks: int = 0
    """when the order is given"""
    hp: float = 1.0
    """share of full life at the start"""
    energy: float | None = None
    """at the start; `None`: what the type starts with"""
    spread: float = 0.0
    """each battle moves the whole group by up to this much in x and in y"""
    spacing: float | None = None
    """from one unit to the next; `None`: they stand as close as they can"""
    inside: Mapping[str, int] = field(default_factory=dict)
    """passengers that each unit of the group begins with"""


@dataclass(frozen=True)
class Generator:
    """SMACv2's random teams and start positions (Ellis et al. 2023, section 4)."""

    n_allies: int
    n_enemies: int
    weights: Mapping[str, float]
    never_only: tuple[str, ...]
    """a team may not consist of these alone"""
    positions: str
    """surrounded_and_reflect | surrounded | reflect"""
    reflect_probability: float
    passive_allies: bool


@dataclass(frozen=True)
class ArmySide:
    """Where a drawn army appears, and of which races it may be."""

    at: tuple[float, float]
    spread: float
    races: tuple[str, ...]
    """one of them is drawn"""


@dataclass(frozen=True)
class Armies:
    """Random armies of equal cost: units are drawn until nothing more can be paid for."""

    value: tuple[float, float]
    """minerals and vespene of the allies, drawn between these"""
    handicap: float
    """the enemies' value as a multiple of the allies'"""
    max_units: int
    """of a side"""
    weights: Mapping[str, float]
    """how often a type is drawn, among those of its race that can still be paid for"""
    upgrade_chance: float
    """for each upgrade that a drawn unit could use; a level needs the one below it"""
    ally: ArmySide
    enemy: ArmySide


@dataclass(frozen=True)
class Stock:
    """What a side owns besides its units: repair is paid for, and a nuke is used up."""

    minerals: float = 0.0
    vespene: float = 0.0
    nukes: int = 0


@dataclass(frozen=True)
class Trigger:
    """A map script that runs every so many ticks."""

    every_ticks: int
    order: str
    """attack_nearest: each idle unit of `side` attacks the nearest unit of the other side |
    cast: each unit of `side` that may use `ability` does so at the nearest opponent it sees"""
    side: str
    ability: str | None = None
    range: float | None = None
    """how near an opponent must be; `None`: as far as the ability reaches"""


@dataclass(frozen=True)
class Measure:
    """How well the allies did, as one number from 0 to 1; value is minerals and vespene."""

    kind: str
    """win: 1 if all enemies are dead | saves: share of the allies' value that lives | kills: share
    of the enemies' value that died | reach: share of the allies' value that lives within `radius`
    of `at` | survives: 1 if at least `share` of the allies' value lives"""
    only: tuple[str, ...] = ()
    """unit types that count, in all of their forms; empty: all of that side"""
    at: tuple[float, float] | None = None
    radius: float | None = None
    share: float = 0.0
    """0: a single unit is enough"""
    good: float = 1.0
    """from here on the battle counts as won"""


@dataclass(frozen=True)
class Smac:
    """What SMAC's registry says of a map beyond its units."""

    map_type: str
    ally_race: str
    enemy_race: str
    unit_type_bits: int


@dataclass(frozen=True)
class Scenario:
    """One battle: terrain, rules, armies, time limit."""

    name: str
    title: str
    version: int
    terrain: Terrain
    rules: str
    limit_steps: int
    """reaching it truncates the episode, it does not terminate it"""
    ticks_per_step: int
    groups: tuple[Group, ...]
    generator: Generator | None = None
    armies: Armies | None = None
    triggers: tuple[Trigger, ...] = ()
    upgrades: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """what each side has researched, lower levels included"""
    stock: Mapping[str, Stock] = field(default_factory=dict)
    fog: bool = False
    """a side sees only what its units see"""
    measure: Measure = Measure("win")
    spare_slots: int = 0
    """room for units that others summon"""
    smac: Smac | None = None
