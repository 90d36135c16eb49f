"""Liberators: a zone over the enemy's way, in time."""

import numpy as np

from terrarium.tactics.geometry import nearest_of, unit_vectors
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import NOBODY, View

ZONE, FLY = "liberator_defender_mode", "liberator_fighter_mode"
RADIUS = 5.0
SOON = 4.0
"""Who is this far from where a zone would be walks into it"""
QUIET = 16.0


def liberator_zones(view: View) -> list[Wish]:
    """In defense at once, across the way; in an attack where the enemy stands."""
    fighters, anchored = view.own_are("liberator"), view.own_are("liberator_ag")
    if not (fighters | anchored).any():
        return []
    known = view.enemy.alive | view.remembered
    who, far = nearest_of(view, known & ~view.enemy.is_air)
    found = who != NOBODY
    place = np.take_along_axis(view.enemy.pos, np.maximum(who, 0)[..., None], axis=1)
    goal = np.where(found[..., None], place, view.mission.goal[:, None])
    reach = view.ranges.get(ZONE, RADIUS) + view.own.radius
    center = view.own.pos + reach[..., None] * unit_vectors(goal - view.own.pos)
    near = found & (far < reach + RADIUS + SOON)
    sky = (view.enemy.alive & view.enemy.is_air).any(axis=1, keepdims=True)
    begins = fighters & (near | np.asarray(view.mission.holds)) & ~sky
    gone = ~(view.pairs & (view.apart <= QUIET)).any(axis=2) & np.asarray(not view.mission.holds)
    return [
        Wish(view.may(ZONE) & begins, OrderKind.CAST,
             "zone: over the way that they come", point=center, ability=ZONE),
        Wish(view.may(FLY) & anchored & gone, OrderKind.CAST,
             "fly: nobody comes here any more", ability=FLY),
    ]  # fmt: skip
