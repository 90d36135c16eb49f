"""Yamato cannon: the most value for each shot, and no target twice."""

import numpy as np

from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import NOBODY, Floats, Ints, View

ABILITY = "yamato"
DAMAGE = 240.0
PARTLY = 0.5
"""What a wound is worth beside a kill of the same share"""
THREAT = 1.5
"""Who can shoot at the ship is worth more"""
MIN_WORTH = 60.0
"""A shot is kept for better targets than this"""
NEAR = 1.0
"""The ship may fly this far for a shot"""


def yamato(view: View) -> list[Wish]:
    """Each ship that may takes the best target that no other one has booked."""
    return _shoot(view, worth_of_shots(view), "yamato: the most valuable target that dies of it")


def nearest_yamato(view: View) -> list[Wish]:
    """The careless way: the nearest. For comparison."""
    near = np.where(view.pairs, 1000.0 - view.apart, 0.0)
    return _shoot(view, near, "yamato: the nearest")


def worth_of_shots(view: View) -> Floats:
    """[N, A, E] value that a shot destroys."""
    enemy = view.enemy
    left = np.maximum(enemy.life - enemy.incoming, 0.0)
    share = np.minimum(DAMAGE / np.maximum(left, 1.0), 1.0)
    worth = view.kinds.value[enemy.kind] * np.where(left <= DAMAGE, 1.0, PARTLY * share)
    # A shot at somebody who is nearly dead is wasted: anybody else finishes it.
    worth = worth * np.minimum(left / (0.25 * DAMAGE), 1.0)
    worth = worth * np.where(view.kinds.shoots_up[enemy.kind], THREAT, 1.0)
    worth = np.where(view.kinds.is_structure[enemy.kind], 0.5 * worth, worth)
    worth = np.where(worth >= MIN_WORTH, worth, 0.0)[:, None]
    return np.asarray(np.where(view.pairs, worth, 0.0))


def _shoot(view: View, worth: Floats, why: str) -> list[Wish]:
    may = view.may(ABILITY)
    if not may.any():
        return []
    reach = view.ranges[ABILITY] + view.own.radius[..., None] + view.enemy.radius[:, None] + NEAR
    worth = np.where(may[..., None] & (view.apart <= reach), worth, 0.0)
    target = share_out(view, worth, ABILITY)
    return [Wish(target != NOBODY, OrderKind.CAST, why, target=target, ability=ABILITY)]


def share_out(view: View, worth: Floats, ability: str, times: Ints | None = None) -> Ints:
    """[N, A] the best target of each, one after the other; nobody gets more than its `times`
    [N, E] shots (once, if not told), those that are under way included."""
    n, n_own, n_enemies = worth.shape
    room = np.ones((n, n_enemies), np.int64) if times is None else times.copy()
    under_way = view.casts[ability] & (view.cast_target != NOBODY) & view.busy
    battle, user = np.nonzero(under_way)
    np.add.at(room, (battle, view.cast_target[battle, user]), -1)
    target = np.full((n, n_own), NOBODY)
    for a in np.flatnonzero((worth > 0.0).any(axis=(0, 2))):
        left = np.where(room > 0, worth[:, a], 0.0)
        best = left.argmax(axis=1)
        takes = left[np.arange(n), best] > 0.0
        target[takes, a] = best[takes]
        room[takes, best[takes]] -= 1
    return target
