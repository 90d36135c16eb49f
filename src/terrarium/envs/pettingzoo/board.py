"""The arrays that all environments of a batch write into, in one block of memory."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from terrarium.envs.pettingzoo.spec import PettingZooInfo

ALIGNMENT = 64


class Board(NamedTuple):
    """What a batch shows and remembers; environments first."""

    obs: NDArray[np.float32]  # [N, A, O]
    state: NDArray[np.float32]  # [N, S]
    avail: NDArray[np.bool_]  # [N, A, K]
    final_obs: NDArray[np.float32]  # [N or 0, A, O]
    final_state: NDArray[np.float32]  # [N or 0, S]
    final_avail: NDArray[np.bool_]  # [N or 0, A, K]
    own_reward: NDArray[np.float64]  # [N, A]
    own_terminated: NDArray[np.bool_]  # [N, A]
    own_truncated: NDArray[np.bool_]  # [N, A]
    there: NDArray[np.bool_]  # [N, A] who takes part
    returns: NDArray[np.float64]  # [N, A] of the episode
    reward: NDArray[np.float64]  # [N]
    terminated: NDArray[np.bool_]  # [N]
    truncated: NDArray[np.bool_]  # [N]
    total: NDArray[np.float64]  # [N] of the episode
    episode_return: NDArray[np.float64]  # [N] of the episode that ended last
    episode_steps: NDArray[np.int64]  # [N] of the episode that ended last
    seed: NDArray[np.uint64]  # [N] of the environment; the episode's follows from it
    number: NDArray[np.int64]  # [N] episodes begun
    steps: NDArray[np.int64]  # [N]
    over: NDArray[np.bool_]  # [N]
    actions: NDArray[Any]  # [N, A] int64, or [N, A, K] float64
    chosen: NDArray[np.bool_]  # [N] who is reset or stepped
    autoreset: NDArray[np.bool_]  # [1]


def shapes_of(
    info: PettingZooInfo, n: int, autoreset: bool
) -> dict[str, tuple[tuple[int, ...], np.dtype[Any]]]:
    """Shape and type of every array of a board."""
    a, k, m = info.n_agents, info.n_actions, n if autoreset else 0
    single, double, whole, yes = (np.dtype(t) for t in ("f4", "f8", "i8", "?"))
    acts = ((n, a), whole) if info.discrete else ((n, a, k), double)
    shapes: dict[str, tuple[tuple[int, ...], np.dtype[Any]]] = {
        "obs": ((n, a, info.obs_width), single),
        "state": ((n, info.state_size), single),
        "avail": ((n, a, k), yes),
        "final_obs": ((m, a, info.obs_width), single),
        "final_state": ((m, info.state_size), single),
        "final_avail": ((m, a, k), yes),
        "actions": acts,
        "autoreset": ((1,), yes),
        "seed": ((n,), np.dtype("u8")),
    }
    by_agent = {"own_reward": double, "returns": double}
    by_agent |= dict.fromkeys(("own_terminated", "own_truncated", "there"), yes)
    shapes |= {name: ((n, a), kind) for name, kind in by_agent.items()}
    by_env = {"reward": double, "total": double, "episode_return": double}
    by_env |= dict.fromkeys(("terminated", "truncated", "over", "chosen"), yes)
    by_env |= dict.fromkeys(("episode_steps", "number", "steps"), whole)
    shapes |= {name: ((n,), kind) for name, kind in by_env.items()}
    return {name: shapes[name] for name in Board._fields}


def board_size(info: PettingZooInfo, n: int, autoreset: bool) -> int:
    """Bytes of the block that a board needs."""
    return sum(_padded(*shape) for shape in shapes_of(info, n, autoreset).values())


def lay_out(block: Any, info: PettingZooInfo, n: int, autoreset: bool) -> Board:
    """A board in a block of memory, which other processes may see too."""
    arrays: dict[str, NDArray[Any]] = {}
    at = 0
    for name, (shape, kind) in shapes_of(info, n, autoreset).items():
        arrays[name] = np.ndarray(shape, kind, buffer=block, offset=at)
        at += _padded(shape, kind)
    return Board(**arrays)


def memory_of(board: Board) -> Mapping[str, NDArray[Any]]:
    """The arrays that a save must hold, by name."""
    return {name: array for name, array in board._asdict().items() if name != "chosen"}


def _padded(shape: tuple[int, ...], kind: np.dtype[Any]) -> int:
    size = int(np.prod(shape)) * kind.itemsize
    return (size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT
