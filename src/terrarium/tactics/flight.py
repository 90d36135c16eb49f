"""Which way to run: away from all that hurts, around walls, and not into friends."""

import numpy as np

from terrarium.tactics.geometry import lengths
from terrarium.tactics.view import Bools, Floats, Ints, View

AHEAD = (1.5, 3.5)
"""The places that a heading is judged by: so many cells away"""
SOFT = 1.5
"""A danger counts by a factor e less for each so many cells of distance"""
WALL = 2.0
"""How bad it is that a place ahead cannot be walked on, in dangers at no distance"""
CROWD = 1.0
"""Friends nearer than this count, if one wants to spread"""


def headings_away(
    view: View,
    who: Bools,
    danger: Floats,
    reach: Floats,
    friends: float = 0.0,
    goal: Floats | None = None,
    pull: float = 0.0,
) -> Ints:
    """[N, A] the best heading for those who run; 0 for all others.

    `danger` [N, A, E] weighs the enemies, `reach` [N, A, E] is the distance at which each is as
    bad as can be, `friends` weighs one's own, and `pull` the way to a goal [N, A, 2].
    """
    heading = np.zeros(who.shape, np.int64)
    battle, unit = np.nonzero(who)
    if not len(battle):
        return heading
    cost = np.zeros((len(battle), len(view.headings)))  # [R, K]
    pos = view.own.pos[battle, unit]
    weight, edge = danger[battle, unit], reach[battle, unit]  # [R, E]
    for far in AHEAD:
        ahead = pos[:, None] + far * view.headings  # [R, K, 2]
        gap = lengths(ahead[:, :, None] - view.enemy.pos[battle][:, None]) - edge[:, None]
        cost += (weight[:, None] * np.exp(-np.maximum(gap, -2.0) / SOFT)).sum(axis=2)
        cost += WALL * ~view.ground.is_open(view.own.layer[battle, unit][:, None], ahead)
        if friends > 0.0:
            others = view.own.alive[battle] & (np.arange(who.shape[1]) != unit[:, None])
            near = lengths(ahead[:, :, None] - view.own.pos[battle][:, None])  # [R, K, A]
            cost += friends * (others[:, None] * np.exp(-near / CROWD)).sum(axis=2)
        if goal is not None:
            cost += pull * _ways(view, battle, unit, ahead, goal[battle, unit][:, None])
    heading[battle, unit] = cost.argmin(axis=1)
    return heading


def _ways(view: View, battle: Ints, unit: Ints, ahead: Floats, goal: Floats) -> Floats:
    """[R, K] how far it is from there to a goal: for walkers, around walls."""
    straight = lengths(ahead - goal)
    walks = view.own.is_walker[battle, unit][:, None]
    return np.where(walks, np.maximum(view.ground.ways(ahead, goal), straight), straight)
