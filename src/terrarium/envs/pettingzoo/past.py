"""What was done since each episode began, and how a batch is played again from it."""

import hashlib
import json
import logging
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.envs.pettingzoo.board import Board, memory_of
from terrarium.envs.pettingzoo.checking import unavailable
from terrarium.envs.pettingzoo.crews import RESET, STEP
from terrarium.envs.pettingzoo.spec import PettingZooSpec
from terrarium.envs.vector import EnvError

logger = logging.getLogger(__name__)

SHOWN = ("obs", "state", "avail")
"""What must be the same when a batch is played again"""


class Past:
    """The actions of all steps of the episodes that are going on: [T, N, A] or [T, N, A, K]."""

    def __init__(self, n_envs: int, shape: tuple[int, ...], kind: np.dtype[Any]) -> None:
        self.actions = np.zeros((32, n_envs, *shape), kind)
        self._envs = np.arange(n_envs)

    def note(self, board: Board) -> None:
        """Keep the actions that are about to be played."""
        if board.steps.max() >= len(self.actions):
            self.actions = np.concatenate([self.actions, np.zeros_like(self.actions)])
        self.actions[board.steps, self._envs] = board.actions

    def replace(self, actions: NDArray[Any]) -> None:
        """Take over what another batch has done."""
        room = np.zeros_like(self.actions[:1])
        self.actions = np.concatenate([actions, room])


def save_batch(spec: PettingZooSpec, board: Board, past: Past) -> dict[str, NDArray[np.uint8]]:
    """Stamp, arrays and past of a batch, as bytes."""
    saved = {name: _bytes_of(array).copy() for name, array in memory_of(board).items()}
    done = past.actions[: int(board.steps.max())]
    return {"stamp": _stamp(spec, board), "past": _bytes_of(done).copy(), **saved}


def load_batch(
    spec: PettingZooSpec,
    board: Board,
    past: Past,
    saved: Mapping[str, NDArray[np.uint8]],
    order: Callable[[bytes, NDArray[np.bool_]], None],
) -> None:
    """Play a saved batch again up to where it was, then take over what it had written."""
    _check_fits(spec, board, saved)
    steps = saved["steps"].view(np.int64)
    kind, shape = past.actions.dtype, past.actions.shape[1:]
    past.replace(saved["past"].view(kind).reshape((int(steps.max()), *shape)).copy())
    for name in ("seed", "number"):
        _bytes_of(getattr(board, name))[...] = saved[name]
    board.number[...] -= 1  # resetting counts it again
    repeats = _play_again(board, past, steps, order)
    if board.autoreset[0] and saved["over"].view(np.bool_).all():
        return  # they were given up, and new ones have just begun
    for name in SHOWN:
        array = getattr(board, name)
        before = saved[name].view(array.dtype).reshape(array.shape)
        same = array == before
        repeats &= same.reshape(len(same), -1).all(axis=1)
    if repeats.all():
        for name, array in memory_of(board).items():
            _bytes_of(array)[...] = saved[name]
        return
    logger.warning(
        "%s does not repeat itself: after the same seeds and actions, %d of %d environments look "
        "different. Their episodes begin anew.",
        spec.name,
        int((~repeats).sum()),
        len(repeats),
    )
    _take_over(board, saved, repeats)
    order(RESET, ~repeats)


def _play_again(
    board: Board,
    past: Past,
    steps: NDArray[np.int64],
    order: Callable[[bytes, NDArray[np.bool_]], None],
) -> NDArray[np.bool_]:
    """[N] where the past could be played to its end."""
    autoreset = bool(board.autoreset[0])
    repeats = np.ones(len(steps), np.bool_)
    order(RESET, repeats)
    board.autoreset[:] = False
    try:
        for t in range(int(steps.max())):
            goes_on = steps > t
            actions = past.actions[t]
            refused = board.over.copy()
            if actions.ndim == 2:
                refused |= unavailable(board.avail, actions).any(axis=1)
            else:
                refused |= ((actions != 0) & ~board.avail).any(axis=(1, 2))
            repeats &= ~(goes_on & refused)
            board.actions[...] = actions
            order(STEP, goes_on & repeats)
    finally:
        board.autoreset[:] = autoreset
    return repeats


def _take_over(
    board: Board, saved: Mapping[str, NDArray[np.uint8]], where: NDArray[np.bool_]
) -> None:
    for name, array in memory_of(board).items():
        if len(array) == len(where) and name != "autoreset":
            array[where] = saved[name].view(array.dtype).reshape(array.shape)[where]


def _check_fits(spec: PettingZooSpec, board: Board, saved: Mapping[str, NDArray[np.uint8]]) -> None:
    fits = {"past", *memory_of(board)} <= saved.keys() and all(
        _bytes_of(array).shape == saved[name].shape for name, array in memory_of(board).items()
    )
    if not fits or not np.array_equal(saved["stamp"], _stamp(spec, board)):
        raise EnvError(
            "this save is of another environment, set of options, or way to begin anew, or of "
            f"another number of environments than {spec.name} with {len(board.steps)}"
        )


def _stamp(spec: PettingZooSpec, board: Board) -> NDArray[np.uint8]:
    """What a save belongs to."""
    options = json.dumps(dict(spec.options), sort_keys=True, default=repr)
    setting = f"{spec.name} {options} {bool(board.autoreset[0])} {board.obs.shape}"
    return np.frombuffer(hashlib.sha256(setting.encode()).digest(), np.uint8).copy()


def _bytes_of(array: NDArray[Any]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
