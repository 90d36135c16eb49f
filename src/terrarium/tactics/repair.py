"""SCVs: what is worth most first, and nobody into the fight."""

import numpy as np

from terrarium.tactics.geometry import distances
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import NOBODY, View

ABILITY = "repair_scv"
FAR = 0.05
"""A cell to walk is as bad as this share of a patient's life"""
MAX_WALK = 14.0
ENOUGH = 0.98
SCALE = 100.0
"""value that counts as one"""


def repair(view: View) -> list[Wish]:
    """Each SCV repairs the patient with the most value in danger near it."""
    may = view.may(ABILITY)
    if not may.any():
        return []
    own = view.own
    hurt = own.alive & view.kinds.can_be_repaired[own.kind] & (own.hp < ENOUGH * own.hp_max)
    hurt &= view.kinds.is_mechanical[own.kind] | view.kinds.is_structure[own.kind]
    hurt &= ~view.busy | (own.speed <= 0.0)
    worth = (1.0 - own.hp / np.maximum(own.hp_max, 1.0)) * view.kinds.value[own.kind] / SCALE
    walk = distances(own.pos, own.pos)  # [N, A, A]
    possible = hurt[:, None] & ~np.eye(own.alive.shape[1], dtype=np.bool_) & (walk < MAX_WALK)
    need = np.where(possible, worth[:, None] + 0.01 - FAR * walk * 0.1, -np.inf)
    patient = need.argmax(axis=2)
    found = np.isfinite(need.max(axis=2))
    going_on = may & view.casts[ABILITY]
    return [
        Wish(going_on & found, OrderKind.NONE, "repair: go on"),
        Wish(
            who=may & found,
            kind=OrderKind.CAST,
            why="repair: the most value in danger nearby",
            target=np.where(found, patient, NOBODY),
            ability=ABILITY,
            on_friend=True,
        ),
        Wish(may & view.kinds.is_worker[own.kind], OrderKind.NONE, "repair: wait for work"),
    ]
