"""What a game is made of: its map, seats, seed and speed.

Equal plans and equal inputs make equal games.
"""

from dataclasses import dataclass

from terrarium.data.battles.scenario import Scenario
from terrarium.data.maps.game_map import GameMap
from terrarium.server.seats import GameSeat


@dataclass(frozen=True, eq=False)
class ServedMap:
    """Where a game is played."""

    title: str
    """the name that the API shows"""
    file_name: str
    """the path that the API shows"""
    ground: GameMap | Scenario
    """the map of a whole game, or a battle"""


@dataclass(frozen=True, eq=False)
class GamePlan:
    """What create_game and the joins have fixed."""

    map: ServedMap
    seats: tuple[GameSeat, ...]
    seed: int
    realtime: bool = False
    disable_fog: bool = False
