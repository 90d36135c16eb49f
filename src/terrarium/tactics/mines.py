"""Widow Mines: in the ground before the enemy is there, and not on one spot."""

import numpy as np

from terrarium.tactics.geometry import centers, lengths, unit_vectors
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import View

BURROW, UNBURROW = "burrow_widow_mine", "unburrow_widow_mine"
AHEAD = 2.5
"""So far before its friends a mine waits"""
SPACING = 2.0
HURRY = 12.0
"""With an enemy this near a mine digs in where it is"""
QUIET = 14.0


def mines(view: View) -> list[Wish]:
    """In defense: a row across the way; in an attack: where the enemy comes near."""
    free, buried = view.own_are("widow_mine"), view.own_are("widow_mine_burrowed")
    if not (free | buried).any():
        return []
    ours = free | buried
    middle = centers(view.own.pos, ours)
    front = unit_vectors(view.mission.goal - middle)
    side = np.stack([-front[:, 1], front[:, 0]], axis=-1)
    number = np.cumsum(ours, axis=1) - 1
    count = ours.sum(axis=1, keepdims=True)
    off = SPACING * (number - (count - 1) / 2.0)
    # Two rows: a straight one would be passed at its ends.
    depth = np.where(number % 2 == 0, AHEAD / 2.0, -AHEAD / 2.0)
    place = middle[:, None] + off[..., None] * side[:, None] + depth[..., None] * front[:, None]
    is_open = view.ground.is_open(view.own.layer, place)
    near = (view.pairs & (view.apart <= HURRY)).any(axis=2)
    there = (lengths(place - view.own.pos) < 0.7) | ~is_open
    stands = np.full(free.shape, view.mission.holds)
    quiet = ~(view.pairs & (view.apart <= QUIET)).any(axis=2)
    return [
        Wish(view.may(BURROW) & (near | (stands & there)), OrderKind.CAST,
             "burrow: in their way, before they are there", ability=BURROW),
        Wish(free & stands & ~there, OrderKind.MOVE,
             "mine: to its place in the field", point=place),
        Wish(view.may(UNBURROW) & quiet & ~stands, OrderKind.CAST,
             "unburrow: nobody comes here", ability=UNBURROW),
        Wish(buried, OrderKind.NONE, "mine: lie in wait"),
    ]  # fmt: skip
