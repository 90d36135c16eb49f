"""What the maps of SMAC do by triggers: one battle after the other in a game without end."""

import numpy as np

from terrarium.engine.kernels.setup.rounds import battle_seed
from terrarium.engine.simulator import Simulator, quiet_wraparound

SPARE_SLOTS = 256
"""beyond a battle's own units, for those that clients create"""


class Rounds:
    """The battles of one game, number 0 of its simulator; both sides' units are dead between two.

    Battle n of a game has the seed of battle n of an environment with the game's seed.
    """

    def __init__(self, sim: Simulator, seed: int, first: int = 0, n_tags: int = 0) -> None:
        """`first`: the battle to begin with, and how many units those before it had."""
        self._sim, self._seed, self._first = sim, seed, first
        self._n_begun = first
        self.n_tags = n_tags
        """of units of earlier battles"""
        self.opening_ticks = 0
        """that a battle has run when it is first seen"""

    @property
    def number(self) -> int:
        """Which battle of the game it is, from 0 on."""
        return self._n_begun - 1

    @property
    def is_over(self) -> bool:
        """Is nobody left, where the map has units of its own?"""
        units = self._sim.units[0]
        fights = units["alive"] & (units["hp"] > 0.0) & (units["owner"] > 0)
        return bool(self._sim.scenario.groups or self._sim.scenario.generator) and not fights.any()

    def begin(self) -> None:
        """Create the units of the next battle, with what they are told."""
        with quiet_wraparound():
            seed = int(battle_seed(np.uint64(self._seed), self._n_begun))
        if self._n_begun > self._first:
            self.n_tags += int(self._sim.games.clock["next_tag"][0, 0])
        self._n_begun += 1
        self._sim.reset(seed)
        self.opening_ticks = int(self._sim.ticks[0])
