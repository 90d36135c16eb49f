"""What tactics see of the game: arrays with battles first.

Axes: `N` battles, `A` own units, `E` enemies, `U` units of one side, `K` headings, `T` types of
units, `H` hazards. Places and distances are in cells, times in ticks; distances are between
centers. Whoever fills a view, an engine or a client of the game, does it from one side's eyes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from terrarium.tactics.ground import TerrainGrid

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

NOBODY = -1


@dataclass(frozen=True)
class Kinds:
    """What follows from a unit's type alone. Arrays are [T]."""

    names: tuple[str, ...]
    value: Floats
    """minerals and vespene"""
    sight: Floats
    detects: Floats
    """how far it sees the cloaked; 0 = not at all"""
    is_worker: Bools
    is_structure: Bools
    is_massive: Bools
    is_light: Bools
    is_armored: Bools
    is_biological: Bools
    is_mechanical: Bools
    is_psionic: Bools
    is_air: Bools
    shoots_up: Bools
    shoots_down: Bools
    cargo_size: Ints
    """seats that it needs in a carrier; 0 = nobody carries it"""
    cargo_room: Ints
    """seats that it has; 0 = it carries nobody"""
    can_be_repaired: Bools

    def are(self, *names: str) -> Bools:
        """[T] true for these types; names that are not there are nobody's."""
        return np.array([name in names for name in self.names], np.bool_)


@dataclass(frozen=True)
class Army:
    """The units of one side. Arrays are [N, U], places and velocities [N, U, 2]."""

    kind: Ints
    """row of the view's kinds"""
    pos: Floats
    velocity: Floats
    """cells a tick, now"""
    alive: Bools
    """on the map; of an enemy: and seen now"""
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
    is_air: Bools
    cloaked: Bools
    period_ticks: Floats
    """from shot to shot; 0 = it has no weapon"""
    splash: Floats
    """radius in which its attack hurts others than its target"""
    bursts: Bools
    """it dies with its attack"""
    heals_per_tick: Floats
    """life that it can give to a friend; 0 = it is no healer"""
    can_be_healed: Bools
    incoming: Floats
    """damage that missiles on their way to it will do"""

    @property
    def life(self) -> Floats:
        return self.hp + self.shield


@dataclass(frozen=True)
class Hazards:
    """Places that hurt: storms, falling bile, the mark of a nuke. Arrays are [N, H]."""

    pos: Floats
    """[N, H, 2]"""
    radius: Floats
    """0 = there are not that many"""
    ticks: Floats
    """until it strikes for the last time"""
    damage: Floats
    """of the whole rest"""


@dataclass(frozen=True)
class Mission:
    """What the army is there for: a plan's part of the view."""

    goal: Floats
    """[N, 2] where the enemy is, as far as anybody knows, or where one has to get to"""
    home: Floats
    """[N, 2] where the army began: repair, retreat and defense happen there"""
    holds: bool = False
    """the enemy is coming: wait for it at home"""
    may_retreat: bool = False
    """a fight that is lost may be given up; the missions of drills have to be fulfilled"""
    flees: bool = False
    """there is nothing to win: get to the goal alive"""
    prey: Bools | None = None
    """[T] the enemies that count; None = all do"""
    precious: Bools | None = None
    """[T] our own that count; None = all do"""
    guards: Floats | None = None
    """[G, 2] places where an enemy lies in wait, as far as anybody knows"""


@dataclass(frozen=True)
class View:
    """A batch of battles at the moment of a decision.

    It holds what the game shows to a player: not the orders, targets and cooldowns of the enemy.
    """

    own: Army
    enemy: Army
    kinds: Kinds
    remembered: Bools
    """[N, E] not seen now, but seen before; its place is where that was"""
    cooldown_ticks: Floats
    """[N, A] until an own unit can shoot again"""
    unhurt_ticks: Floats
    """[N, A] since an own unit was last hurt"""
    hurt_rate: Floats
    """[N, A] life that it lost a tick lately"""
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
    can: Mapping[str, Bools]
    """by ability, [N, A]: has it, and may use it now; abilities that nobody has are not there"""
    ranges: Mapping[str, float]
    """by ability: how far it reaches from the edge of its user"""
    windups: Mapping[str, float]
    """by ability: ticks from its use until it works, if nobody breaks it off"""
    casts: Mapping[str, Bools]
    """by ability, [N, A]: is using it, or on the way to"""
    cast_target: Ints
    """[N, A] the enemy that an own ability is aimed at; NOBODY = none"""
    busy: Bools
    """[N, A] changes its form, or is in a phase of an ability that an order would spoil"""
    stim_ticks: Floats
    """[N, A] that a Stimpack still lasts"""
    inside: Ints
    """[N, A] the own unit in which it sits; NOBODY = it is on the map"""
    load: Ints
    """[N, A] seats taken"""
    hazards: Hazards
    mission: Mission
    step_ticks: float
    """until the next decision"""
    headings: Floats
    """[K, 2] the directions that a unit can be sent to, of length 1"""
    ground: TerrainGrid

    def own_are(self, *names: str) -> Bools:
        """[N, A] own units on the map of these types."""
        return np.asarray(self.kinds.are(*names)[self.own.kind] & self.own.alive)

    def enemy_are(self, *names: str) -> Bools:
        """[N, E] enemies in sight of these types."""
        return np.asarray(self.kinds.are(*names)[self.enemy.kind] & self.enemy.alive)

    def may(self, ability: str) -> Bools:
        """[N, A] can use an ability now and is free for it; nobody, if nobody has it."""
        if ability not in self.can:
            return np.zeros(self.own.alive.shape, np.bool_)
        return np.asarray(self.can[ability] & self.own.alive & ~self.busy)

    @cached_property
    def apart(self) -> Floats:
        """[N, A, E] distances"""
        way = self.own.pos[:, :, None] - self.enemy.pos[:, None]
        return np.asarray(np.sqrt((way * way).sum(axis=-1)))

    @cached_property
    def pairs(self) -> Bools:
        """[N, A, E] both are there"""
        return np.asarray(self.own.alive[..., None] & self.enemy.alive[:, None])
