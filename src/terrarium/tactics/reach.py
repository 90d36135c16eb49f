"""There is nothing to win here: get to the goal alive, the expendable first."""

import numpy as np

from terrarium.tactics.geometry import lengths
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.sneak import way_around
from terrarium.tactics.view import View

PASSED = 3.0
"""Who is this far beyond a guard has passed it"""


def reach(view: View) -> list[Wish]:
    """Hidden or around them; where something may lie in wait, one after the other."""
    if not view.mission.flees:
        return []
    own = view.own
    goal = np.broadcast_to(view.mission.goal[:, None], own.pos.shape)
    way = lengths(goal - own.pos)
    walks = own.alive & (own.speed > 0.0)
    wishes = []
    if view.mission.precious is not None and view.mission.guards is not None:
        expendable = own.alive & ~view.mission.precious[own.kind]
        ambush = lengths(view.mission.goal[:, None] - view.mission.guards).max(axis=1)[:, None]
        ahead = expendable & (way > ambush - PASSED)
        # The next one starts when the one before it has passed or is gone.
        first = np.where(ahead, way, np.inf).argmin(axis=1)[:, None]
        starts = ahead & (np.arange(way.shape[1]) == first)
        waiting = ahead.any(axis=1, keepdims=True)
        wishes = [
            Wish(starts, OrderKind.MOVE, "scout: one goes ahead", point=goal),
            Wish(ahead, OrderKind.HOLD, "scout: wait for one's turn"),
            Wish(walks & ~expendable & waiting, OrderKind.HOLD, "wait until the way is known"),
        ]
    return [
        *wishes,
        Wish(
            who=walks & (way > 0.5),
            kind=OrderKind.MOVE,
            why="to the goal, around those who would shoot",
            point=way_around(view, walks, goal, own.cloaked),
        ),
    ]
