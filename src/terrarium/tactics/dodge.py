"""Out of storms, from under falling bile, and far away from the mark of a nuke."""

import numpy as np

from terrarium.tactics.geometry import lengths, unit_vectors
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import Bools, Floats, Ints, View

MARGIN = 0.75

UPROOT = ("unsiege", "liberator_fighter_mode", "unburrow_widow_mine")
"""what those do first who cannot move"""


def dodge(view: View) -> list[Wish]:
    """Leave the place that is going to hurt, by the shortest way that is open and safe."""
    hazards, own = view.hazards, view.own
    if not (hazards.radius > 0.0).any():
        return []
    way = own.pos[:, :, None] - hazards.pos[:, None]  # [N, A, H, 2]
    apart = lengths(way)
    edge = (hazards.radius[:, None] + own.radius[..., None] + MARGIN) * (hazards.radius > 0.0)[
        :, None
    ]
    inside = edge - apart  # how deep
    deepest = inside.argmax(axis=2)
    depth = np.take_along_axis(inside, deepest[..., None], axis=2)[..., 0]
    runs = own.alive & (depth > 0.0) & (own.speed > 0.0)
    out = _ways_out(view, runs, deepest)
    rooted = own.alive & (depth > 0.0) & (own.speed <= 0.0)
    return [
        *(
            Wish(rooted & view.may(ability), OrderKind.CAST, "dodge: get mobile", ability=ability)
            for ability in UPROOT
        ),
        Wish(
            who=runs & ~view.busy,
            kind=OrderKind.MOVE,
            why="dodge: out of the place that is about to be hit",
            point=out,
        ),
    ]


def _ways_out(view: View, runs: Bools, deepest: Ints) -> Floats:
    """[N, A, 2] the nearest point outside of all hazards, of those straight ahead and beside."""
    own, hazards = view.own, view.hazards
    point = own.pos.copy()
    battle, unit = np.nonzero(runs)
    if not len(battle):
        return point
    center = hazards.pos[battle, deepest[battle, unit]]
    reach = hazards.radius[battle, deepest[battle, unit]]
    radius = own.radius[battle, unit]
    pos = own.pos[battle, unit]
    straight = unit_vectors(pos - center)
    # Who stands right in the middle goes home.
    lost = lengths(pos - center) < 0.1
    straight[lost] = unit_vectors(view.mission.home[battle] - center)[lost]
    best, best_cost = pos.copy(), np.full(len(pos), np.inf)
    for turn in np.arange(16) * (2.0 * np.pi / 16.0):
        cos, sin = np.cos(turn), np.sin(turn)
        aim = np.stack(
            [straight[:, 0] * cos - straight[:, 1] * sin,
             straight[:, 0] * sin + straight[:, 1] * cos], axis=-1,
        )  # fmt: skip
        there = center + aim * (reach + radius + 1.0)[:, None]
        cost = lengths(there - pos)
        is_open = view.ground.is_open(own.layer[battle, unit], there)
        gap = lengths(there[:, None] - hazards.pos[battle]) - hazards.radius[battle]
        bad = ((gap < radius[:, None]) & (hazards.radius[battle] > 0.0)).any(axis=1)
        cost = cost + 100.0 * bad + 1000.0 * ~is_open
        better = cost < best_cost - 1e-6
        best[better], best_cost[better] = there[better], cost[better]
    point[battle, unit] = best
    return point
