"""What the interfaces for PettingZoo and Gymnasium share: options, and how a mask is kept."""

import numpy as np
from numpy.typing import NDArray

from terrarium.envs.kernels.tables import NO_OP, STOP
from terrarium.envs.options import OptionError
from terrarium.envs.vector import EnvError
from terrarium.errors import nearest

UNAVAILABLE = ("stop", "error")
RENDER_MODES = ("rgb_array",)


def check_unavailable(choice: str) -> str:
    """The option `unavailable`, if it is one of those that exist."""
    if choice not in UNAVAILABLE:
        raise OptionError(
            f'unavailable is "{choice}".{nearest(str(choice), UNAVAILABLE)} '
            f"Allowed: {', '.join(UNAVAILABLE)}"
        )
    return choice


def check_render_mode(render_mode: str | None) -> str | None:
    """The option `render_mode`: pictures, or nothing."""
    if render_mode not in (None, *RENDER_MODES):
        raise OptionError(
            f'render_mode is "{render_mode}". Allowed: {", ".join(RENDER_MODES)}, or left out; '
            "for a page in the browser: terrarium watch"
        )
    return render_mode


def dead(avail: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """[..., A] who is dead: only the dead may do nothing. `avail` is [..., A, K]."""
    gone: NDArray[np.bool_] = avail[..., NO_OP]
    return gone


def replace_unavailable(
    avail: NDArray[np.bool_], actions: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Actions [..., A] in which `stop` (of the dead: no-op) stands for what `avail` [..., A, K]
    does not offer, and how many [...] were replaced."""
    n_actions = avail.shape[-1]
    if ((actions < 0) | (actions >= n_actions)).any():
        wrong = int(actions[(actions < 0) | (actions >= n_actions)][0])
        raise EnvError(f"action {wrong} does not exist; allowed: 0 to {n_actions - 1}")
    offered = np.take_along_axis(avail, actions[..., np.newaxis], -1)[..., 0]
    instead = np.where(dead(avail), NO_OP, STOP)
    n_replaced: NDArray[np.int64] = (~offered).sum(-1)
    return np.where(offered, actions, instead), n_replaced
