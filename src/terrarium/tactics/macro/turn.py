"""One decision of a player: what there is, what is left to spend, and the orders so far."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from terrarium.data.opponents.levels import Level
from terrarium.data.opponents.plans import BuildPlan
from terrarium.tactics.macro.catalog import Catalog, Recipe
from terrarium.tactics.macro.game_view import (
    Bools,
    GameOrder,
    GameOrderKind,
    GameView,
    Ints,
    Point,
    UnitColumns,
)
from terrarium.tactics.macro.map_knowledge import BaseSite, MapKnowledge

BASE_REACH = 11.0
"""Fields within this distance belong to a townhall."""
ADDON_AT = (2.5, -0.5)
BLOCKED_TICKS = 300
"""How long a place, a product or an ability is left alone for which an order was refused."""
CLAIMED_TICKS = 600
"""How long a place is kept for a builder on its way."""


@dataclass(frozen=True)
class Sighting:
    """An enemy unit that fights, as it was when it was seen last."""

    loop: int
    value: float
    """cost, by the life that was left"""
    flies: bool
    place: Point


@dataclass(frozen=True)
class KnownArmy:
    """Of all enemies together, as far as it is remembered."""

    value: float = 0.0
    flying: float = 0.0
    """the part of `value` that flies"""


@dataclass
class PlayerMemory:
    """What a player remembers from one decision to the next."""

    home: Point
    home_site: BaseSite
    sites: tuple[BaseSite, ...]
    """that can be walked to, the nearest first"""
    enemy_starts: tuple[Point, ...]
    structures: dict[int, tuple[int, float, float]] = field(default_factory=dict)
    """enemy structures by tag: type and place"""
    army: dict[int, Sighting] = field(default_factory=dict)
    """enemy units that fight, by tag"""
    visited: set[Point] = field(default_factory=set)
    """enemy starts where nothing was found"""
    blocked: dict[Point, int] = field(default_factory=dict)
    """places to build that are left alone until a loop"""
    refused: dict[str, int] = field(default_factory=dict)
    """products and abilities that are not tried again until a loop"""
    army_budget: float = 0.0
    """what may be spent on army units now, where a level limits that"""
    budget_loop: int = 0
    """when `army_budget` was counted last"""
    goals: dict[int, Point] = field(default_factory=dict)
    """where an own unit was sent"""
    scouted: int = 0
    """the loop at which the last scout was sent"""
    scout: int = 0
    """tag of the worker that looks for the enemy; 0 = none yet, -1 = it is over"""
    gas_rich: bool = False
    """more gas than can be spent"""


class Turn:
    """Everything that one decision needs. What is ordered is paid at once."""

    def __init__(
        self,
        view: GameView,
        catalog: Catalog,
        ground: MapKnowledge,
        memory: PlayerMemory,
        plan: BuildPlan,
        level: Level,
    ) -> None:
        self.view, self.catalog, self.ground, self.memory = view, catalog, ground, memory
        self.plan, self.level, self.loop = plan, level, view.loop
        self.minerals, self.vespene = view.minerals, view.vespene
        self.supply_left = view.supply_cap - view.supply_used
        self.orders: list[GameOrder] = []
        self.used: set[int] = set()
        own, n = view.own, len(catalog.names)
        self.there: Ints = np.bincount(own.kind, minlength=n)
        self.done: Ints = np.bincount(own.kind[own.done], minlength=n)
        self.making: Ints = view.making.copy()
        self.enemy_army = KnownArmy()

    def count(self, name: str) -> int:
        """Units of a type: there, being built, or ordered."""
        row = self.catalog.rows[name]
        return int(self.there[row] + self.making[row])

    def count_any(self, rows: tuple[int, ...]) -> int:
        return int(sum(self.there[row] + self.making[row] for row in rows))

    def done_any(self, rows: tuple[int, ...]) -> int:
        return int(sum(self.done[row] for row in rows))

    def can_pay(self, recipe: Recipe) -> bool:
        """Gas that is kept for others may be less than none; what needs none does not wait."""
        enough_gas = recipe.vespene == 0.0 or self.vespene >= recipe.vespene
        return self.minerals >= recipe.minerals and enough_gas

    def pay(self, recipe: Recipe) -> None:
        """Also keeps money for what cannot be paid yet."""
        self.minerals -= recipe.minerals
        self.vespene -= recipe.vespene

    def order(
        self,
        kind: GameOrderKind,
        tags: list[int] | Ints,
        what: str = "",
        at: Point = (0.0, 0.0),
        target: int = 0,
        why: str = "",
    ) -> None:
        self.orders.append(GameOrder(kind, tags, what, at[0], at[1], target, why))
        self.used.update(int(tag) for tag in tags)

    def is_free(self, tag: int) -> bool:
        return tag not in self.used

    @cached_property
    def halls(self) -> UnitColumns:
        """Finished townhalls, the oldest first."""
        own = self.view.own
        return own.where(self.catalog.is_townhall[own.kind] & own.done)

    @cached_property
    def workers(self) -> UnitColumns:
        own = self.view.own
        return own.where(self.catalog.is_worker[own.kind])

    @cached_property
    def army(self) -> UnitColumns:
        own = self.view.own
        return own.where(self.catalog.is_army[own.kind] & own.done)

    @cached_property
    def structures(self) -> UnitColumns:
        own = self.view.own
        return own.where(self.catalog.is_structure[own.kind])

    @cached_property
    def bases(self) -> tuple[BaseSite, ...]:
        """Sites of finished townhalls, the first base first."""
        halls = self.halls
        sites = [self.ground.site_at(x, y) for x, y in zip(halls.x, halls.y, strict=True)]
        return tuple(dict.fromkeys(sites))

    @cached_property
    def field_base(self) -> Ints:
        """For each resource, which of `halls` it belongs to; -1 = none."""
        resources, halls = self.view.resources, self.halls
        if not len(halls) or not len(resources):
            return np.full(len(resources), -1)
        apart = np.hypot(resources.x[:, None] - halls.x[None], resources.y[:, None] - halls.y[None])
        nearest = apart.argmin(axis=1)
        near: Bools = apart.min(axis=1) <= BASE_REACH
        return np.where(near, nearest, -1)

    @cached_property
    def addons(self) -> dict[int, int]:
        """Types of add-ons by the tags of the structures that they belong to; -1 = not finished."""
        structures, catalog = self.structures, self.catalog
        addon = catalog.is_addon[structures.kind]
        at = {
            (structures.x[k] - ADDON_AT[0], structures.y[k] - ADDON_AT[1]): k
            for k in np.flatnonzero(addon)
        }
        found = {}
        for k in np.flatnonzero(~addon) if at else ():
            j = at.get((structures.x[k], structures.y[k]))
            if j is not None:
                kind = int(structures.kind[j])
                found[int(structures.tag[k])] = kind if structures.done[j] else -1
        return found

    @cached_property
    def n_workers(self) -> int:
        row = self.catalog.rows[self.plan.worker]
        return len(self.workers) + int(self.making[row])

    def army_at(self, loop: float) -> float:
        """The value of an army that the level has by a loop, in this build."""
        return self.level.army_at(self.plan.race, loop / self.plan.army_shift)

    def army_value_now(self) -> float:
        """Of the army that is there, or ordered."""
        both = self.there + self.making
        return float((both * self.catalog.cost)[self.catalog.is_army].sum())
