"""How a whole game ends for each player."""

from enum import IntEnum

import numpy as np

from terrarium.engine.simulator import Simulator


class GameResult(IntEnum):
    """The numbers of the game's API; 0 = it has not ended."""

    UNDECIDED = 0
    VICTORY = 1
    DEFEAT = 2
    TIE = 3


def results(sim: Simulator, e: int) -> tuple[GameResult, ...]:
    """Who has no structure left has lost; who is left has won."""
    units = sim.units[e]
    is_structure = sim.rules.types["structure"][units["kind"]].astype(np.bool_)
    lives = [
        bool((units["alive"] & is_structure & (units["owner"] == owner)).any())
        for owner in range(1, sim.n_players + 1)
    ]
    if sum(lives) > 1:
        return (GameResult.UNDECIDED,) * len(lives)
    if not any(lives):
        return (GameResult.TIE,) * len(lives)
    return tuple(GameResult.VICTORY if alive else GameResult.DEFEAT for alive in lives)
