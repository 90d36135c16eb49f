"""What tactics see of the game, and what they say: arrays with battles first.

Axes: `N` battles, `A` own units, `E` enemies, `U` units of one side, `K` headings. Places and
distances are in cells, times in ticks; distances are between centers.
"""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from terrarium.tactics.ground import Ground

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

NOBODY = -1


@dataclass(frozen=True)
class Army:
    """The units of one side. Arrays are [N, U], places and velocities [N, U, 2]."""

    pos: Floats
    velocity: Floats
    """cells a tick, now"""
    alive: Bools
    hp: Floats
    hp_max: Floats
    shield: Floats
    shield_max: Floats
    energy: Floats
    radius: Floats
    speed: Floats
    """cells a tick, at most"""
    layer: Ints
    """which layer of the ground it moves on"""
    is_walker: Bools
    """cliffs and walls stop it"""
    period_ticks: Floats
    """from shot to shot; 0 = it has no weapon"""
    splash: Floats
    """radius in which its attack hurts others than its target"""
    bursts: Bools
    """it dies with its attack"""
    heals_per_tick: Floats
    """life that it can give to a friend; 0 = it is no healer"""
    can_be_healed: Bools

    @property
    def life(self) -> Floats:
        return self.hp + self.shield


@dataclass(frozen=True)
class View:
    """A batch of battles at the moment of a decision.

    It holds what the game shows to a player: not the orders, targets and cooldowns of the enemy.
    """

    own: Army
    enemy: Army
    cooldown_ticks: Floats
    """[N, A] until an own unit can shoot again"""
    unhurt_ticks: Floats
    """[N, A] since an own unit was last hurt"""
    aim: Ints
    """[N, A] the enemy at whom a shot has been started; NOBODY = none"""
    reach: Floats
    """[N, A, E] from which an own unit hits an enemy; 0 = it never can"""
    damage: Floats
    """[N, A, E] what one attack takes from the life of an enemy"""
    enemy_reach: Floats
    """[N, A, E] from which the enemy hits the own unit; 0 = it never can"""
    enemy_damage: Floats
    """[N, A, E]"""
    heal_reach: Floats
    """[N, A, A] from which a healer works on a friend"""
    step_ticks: float
    """until the next decision"""
    headings: Floats
    """[K, 2] the directions that a unit can be sent to, of length 1"""
    ground: Ground


class OrderKind(IntEnum):
    """What an own unit is told."""

    NONE = 0
    STOP = 1
    MOVE = 2
    ATTACK = 3
    HEAL = 4


@dataclass(frozen=True)
class Orders:
    """One order for each own unit."""

    kind: Ints
    """[N, A] of OrderKind"""
    target: Ints
    """[N, A] an enemy to attack or a friend to heal; NOBODY = none"""
    point: Floats
    """[N, A, 2] where to move"""
