"""Against a fortress that cannot follow: take turns in its fire, and let the shields grow."""

from dataclasses import dataclass

import numpy as np

from terrarium.tactics.focus_fire import ticks_to_reach
from terrarium.tactics.geometry import distances, steps_ahead, unit_vectors
from terrarium.tactics.view import Bools, Floats, Ints, View

MARGIN = 0.75
"""Out of reach is out of reach also after a little push by a friend"""
LOW_HITS = 2.0
"""Who dies of so many hits has had enough: one of them may fall while it leaves"""
SURE = 1.1
"""An army that needs less than this share of the time that it has left stays to the end"""


@dataclass(frozen=True)
class Withdrawal:
    """Who gets out of the fortress's reach, and who stays out."""

    leaves: Bools
    """[N, A]"""
    heading: Ints
    """[N, A] of those who leave"""
    waits: Bools
    """[N, A]"""


def withdraw(view: View) -> Withdrawal:
    """The one who is shot at leaves when its life is low, so that the fire turns to another.

    When nobody is left to take the fire, all go, wait until the shields are full, and come back
    together. Only against enemies that cannot follow, and for units whose shields come back.
    """
    own, enemy = view.own, view.enemy
    pairs = own.alive[..., None] & enemy.alive[:, None] & (view.enemy_reach > 0.0)
    followed = np.any(pairs & (enemy.speed > 0.0)[:, None], axis=(1, 2))[:, None]
    grows = own.alive & (own.shield_max > 0.0) & (own.speed > 0.0) & ~followed
    within = pairs & (distances(own.pos, enemy.pos) <= view.enemy_reach + MARGIN)  # [N, A, E]
    inside = within.any(axis=2)
    low = grows & (own.life <= LOW_HITS * np.where(pairs, view.enemy_damage, 0.0).max(axis=2))
    held = (grows & inside & ~low).any(axis=1, keepdims=True)
    # Within one period of their weapons the fire comes back to the same unit.
    period = np.where(enemy.alive, enemy.period_ticks, 0.0).max(axis=1)[:, None]
    shot_at = view.unhurt_ticks <= period
    leaves = inside & low & np.where(held, shot_at, ~_wins(view)[:, None])
    outside = grows & ~inside
    grown = ~(outside & (own.shield < own.shield_max)).any(axis=1, keepdims=True)
    waits = outside & ~grown & ~(held & ~(low & shot_at))
    away = unit_vectors(own.pos[:, :, None] - enemy.pos[:, None]) * within[..., None]
    ahead = np.where(steps_ahead(view)[1], away.sum(axis=2) @ view.headings.T, -np.inf)
    return Withdrawal(leaves, ahead.argmax(axis=2), waits)


def _wins(view: View) -> Bools:
    """[N] the enemies die before we do, if everybody shoots from now on."""
    own, enemy = view.own, view.enemy
    rate = view.damage / np.maximum(own.period_ticks, 1.0)[..., None]
    rate = np.where(own.alive[..., None] & enemy.alive[:, None], rate, 0.0).max(axis=2).sum(axis=1)
    kill_ticks = np.where(enemy.alive, enemy.life, 0.0).sum(axis=1) / np.maximum(rate, 1e-9)
    walk_ticks = ticks_to_reach(view)
    walk_ticks = np.where(np.isfinite(walk_ticks), walk_ticks, 0.0).max(axis=(1, 2))
    return np.asarray(kill_ticks + walk_ticks <= SURE * _ticks_to_live(view))


def _ticks_to_live(view: View) -> Floats:
    """[N] until the last of us is dead, if no shot misses and none is wasted."""
    own, enemy = view.own, view.enemy
    worst = np.where(enemy.alive[:, None], view.enemy_damage, 0.0).max(axis=2)
    hits = np.ceil(own.life / np.maximum(worst, 1e-9)) * own.alive
    often = np.where(enemy.alive, 1.0 / np.maximum(enemy.period_ticks, 1.0), 0.0).sum(axis=1)
    return np.asarray(hits.sum(axis=1) / np.maximum(often, 1e-9))
