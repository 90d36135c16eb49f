"""Scenarios and terrains as frozen dataclasses: who fights where, under which rules."""

from collections.abc import Mapping
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Order:
    """An opening order of a group."""

    kind: str
    """attack_move: to `at` | attack_move_between: to a random point from `at` to `to` |
    attack: every living unit of `side`, nearest first"""
    at: tuple[float, float] | None
    to: tuple[float, float] | None
    side: str | None


@dataclass(frozen=True)
class Group:
    """Units created at one point, in the order in which the script creates them."""

    side: str
    at: tuple[float, float]
    units: Mapping[str, int]
    passive: bool
    """the agents' copies of SMAC: they never pick a target themselves"""
    order: Order | None


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
class Trigger:
    """A map script that runs every so many ticks."""

    every_ticks: int
    order: str
    """attack_nearest: each idle unit of `side` attacks the nearest unit of the other side"""
    side: str


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
    generator: Generator | None
    trigger: Trigger | None
    smac: Smac | None
