"""A moment of a whole game, made by hand: a `GameView` that behaves."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from terrarium.data.facts.rulesets import load_ruleset
from terrarium.data.games.neutral import with_neutral
from terrarium.data.maps.library import find_map
from terrarium.data.opponents.levels import levels
from terrarium.data.opponents.plans import plans
from terrarium.tactics.macro.catalog import Catalog, compile_catalog
from terrarium.tactics.macro.game_view import Bools, GameOrder, Ints, Point, UnitColumns, UnitOrder
from terrarium.tactics.macro.macro_player import MacroPlayer
from terrarium.tactics.macro.map_knowledge import MapKnowledge

CATALOG: Catalog = compile_catalog(with_neutral(load_ruleset("lotv-4.10")))
GROUND = MapKnowledge(find_map("simple_64"))
HOME, AWAY = GROUND.map.starts[0], GROUND.map.starts[1]


@dataclass
class Thing:
    """One unit; places are from the start location of the player."""

    name: str
    x: float = 0.0
    y: float = 0.0
    order: UnitOrder = UnitOrder.IDLE
    target: int = 0
    done: bool = True
    n_queued: int = 0
    life: float = 1.0


@dataclass
class Scene:
    """What a Terran player sees at its start location."""

    things: Sequence[Thing]
    enemies: Sequence[Thing] = ()
    loop: int = 0
    minerals: float = 50.0
    vespene: float = 0.0
    supply_used: float = 12.0
    supply_cap: float = 15.0
    upgrades: frozenset[str] = frozenset()
    researching: frozenset[str] = frozenset()
    making: Ints = field(default_factory=lambda: np.zeros(len(CATALOG.names), np.int64))
    hidden: bool = True
    """the rest of the map is in the fog"""

    @property
    def own(self) -> UnitColumns:
        return columns(self.things, 1000)

    @property
    def enemy(self) -> UnitColumns:
        return columns(self.enemies, 5000)

    @property
    def resources(self) -> UnitColumns:
        fields = [Thing(o.type, o.x - HOME[0], o.y - HOME[1]) for o in GROUND.map.resources]
        return columns(fields, 1)

    def sees(self, points: Sequence[Point]) -> Bools:
        return np.full(len(points), not self.hidden)

    def can_place(self, what: str, points: Sequence[Point]) -> Bools:
        return np.ones(len(points), np.bool_)


def columns(things: Sequence[Thing], first_tag: int) -> UnitColumns:
    kinds = np.array([CATALOG.rows[thing.name] for thing in things], np.int64)
    ones = np.ones(len(things))
    return UnitColumns(
        tag=first_tag + np.arange(len(things)),
        kind=kinds,
        x=np.array([HOME[0] + thing.x for thing in things]),
        y=np.array([HOME[1] + thing.y for thing in things]),
        life=np.array([100.0 * thing.life for thing in things]),
        life_max=100.0 * ones,
        energy=0.0 * ones,
        done=np.array([thing.done for thing in things], np.bool_),
        inside=np.zeros(len(things), np.bool_),
        order=np.array([thing.order for thing in things], np.int64),
        order_target=np.array([thing.target for thing in things], np.int64),
        n_queued=np.array([thing.n_queued for thing in things], np.int64),
        contents=1000.0 * ones,
    )


def base(n_workers: int = 12, *more: Thing) -> list[Thing]:
    """A townhall and workers at the first mineral field."""
    scene = Scene(())
    is_mineral = CATALOG.resource[scene.resources.kind] == 1
    first = int(scene.resources.tag[is_mineral][0])
    worker = Thing("scv", 5.0, 0.0, UnitOrder.GATHER, first)
    return [Thing("command_center"), *[worker] * n_workers, *more]


def player(level: str = "VeryHard", build: str = "Macro") -> MacroPlayer:
    return MacroPlayer(plans("Terran")[build], levels()[level], CATALOG, GROUND, HOME)


def ordered(orders: Sequence[GameOrder]) -> list[str]:
    """What was ordered to be made or built."""
    return [order.what for order in orders if order.what]


def sent(orders: Sequence[GameOrder]) -> dict[int, str]:
    """By tag, why units were sent somewhere."""
    return {int(tag): order.why for order in orders for tag in order.tags if not order.what}
