"""Against those who burst: stand so far apart that one explosion hurts one unit."""

import numpy as np

from terrarium.tactics.formation import is_coming, is_shooter
from terrarium.tactics.geometry import distances, lengths, steps_ahead
from terrarium.tactics.view import Bools, Ints, View

APART = 1.5
"""Between the edges of two units, in radii of an explosion: more than one, because they shift"""


def awaits_bursts(view: View) -> Bools:
    """[N, A] units without a long reach, while most of those who come die with their attack."""
    enemy = view.enemy
    most = 2 * (enemy.alive & enemy.bursts).sum(axis=1) > enemy.alive.sum(axis=1)
    comes = (most & is_coming(view))[:, None]
    return np.asarray(view.own.alive & ~is_shooter(view) & comes)


def spread_out(view: View) -> tuple[Bools, Ints]:
    """Who is too near a friend [N, A], and the heading that leads away from all of them."""
    own = view.own
    radius = np.where(view.enemy.alive, view.enemy.splash, 0.0).max(axis=1)[:, None]
    others = own.alive[:, None] & ~np.eye(own.alive.shape[1], dtype=np.bool_)  # [N, A, A]
    apart = np.where(others, distances(own.pos, own.pos), np.inf)
    crowded = own.alive & (apart.min(axis=2) < APART * radius + 2.0 * own.radius)
    ahead, is_open = steps_ahead(view)
    then = lengths(ahead[:, :, :, None] - own.pos[:, None, None])  # [N, A, K, A]
    crowd = np.where(others[:, :, None], 1.0 / np.maximum(then, 0.1) ** 2, 0.0).sum(axis=3)
    free = crowded & is_open.any(axis=2) & (own.speed > 0.0)
    return free, np.where(is_open, crowd, np.inf).argmin(axis=2)
