"""What one player sees of a whole game, and what it may order: the same for every client."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Point = tuple[float, float]


class UnitOrder(IntEnum):
    """What an own unit is about."""

    IDLE = 0
    MOVE = 1
    ATTACK = 2
    """a unit, or whatever is on the way to a place"""
    GATHER = 3
    """brings resources, to and fro"""
    BUILD = 4
    OTHER = 5


@dataclass(frozen=True)
class UnitColumns:
    """Units as arrays [n], in the order of their tags."""

    tag: Ints
    kind: Ints
    """row of the catalog"""
    x: Floats
    y: Floats
    life: Floats
    """hit points and shields"""
    life_max: Floats
    energy: Floats
    done: Bools
    """finished; of structures that are being built: not"""
    inside: Bools
    """in another unit or a structure: takes no orders"""
    order: Ints
    """of UnitOrder; of others than one's own: IDLE"""
    order_target: Ints
    """tag of the unit that the order is about; 0 = none"""
    n_queued: Ints
    """products in its queue"""
    contents: Floats
    """of resources"""

    def __len__(self) -> int:
        return len(self.tag)

    def where(self, chosen: Bools | Ints) -> "UnitColumns":
        """Some of them, by a mask or by their places."""
        rows = chosen.nonzero()[0] if chosen.dtype == np.bool_ else chosen
        return UnitColumns(*[column[rows] for column in self.__dict__.values()])


class GameView(Protocol):
    """One player's game at the moment of a decision."""

    @property
    def loop(self) -> int: ...

    @property
    def minerals(self) -> float: ...

    @property
    def vespene(self) -> float: ...

    @property
    def supply_used(self) -> float: ...

    @property
    def supply_cap(self) -> float: ...

    @property
    def own(self) -> UnitColumns: ...

    @property
    def enemy(self) -> UnitColumns:
        """those that are seen now"""

    @property
    def resources(self) -> UnitColumns:
        """fields and geysers that are there, as far as the player knows"""

    @property
    def making(self) -> Ints:
        """[T] units that are ordered and not there yet: in queues, eggs, and structures that a
        worker is on its way to"""

    @property
    def upgrades(self) -> frozenset[str]: ...

    @property
    def researching(self) -> frozenset[str]: ...

    def sees(self, points: Sequence[Point]) -> Bools:
        """Which points are in sight now"""

    def can_place(self, what: str, points: Sequence[Point]) -> Bools:
        """Where a structure could be built now, by the game's rules"""


class GameOrderKind(IntEnum):
    """What units are told in a whole game."""

    MOVE = 1
    ATTACK_MOVE = 2
    ATTACK = 3
    GATHER = 4
    MAKE = 5
    """a unit, an upgrade, an add-on, or another form of the unit itself"""
    BUILD = 6
    """a structure at a point, or on a geyser"""
    RALLY = 7
    USE = 8
    """an ability: on a unit, at a point, or neither"""
    STOP = 9
    CONSTRUCT = 10
    """to go on with a structure that its builder has left"""


@dataclass(frozen=True)
class GameOrder:
    """One order for some units."""

    kind: GameOrderKind
    tags: Sequence[int] | Ints
    what: str = ""
    """product or ability"""
    x: float = 0.0
    y: float = 0.0
    target: int = 0
    """tag; 0 = a point is meant, or nothing"""
    why: str = ""


@dataclass(frozen=True)
class Refusal:
    """An order that was not taken, by the game's own word for the reason."""

    order: GameOrder
    tag: int
    result: str


class GamePlayer(Protocol):
    """Who plays a whole game: scripts here, learners and people elsewhere."""

    def decide(self, view: GameView) -> list[GameOrder]:
        """What to order now"""

    def hear(self, refusals: Sequence[Refusal]) -> None:
        """Which of its last orders were not taken"""
