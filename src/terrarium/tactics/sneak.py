"""A way to a place around those who would shoot."""

import numpy as np

from terrarium.tactics.flight import headings_away
from terrarium.tactics.geometry import away_points
from terrarium.tactics.view import Bools, Floats, View

DANGER = 2.0
PULL = 0.25
MARGIN = 1.5


def way_around(view: View, who: Bools, goal: Floats, hidden: Bools | None = None) -> Floats:
    """[N, A, 2] the next point on the way to a goal [N, A, 2] of each.

    Enemies count that were seen and reach the unit; those who are hidden [N, A] fear detectors.
    """
    known = view.own.alive[..., None] & (view.enemy.alive | view.remembered)[:, None]
    shoots = known & (view.enemy_reach > 0.0)
    reach = view.enemy_reach + MARGIN
    if hidden is not None:
        sees = view.kinds.detects[view.enemy.kind][:, None]
        shoots = np.where(hidden[..., None], known & (sees > 0.0), shoots)
        reach = np.where(hidden[..., None], sees + MARGIN, reach)
    heading = headings_away(view, who, np.where(shoots, DANGER, 0.0), reach, goal=goal, pull=PULL)
    near = np.abs(goal - view.own.pos).max(axis=-1) < 2.0
    return np.where(near[..., None], goal, away_points(view, heading))
