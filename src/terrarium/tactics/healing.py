"""Whom to heal, and where a healer waits."""

import numpy as np

from terrarium.tactics.geometry import centers, distances, unit_vectors
from terrarium.tactics.view import NOBODY, Floats, Ints, View

MIN_ENERGY = 2.0
"""With less a healer cannot help before the next decision"""
FLIGHT = 0.1
"""A cell to fly is as bad as this share of life"""
BEHIND = 2.0
"""So many cells behind its friends a healer waits: enemies shoot at the nearest"""


def choose_patients(view: View) -> Ints:
    """[N, A] the friend that each healer heals; NOBODY for others, and where nobody is hurt.

    The lowest share of life comes first, if it is near. A wound that one healer closes before the
    next decision is not given to a second one.
    """
    own = view.own
    heals = own.alive & (own.heals_per_tick > 0.0) & (own.energy >= MIN_ENERGY)
    hurt = own.alive & own.can_be_healed & (own.hp < own.hp_max)
    possible = heals[..., None] & hurt[:, None] & ~np.eye(heals.shape[1], dtype=np.bool_)
    way = np.maximum(distances(own.pos, own.pos) - view.heal_reach, 0.0)  # [N, A, A]
    need = (1.0 - own.hp / np.maximum(own.hp_max, 1e-9))[:, None] - FLIGHT * way
    need = np.where(possible, need, -np.inf)
    first = need.argmax(axis=2)
    gift = np.where(heals, own.heals_per_tick, 0.0) * view.step_ticks
    earlier = np.tri(first.shape[1], k=-1, dtype=np.bool_)  # [A, A] who counts before whom
    same = (first[:, :, None] == first[:, None]) & earlier
    given = (same * gift[:, None]).sum(axis=2)
    missing = np.take_along_axis(own.hp_max - own.hp, first, axis=1)
    spare = given >= missing
    chosen = first[..., None] == np.arange(first.shape[1])  # [N, A, A]
    cared_for = np.any(chosen & (heals & ~spare)[..., None], axis=1, keepdims=True)
    rest = np.where(cared_for, -np.inf, need)
    choice = np.where(spare[..., None], rest, need)
    return np.where(np.isfinite(choice.max(axis=2)), choice.argmax(axis=2), NOBODY)


def waiting_places(view: View) -> Floats:
    """[N, 2] behind the friends who fight, as seen from the enemy."""
    fights = view.own.alive & (view.own.period_ticks > 0.0)
    anybody = np.any(fights, axis=1, keepdims=True)
    friends = centers(view.own.pos, np.where(anybody, fights, view.own.alive))
    enemies = centers(view.enemy.pos, view.enemy.alive)
    return friends - BEHIND * unit_vectors(enemies - friends)
