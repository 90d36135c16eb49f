"""Fights of a whole game: damage between players that is close in time and place."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from terrarium.engine.records import Records
from terrarium.replay.games.game_frames import Fight

NEAR = 18.0
"""cells: damage this close to the middle of a fight belongs to it"""
PAUSE_TICKS = 180
"""A fight is over after so long without damage: eight seconds."""
MEMORY = 0.7
"""of where a fight was: it moves with its damage"""
WORTH = 100.0
"""minerals and vespene that must have been lost or hurt in a fight, or it is only a skirmish"""
_SPOT = 12.0
"""Damage of one sample is added up in squares of so many cells."""


@dataclass
class _Open:
    first: int
    last: int
    tick: int
    x: float
    y: float
    harm: float
    lost: NDArray[np.float64]
    weight: float = 0.0
    middle: list[float] = field(default_factory=lambda: [0.0, 0.0])

    def add(self, n: int, tick: int, x: float, y: float, harm: float) -> None:
        self.last, self.tick = n, tick
        self.x, self.y = MEMORY * self.x + (1 - MEMORY) * x, MEMORY * self.y + (1 - MEMORY) * y
        self.harm += harm
        weight = harm + 1.0
        self.middle[0] += weight * x
        self.middle[1] += weight * y
        self.weight += weight


class FightFinder:
    """Told of all damage, in the order of time."""

    def __init__(self, n_players: int) -> None:
        self._n_players = n_players
        self._open: list[_Open] = []
        self._over: list[_Open] = []

    def note(
        self, n: int, tick: int, hurt: Records, harm: NDArray[np.float64], lost: NDArray[np.float64]
    ) -> None:
        """Events of damage and death between one sample and `n`, and what they cost."""
        self._close(tick)
        spots = np.floor(hurt["x"] / _SPOT) * 4096 + np.floor(hurt["y"] / _SPOT)
        for spot in np.unique(spots):
            here = spots == spot
            x, y = float(hurt["x"][here].mean()), float(hurt["y"][here].mean())
            fight = self._near(x, y)
            if fight is None:
                fight = _Open(n, n, tick, x, y, 0.0, np.zeros(self._n_players))
                self._open.append(fight)
            fight.add(n, tick, x, y, float(harm[here].sum() + lost[here].sum()))
            np.add.at(fight.lost, hurt["owner"][here] - 1, lost[here])

    def fights(self) -> tuple[Fight, ...]:
        """Those that mattered, in the order in which they began."""
        found = sorted((f for f in self._over + self._open if f.harm >= WORTH), key=_beginning)
        return tuple(
            Fight(
                f.first,
                f.last,
                round(f.middle[0] / f.weight, 1),
                round(f.middle[1] / f.weight, 1),
                tuple(float(round(value)) for value in f.lost.tolist()),
            )
            for f in found
        )

    def _near(self, x: float, y: float) -> _Open | None:
        """The fight around a point; those that have met there become one."""
        near = [f for f in self._open if np.hypot(f.x - x, f.y - y) <= NEAR]
        for other in near[1:]:
            self._open.remove(other)
            near[0].harm += other.harm
            near[0].lost += other.lost
            near[0].weight += other.weight
            near[0].first = min(near[0].first, other.first)
            near[0].middle = [a + b for a, b in zip(near[0].middle, other.middle, strict=True)]
        return near[0] if near else None

    def _close(self, tick: int) -> None:
        over = [f for f in self._open if tick - f.tick > PAUSE_TICKS]
        if over:
            self._over += over
            self._open = [f for f in self._open if tick - f.tick <= PAUSE_TICKS]


def _beginning(fight: _Open) -> tuple[int, float, float]:
    return fight.first, fight.x, fight.y
