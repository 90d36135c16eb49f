"""Which actions are refused, and what is said then."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from terrarium.envs.pettingzoo.spaces import CHOICE, FLAG, NOTHING
from terrarium.envs.pettingzoo.spec import PettingZooInfo
from terrarium.envs.vector import EnvError


def refuse_index(info: PettingZooInfo, avail: NDArray[np.bool_], given: NDArray[Any]) -> None:
    """Raise, unless every action [N, A] is available."""
    if given.dtype.kind not in "iu":
        raise EnvError(f"actions are {given.dtype}; they must be whole numbers")
    wrong = unavailable(avail, given)
    if wrong.any():
        e, a = (int(i) for i in np.argwhere(wrong)[0])
        raise EnvError(
            f"environment {e}, {info.agents[a]}: action {given[e, a]} is not available now. "
            f"Available: {np.flatnonzero(avail[e, a]).tolist()}. Choose by the mask: now.avail"
        )


def unavailable(avail: NDArray[np.bool_], given: NDArray[Any]) -> NDArray[np.bool_]:
    """[N, A] which actions may not be chosen."""
    n_actions = avail.shape[-1]
    inside = (given >= 0) & (given < n_actions)
    at = np.where(inside, given, 0).astype(np.int64)[..., None]
    allowed: NDArray[np.bool_] = np.take_along_axis(avail, at, axis=-1)[..., 0]
    refused: NDArray[np.bool_] = ~(inside & allowed)
    return refused


def refuse_vector(info: PettingZooInfo, avail: NDArray[np.bool_], given: NDArray[Any]) -> None:
    """Raise, unless every row of `given` [N, A, K] is an action.

    Columns that are not available hold 0. Of the columns of a choice, one holds 1 and the others
    0; flags are 0 or 1; numbers lie between -1 and 1.
    """
    if given.dtype.kind not in "iufb":
        raise EnvError(f"actions are {given.dtype}; they must be numbers")
    if not np.isfinite(given).all():
        e, a, k = (int(i) for i in np.argwhere(~np.isfinite(given))[0])
        _refuse(info, e, a, f"column {k} holds {given[e, a, k]}", "finite numbers")
    stray = (given != 0) & ~avail
    if stray.any():
        e, a, k = (int(i) for i in np.argwhere(stray)[0])
        free = np.flatnonzero(avail[e, a]).tolist()
        expected = f"0, because it is not available; columns {free} are"
        _refuse(info, e, a, f"column {k} holds {given[e, a, k]}", expected)
    idle = avail[..., NOTHING]
    _check_part(info, idle, given[..., :1], CHOICE, slice(None), 0)
    for a in range(info.n_agents):
        first = 1
        for part in info.parts[a]:
            columns = given[:, a, first : first + part.n]
            _check_part(info, ~idle[:, a], columns, part.kind, a, first)
            first += part.n


def _check_part(
    info: PettingZooInfo,
    acts: NDArray[np.bool_],
    columns: NDArray[Any],
    kind: str,
    who: int | slice,
    first: int,
) -> None:
    """Refuse columns [..., n] of one part, of those who act with it."""
    if kind == CHOICE:
        bits = ((columns == 0) | (columns == 1)).all(axis=-1)
        wrong, expected = ~(bits & (columns.sum(axis=-1) == 1)), "one 1, and 0 otherwise"
    elif kind == FLAG:
        wrong, expected = ~((columns == 0) | (columns == 1)).all(axis=-1), "0 or 1 in each"
    else:
        wrong, expected = (np.abs(columns) > 1.0).any(axis=-1), "numbers from -1 to 1"
    wrong &= acts
    if wrong.any():
        at = np.argwhere(wrong)[0]
        e, a = int(at[0]), int(at[1]) if isinstance(who, slice) else who
        values = columns[tuple(at)]
        last = first + len(values) - 1
        found = f"columns {first} to {last} hold {np.round(values, 3).tolist()}"
        _refuse(info, e, a, found, expected)


def _refuse(info: PettingZooInfo, e: int, a: int, found: str, expected: str) -> None:
    raise EnvError(f"environment {e}, {info.agents[a]}: {found}; expected: {expected}")
