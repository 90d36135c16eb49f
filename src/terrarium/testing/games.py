"""Games that are small enough to know their answers, in the form of battles."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from terrarium.envs.arrays import empty_output
from terrarium.envs.tasks.spec import Spec
from terrarium.envs.views import StepOutput, Views

N_ACTIONS = 5
"""The first one is only for the dead."""


class SmallGame:
    """Two agents; each sees a vector, and the team sees both."""

    n_agents = 2
    n_actions = N_ACTIONS
    obs_width = 4
    length = 1

    def __init__(self, n_envs: int, seed: int = 0) -> None:
        self.n_envs = n_envs
        self.rng = np.random.default_rng(seed)
        self.now, self.final = self._views(), self._views()
        self.outcome: StepOutput = empty_output(n_envs)
        self.clock = 0
        self.begin()

    action_columns = 0

    @property
    def own_reward(self) -> NDArray[np.float64]:
        return self.outcome.reward[:, None]

    @property
    def own_terminated(self) -> NDArray[np.bool_]:
        return self.outcome.terminated[:, None]

    @property
    def there(self) -> NDArray[np.bool_]:
        return np.ones((self.n_envs, 1), np.bool_)

    @property
    def spec(self) -> Spec:
        return Spec(
            self.n_agents,
            self.n_actions,
            self.n_actions,
            self.obs_width,
            self.now.state.shape[1],
            limit_steps=self.length,
        )

    def _views(self) -> Views:
        n, a = self.n_envs, self.n_agents
        avail = np.ones((n, a, self.n_actions), np.bool_)
        avail[..., 0] = False
        return Views(
            obs=np.zeros((n, a, self.obs_width), np.float32),
            state=np.zeros((n, a * self.obs_width), np.float32),
            avail=avail,
            tokens=np.zeros((n, a, 2, 0), np.float32),
            pairs=np.zeros((n, a, 2, 0), np.float32),
            token_mask=np.zeros((n, a, 0), np.bool_),
            table=np.zeros((n, 2, 0), np.float32),
            table_mask=np.zeros((n, 0), np.bool_),
        )

    def step(self, actions: NDArray[np.int64]) -> None:
        """All episodes have the same length, so they end together."""
        self.clock += 1
        over = self.clock == self.length
        self.outcome.reward[:] = self.pay(actions) if over else 0.0
        self.outcome.terminated[:] = over
        self.outcome.won[:] = self.outcome.reward >= 1.0
        self.outcome.episode_return[:] = self.outcome.reward
        self.outcome.episode_steps[:] = self.length
        if over:
            self.clock = 0
            self.begin()
        else:
            self.now.obs[:] = 0.0
        self.now.state[:] = self.now.obs.reshape(self.n_envs, -1)

    def begin(self) -> None: ...

    def pay(self, actions: NDArray[np.int64]) -> NDArray[np.float64]:
        raise AssertionError("a game pays")

    def save(self) -> dict[str, NDArray[np.uint8]]:
        raise AssertionError("games are not saved")

    def load(self, saved: Mapping[str, NDArray[np.uint8]]) -> None:
        raise AssertionError("games are not saved")


class Coordination(SmallGame):
    """One step. All meet at the first place: 1; at the last one: 0.5; else nothing."""

    def begin(self) -> None:
        self.now.obs[:] = 1.0

    def pay(self, actions: NDArray[np.int64]) -> NDArray[np.float64]:
        first, last = (actions == 1).all(axis=1), (actions == N_ACTIONS - 1).all(axis=1)
        paid: NDArray[np.float64] = first + 0.5 * last
        return paid


class Memory(SmallGame):
    """Each agent is shown a place, then nothing; in the last step it has to name it."""

    length = 3

    def begin(self) -> None:
        self.cue = self.rng.integers(1, N_ACTIONS, (self.n_envs, self.n_agents))
        self.now.obs[:] = np.eye(self.obs_width)[self.cue - 1]

    def pay(self, actions: NDArray[np.int64]) -> NDArray[np.float64]:
        paid: NDArray[np.float64] = (actions == self.cue).mean(axis=1)
        return paid


class BitFlip(SmallGame):
    """One agent flips a bit in each step, until all are as it wants: before, each step costs 1.

    Playing at random it hardly ever gets there, and so does whoever learns from that alone.
    """

    n_agents = 1
    n_bits = 8
    n_actions = n_bits + 1
    obs_width = 2 * n_bits
    length = n_bits

    def begin(self) -> None:
        self.age = np.zeros(self.n_envs, np.int64)
        self._deal(np.ones(self.n_envs, np.bool_))

    def _deal(self, where: NDArray[np.bool_]) -> None:
        """New bits and new goals."""
        shape = (int(where.sum()), self.n_agents, self.obs_width)
        self.now.obs[where] = self.rng.integers(0, 2, shape)
        self.now.state[:] = self.now.obs.reshape(self.n_envs, -1)
        self.age[where] = 0

    def step(self, actions: NDArray[np.int64]) -> None:
        """Episodes end when their goal is reached, so each has its own length."""
        bits, goal = self.now.obs[..., : self.n_bits], self.now.obs[..., self.n_bits :]
        flips = np.eye(self.n_bits)[actions - 1]  # [B, A, bits]
        bits[:] = np.abs(bits - flips)
        self.age += 1
        reached = (bits == goal).all((1, 2))
        self.outcome.reward[:] = reached - 1.0
        self.outcome.terminated[:] = reached
        self.outcome.truncated[:] = ~reached & (self.age == self.length)
        self.outcome.won[:] = reached
        self.final.obs[:], self.final.state[:] = self.now.obs, self.now.obs[:, 0]
        self._deal(reached | self.outcome.truncated)
