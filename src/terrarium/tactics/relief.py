"""An enemy turns to those who attack it: whom it is after stops, while a friend goes on."""

import numpy as np

from terrarium.tactics.focus_fire import Targets
from terrarium.tactics.geometry import distances, enemy_gaps
from terrarium.tactics.kiting import pursuers
from terrarium.tactics.view import Bools, View

HUNTED_STEPS = 4.0
"""Who is reached within so many steps stops shooting at its pursuer"""
AS_FAST = 1.05
"""times the speed of a pursuer: a unit that is faster runs instead"""
LOW_HITS = 2.0
"""A unit that dies of so many hits leaves the fire"""
NEAR_REACH = 0.5
"""It is under fire if an enemy needs no more than this to reach it"""


def hands_over(view: View, targets: Targets) -> Bools:
    """[N, A] the nearest to a pursuer that it cannot outrun, while another one shoots at it."""
    ticks = enemy_gaps(view) / np.maximum(view.enemy.speed, 1e-9)[:, None]
    slow = view.own.speed[..., None] <= AS_FAST * view.enemy.speed[:, None]
    hunted = pursuers(view) & (ticks < HUNTED_STEPS * view.step_ticks) & slow
    n_own, n_enemies = view.reach.shape[1:]
    apart = np.where(view.pairs, distances(view.own.pos, view.enemy.pos), np.inf)
    nearest = apart.argmin(axis=1)[:, None] == np.arange(n_own)[:, None]
    shoots = targets.in_reach[..., None] & (targets.who[..., None] == np.arange(n_enemies))
    others = shoots.sum(axis=1, keepdims=True) > shoots
    return np.asarray((hunted & nearest & shoots & others).any(axis=2))


def rests(view: View, targets: Targets) -> Bools:
    """[N, A] the weakest of those who are under fire and low, while others shoot: one at a time."""
    own, enemy = view.own, view.enemy
    danger = view.pairs & (view.enemy_reach > 0.0)
    worst = np.where(danger, view.enemy_damage, 0.0).max(axis=2)
    near = (danger & (view.apart <= view.enemy_reach + NEAR_REACH)).any(axis=2)
    period = np.where(enemy.alive, enemy.period_ticks, 0.0).max(axis=1)[:, None]
    low = own.alive & near & (own.speed > 0.0) & (own.life <= LOW_HITS * worst)
    low &= view.unhurt_ticks <= period
    held = (targets.in_reach & ~low).any(axis=1, keepdims=True)
    weakest = np.where(low, own.life, np.inf).argmin(axis=1)[:, None] == np.arange(low.shape[1])
    return np.asarray(low & held & weakest)
