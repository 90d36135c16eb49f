"""How a whole game ends for each player."""

from enum import IntEnum

from terrarium.engine import codes
from terrarium.engine.simulator import Simulator


class GameResult(IntEnum):
    """The numbers of the game's API."""

    UNDECIDED = codes.UNDECIDED
    VICTORY = codes.VICTORY
    DEFEAT = codes.DEFEAT
    TIE = codes.TIE


def results(sim: Simulator, e: int) -> tuple[GameResult, ...]:
    """Of the players 1 to n."""
    return tuple(GameResult(int(r)) for r in sim.games.standings["result"][e, 1:])
