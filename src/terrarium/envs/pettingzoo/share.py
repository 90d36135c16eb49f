"""Some of a batch's environments, played one after another by one worker."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np

from terrarium.envs.pettingzoo.board import Board
from terrarium.envs.pettingzoo.episode import Episode, EpisodeRows
from terrarium.envs.pettingzoo.errors import PettingZooError, blaming
from terrarium.envs.pettingzoo.spec import PettingZooInfo, PettingZooSpec


def episode_seed(seed: int, number: int) -> int:
    """The seed of an environment's episode: episodes do not depend on each other.

    31 bits, because environments hand it on to libraries that take no larger one.
    """
    return int(np.random.SeedSequence([seed, number]).generate_state(1)[0]) >> 1


class Share:
    """The environments `first` to `last - 1` of a board."""

    def __init__(
        self,
        spec: PettingZooSpec,
        info: PettingZooInfo,
        board: Board,
        first: int,
        last: int,
        render_mode: str | None = None,
    ) -> None:
        self.spec, self.board, self.first, self.last = spec, board, first, last
        self.environments: list[Any] = []
        try:
            for _ in range(first, last):
                self._add(spec.make(render_mode))
            self._episodes = [
                Episode(info, env, _rows(board, e))
                for e, env in enumerate(self.environments, start=first)
            ]
        except BaseException:
            self.close()
            raise

    def _add(self, env: Any) -> None:
        for other in self.environments:
            if other is env or other.unwrapped is env.unwrapped:
                raise PettingZooError(
                    f"{self.spec.name}: its factory gives the same environment twice, so that "
                    "many cannot be played side by side; let it make a new one at each call"
                )
        self.environments.append(env)

    def reset(self) -> None:
        """Begin the next episode of those that are chosen."""
        board = self.board
        for e, episode in self._chosen():
            _begin(board, e, episode)
            for array in (board.reward, board.terminated, board.truncated, board.returns):
                array[e] = 0
            board.episode_return[e], board.episode_steps[e] = 0.0, 0

    def step(self) -> None:
        """One step of those that are chosen, by the board's actions."""
        board, autoreset = self.board, bool(self.board.autoreset[0])
        for e, episode in self._chosen():
            if board.steps[e] == 0:
                board.returns[e] = 0.0  # until now, those of the episode before
            over = episode.step(board.actions[e])
            own = board.own_reward[e]
            board.returns[e] += own
            # In a fixed order, so that the sum does not depend on NumPy's.
            reward = sum(own.tolist()) / len(own)
            board.reward[e] = reward
            board.total[e] += reward
            board.steps[e] += 1
            board.over[e] = over
            cut_off = over and bool(board.own_truncated[e].any())
            board.truncated[e], board.terminated[e] = cut_off, over and not cut_off
            if over:
                board.episode_return[e] = board.total[e]
                board.episode_steps[e] = board.steps[e]
                if autoreset:
                    self._begin_anew(e, episode)

    def close(self) -> None:
        """Close all environments; what goes wrong in one must not keep the others open."""
        with ExitStack() as stack:
            for env in self.environments:
                stack.enter_context(blaming(self.spec.name, "closing it"))
                stack.callback(env.close)
            self.environments = []

    def _begin_anew(self, e: int, episode: Episode) -> None:
        """The next episode in the same step: what was seen last is kept apart."""
        board = self.board
        board.final_obs[e] = board.obs[e]
        board.final_state[e] = board.state[e]
        board.final_avail[e] = board.avail[e]
        last = [board.own_reward[e].copy(), board.own_terminated[e].copy()]
        last.append(board.own_truncated[e].copy())
        _begin(board, e, episode)
        board.own_reward[e], board.own_terminated[e], board.own_truncated[e] = last

    def _chosen(self) -> Iterator[tuple[int, Episode]]:
        for e, episode in enumerate(self._episodes, start=self.first):
            if self.board.chosen[e]:
                yield e, episode


def _begin(board: Board, e: int, episode: Episode) -> None:
    board.number[e] += 1
    episode.begin(episode_seed(int(board.seed[e]), int(board.number[e])))
    board.steps[e], board.total[e], board.over[e] = 0, 0.0, False


def _rows(board: Board, e: int) -> EpisodeRows:
    return EpisodeRows(
        board.obs[e],
        board.state[e],
        board.avail[e],
        board.own_reward[e],
        board.own_terminated[e],
        board.own_truncated[e],
        board.there[e],
    )
