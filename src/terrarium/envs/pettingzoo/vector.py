"""Many environments of an environment at once, with the arrays of the native vector environment."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from terrarium.engine.simulator import MAX_SEED
from terrarium.envs.pettingzoo.board import Board
from terrarium.envs.pettingzoo.checking import refuse_index, refuse_vector
from terrarium.envs.pettingzoo.crews import (
    RESET,
    STEP,
    Crew,
    Processes,
    Serial,
    Threads,
    WorkerError,
)
from terrarium.envs.pettingzoo.errors import PettingZooError
from terrarium.envs.pettingzoo.past import Past, load_batch, save_batch
from terrarium.envs.pettingzoo.spec import PettingZooInfo, PettingZooSpec
from terrarium.envs.vector import EnvError
from terrarium.envs.views import StepOutput, Views
from terrarium.errors import nearest

MODES = ("auto", "serial", "threads", "processes")
REWARDS = ("own", "team")


class PettingZooVecEnv:
    """`n_envs` environments of one environment that are stepped together.

    All arrays are preallocated, have environments first, and are overwritten by `reset` and
    `step`: copy what must last. An episode that ends begins anew in the same step (`autoreset`);
    what was seen at its end is in `final`. Results do not depend on mode and workers.
    """

    views = ("obs", "state")

    def __init__(
        self,
        spec: PettingZooSpec,
        n_envs: int = 1,
        workers: int = 1,
        mode: str = "auto",
        seed: int | ArrayLike = 0,
        autoreset: bool = True,
        render_mode: str | None = None,
        reward: str = "own",
    ) -> None:
        if n_envs < 1 or workers < 1:
            raise EnvError(f"n_envs is {n_envs} and workers {workers}; both must be 1 or more")
        self.spec, self.info = spec, spec.info
        self.n_envs, self.n_agents = n_envs, self.info.n_agents
        self.action_columns = 0 if self.info.discrete else self.info.n_actions
        """of an action as `step` takes it; 0: it is an index"""
        self.autoreset = autoreset
        self.reward = _checked_reward(reward)
        seeds = self._checked_seeds(seed)
        self._closed = self._broken = False
        self._given_up = False
        self.mode = _checked_mode(mode, workers, render_mode)
        self._crew = self._hire(min(workers, n_envs), render_mode)
        board = self._board = self._crew.board
        board.seed[:], board.autoreset[:] = seeds, autoreset
        self._past = Past(n_envs, board.actions.shape[1:], board.actions.dtype)
        self._now = _views(board.obs, board.state, board.avail)
        self._final = _views(board.final_obs, board.final_state, board.final_avail)
        self._outcome = _outcome(board)
        self._started = False

    def _hire(self, workers: int, render_mode: str | None) -> Crew:
        spec, info = self.spec, self.info
        if self.mode == "serial":
            return Serial(spec, info, self.n_envs, self.autoreset, render_mode)
        kind = Threads if self.mode == "threads" else Processes
        return kind(spec, info, self.n_envs, self.autoreset, workers)

    @property
    def environments(self) -> list[Any]:
        """PettingZoo's environments themselves; only in mode "serial" are they in this process"""
        if self.mode != "serial":
            raise EnvError(f'mode is "{self.mode}"; environments are within reach in "serial" only')
        return list(self._crew.environments)

    @property
    def now(self) -> Views:
        """All views as the episodes stand"""
        return self._now

    @property
    def final(self) -> Views:
        """The views at the end of the episodes that ended in the last step; other rows are stale"""
        return self._final

    @property
    def outcome(self) -> StepOutput:
        """Mean reward of the agents, endings, and statistics, valid where an episode has ended"""
        return self._outcome

    @property
    def own_reward(self) -> NDArray[np.float64]:
        """[N, A] of the last step; with reward="team" everybody gets the mean"""
        if self.reward == "own":
            return self._board.own_reward
        return np.repeat(self._board.reward[:, None], self.n_agents, axis=1)

    @property
    def there(self) -> NDArray[np.bool_]:
        """[N, A] who takes part now: who has left does not, nor who has not come yet"""
        return self._board.there

    @property
    def own_terminated(self) -> NDArray[np.bool_]:
        """[N, A] who left in the last step because its task was decided"""
        return self._board.own_terminated

    @property
    def own_truncated(self) -> NDArray[np.bool_]:
        """[N, A] who was cut off in the last step"""
        return self._board.own_truncated

    @property
    def episode_returns(self) -> NDArray[np.float64]:
        """[N, A] sums of rewards; where an episode has just ended, its whole sum until the next
        step"""
        return self._board.returns

    @property
    def episode_steps(self) -> NDArray[np.int64]:
        """[N] steps of the episodes that are going on"""
        return self._board.steps

    @property
    def seeds(self) -> NDArray[np.uint64]:
        """[N] of the environments; an episode's own follows from it and its number"""
        return self._board.seed

    @property
    def episode_numbers(self) -> NDArray[np.int64]:
        """[N] of the episodes that are going on, counted from 1 for each seed"""
        return self._board.number

    @property
    def over(self) -> NDArray[np.bool_]:
        """[N] the episode is over, and without autoreset waits for a reset"""
        return self._board.over

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """[N] the episode is over, and no agent was cut off in its last step"""
        return self._board.terminated

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """[N] the episode was cut off"""
        return self._board.truncated

    def reset(self, seed: int | ArrayLike | None = None, where: ArrayLike | None = None) -> None:
        """Begin the next episode of all environments, or of those that are true in `where`.

        A seed starts the series of episodes anew: environment `e` of seed `s` plays the episodes of
        a single environment with the seed `s + e`.
        """
        self._check_open()
        board = self._board
        chosen = np.ones(self.n_envs, np.bool_)
        if where is not None:
            chosen = np.array(where, np.bool_)
            if chosen.shape != (self.n_envs,):
                raise EnvError(f"where has shape {chosen.shape} instead of ({self.n_envs},)")
            if not self._started and not chosen.all():
                raise EnvError("the first reset must begin every episode: call reset() first")
        if seed is not None:
            board.seed[:] = np.where(chosen, self._checked_seeds(seed), board.seed)
            board.number[chosen] = 0
        self._order(RESET, chosen)

    def step(self, actions: ArrayLike) -> None:
        """Play one step of every environment.

        `actions` are whole numbers [N, A] where each agent makes one choice, otherwise [N, A, K].
        """
        self._check_ready()
        self._take(actions)
        self._past.note(self._board)
        self._order(STEP, np.ones(self.n_envs, np.bool_))

    def save(self) -> dict[str, NDArray[np.uint8]]:
        """Everything that the next steps depend on, as bytes: what was seen, and what was done
        since each episode began, because an environment cannot be saved but only played again."""
        if not self._given_up:
            self._check_ready(over_too=True)
        return save_batch(self.spec, self._board, self._past)

    def load(self, saved: Mapping[str, NDArray[np.uint8]]) -> None:
        """Continue from `save`, by playing all episodes again from where they began."""
        self._check_open()
        load_batch(self.spec, self._board, self._past, saved, self._order)

    def abandon(self) -> None:
        """Give the episodes up that are going on, after an error in one: `save` then tells nothing
        of them, and loading it begins new ones."""
        self._board.steps[:] = 0
        self._board.number[:] += 1  # the same one would fail again
        self._board.over[:] = True
        self._given_up = True

    def close(self) -> None:
        """End the workers and close all environments."""
        if not self._closed:
            self._closed = True
            self._crew.close()

    def _order(self, order: bytes, chosen: NDArray[np.bool_]) -> None:
        """Let the crew work. After an error the state of the episodes is unknown."""
        self._board.chosen[:] = chosen
        self._started, self._broken = False, True
        try:
            self._crew.do(order)
        except PettingZooError as error:
            # All workers have answered, unless one is lost; after Ctrl-C, some may still play.
            self._broken = isinstance(error, WorkerError)
            raise
        self._started, self._broken = True, False

    def _take(self, actions: ArrayLike) -> None:
        given, mine = np.asarray(actions), self._board.actions
        if given.shape != mine.shape:
            kind = "one row of columns" if self.action_columns else "one whole number"
            raise EnvError(
                f"actions have shape {given.shape}; {self.info.name} with {self.n_envs} "
                f"environments takes {mine.shape}: {kind} for each agent"
            )
        if self.action_columns:
            refuse_vector(self.info, self._board.avail, given)
        else:
            refuse_index(self.info, self._board.avail, given)
        mine[...] = given

    def _check_open(self) -> None:
        if self._closed:
            raise EnvError("the environment is closed: make a new one")
        if self._broken:
            raise EnvError(
                "a step was interrupted, or a worker is lost: close this environment and make a "
                "new one"
            )

    def _check_ready(self, over_too: bool = False) -> None:
        self._check_open()
        if not self._started:
            raise EnvError("no episode has begun: call reset() first")
        if not over_too and not self.autoreset and self.over.any():
            raise EnvError("the episode is over: call reset() before the next step")

    def _checked_seeds(self, seed: int | ArrayLike) -> NDArray[np.uint64]:
        seeds = np.asarray(seed)
        if seeds.dtype.kind not in "iu" or seeds.size == 0 or seeds.min() < 0:
            raise EnvError(f"seed {seed!r} is not a whole number from 0 to {MAX_SEED}")
        if seeds.ndim == 0:
            return np.uint64(int(seeds)) + np.arange(self.n_envs, dtype=np.uint64)
        if seeds.shape != (self.n_envs,):
            raise EnvError(f"{seeds.size} seeds for {self.n_envs} environments")
        return seeds.astype(np.uint64)


def _checked_reward(reward: str) -> str:
    if reward not in REWARDS:
        raise EnvError(
            f'unknown reward "{reward}".{nearest(reward, REWARDS)} Allowed: {", ".join(REWARDS)}'
        )
    return reward


def _checked_mode(mode: str, workers: int, render_mode: str | None) -> str:
    if mode not in MODES:
        raise EnvError(f'unknown mode "{mode}".{nearest(mode, MODES)} Allowed: {", ".join(MODES)}')
    if mode == "serial" and workers > 1:
        raise EnvError(f'mode "serial" has one worker, not {workers}; use "auto" or "processes"')
    if mode == "auto":
        mode = "processes" if workers > 1 else "serial"
    if render_mode is not None and mode != "serial":
        raise EnvError(f'render_mode "{render_mode}" needs mode "serial", not "{mode}"')
    return mode


def blank_views(n: int, info: PettingZooInfo) -> Views:
    """[n, ...] zeros, as they are seen."""
    a = info.n_agents
    return _views(
        np.zeros((n, a, info.obs_width), np.float32),
        np.zeros((n, info.state_size), np.float32),
        np.zeros((n, a, info.n_actions), np.bool_),
    )


def _views(obs: NDArray[np.float32], state: NDArray[np.float32], avail: NDArray[np.bool_]) -> Views:
    n, a = obs.shape[:2]
    return Views(
        obs=obs,
        state=state,
        avail=avail,
        tokens=np.zeros((n, a, 0, 0), np.float32),
        pairs=np.zeros((n, a, 0, 0), np.float32),
        token_mask=np.zeros((n, a, 0), np.bool_),
        table=np.zeros((n, 0, 0), np.float32),
        table_mask=np.zeros((n, 0), np.bool_),
    )


def _outcome(board: Board) -> StepOutput:
    n = len(board.reward)
    return StepOutput(
        reward=board.reward,
        terminated=board.terminated,
        truncated=board.truncated,
        won=np.zeros(n, np.bool_),
        measure=np.zeros(n),
        dead_allies=np.zeros(n, np.int64),
        dead_enemies=np.zeros(n, np.int64),
        episode_return=board.episode_return,
        episode_steps=board.episode_steps,
    )
