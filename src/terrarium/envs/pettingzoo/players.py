"""Players for PettingZoo environments, and the random one."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from terrarium.envs.pettingzoo.spaces import CHOICE, NOTHING, REAL
from terrarium.envs.pettingzoo.vector import PettingZooVecEnv

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
"""SplitMix64's step: 2 ** 64 divided by the golden ratio"""


class PettingZooPlayer(Protocol):
    """Chooses the actions of all agents in a batch."""

    def act(self, env: PettingZooVecEnv) -> NDArray[Any]:
        """One action for each agent, given how the episodes stand."""


class RandomPettingZooPlayer:
    """Any available action, all equally likely; numbers uniform, flags fair coins.

    What it draws depends on its seed, the episode and the step only, so that an episode is the same
    in every batch.
    """

    def __init__(self, seed: int = 0) -> None:
        self._seed = seed

    def act(self, env: PettingZooVecEnv) -> NDArray[Any]:
        avail = env.now.avail
        lots = self._lots(env)  # [N, A, K]
        if not env.action_columns:
            return _one_of(avail, lots)
        actions = np.zeros(avail.shape)
        idle = avail[..., NOTHING]
        actions[..., NOTHING] = idle
        for a, parts in enumerate(env.info.parts):
            first = 1
            for part in parts:
                columns = (slice(None), a, slice(first, first + part.n))
                drawn = _drawn(part.kind, avail[columns], lots[columns])
                actions[columns] = np.where(idle[:, a, None], 0.0, drawn)
                first += part.n
        return actions

    def _lots(self, env: PettingZooVecEnv) -> NDArray[np.float64]:
        """[N, A, K] numbers from 0 to 1, one for each column."""
        shape = env.now.avail.shape
        key = np.full(shape[0], self._seed % 2**64, np.uint64)
        for value in (env.seeds, env.episode_numbers, env.episode_steps):
            key = _mixed(key + value.astype(np.uint64))
        cells = np.arange(1, 1 + shape[1] * shape[2], dtype=np.uint64) * GOLDEN
        bits = _mixed(key[:, None] + cells)  # [N, A * K]
        lots = (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return lots.reshape(shape)


def _mixed(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64's finalizer (Steele et al. 2014): neighbors become unrelated."""
    x = x + GOLDEN
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _drawn(kind: str, avail: NDArray[np.bool_], lots: NDArray[np.float64]) -> NDArray[np.float64]:
    """[N, n] the columns of one part."""
    if kind == CHOICE:
        return np.eye(avail.shape[1])[_one_of(avail, lots)]
    if kind == REAL:
        return 2.0 * lots - 1.0
    return (lots < 0.5).astype(np.float64)


def _one_of(avail: NDArray[np.bool_], lots: NDArray[np.float64]) -> NDArray[np.int64]:
    """One of the columns that are true, all equally likely."""
    drawn: NDArray[np.int64] = np.where(avail, lots, -1.0).argmax(axis=-1)
    return drawn
