"""Cloak: on when eyes without a detector come near, off when nobody is there."""

import numpy as np

from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import View

CLOAKS = {"cloak_ghost": "uncloak_ghost", "cloak_banshee": "uncloak_banshee"}
NEAR = 5.0
"""beyond the reach of an enemy it is time"""
QUIET = 18.0
MIN_ENERGY = 30.0


def cloak(view: View) -> list[Wish]:
    """Who could be shot soon cloaks, unless a detector sees it anyway."""
    if not any(on in view.can for on in CLOAKS):
        return []
    known = view.own.alive[..., None] & (view.enemy.alive | view.remembered)[:, None]
    shoots = known & (view.enemy_reach > 0.0)
    near = (shoots & (view.apart <= view.enemy_reach + NEAR)).any(axis=2)
    sees = view.kinds.detects[view.enemy.kind][:, None]
    seen = (known & (sees > 0.0) & (view.apart <= sees)).any(axis=2)
    anybody = (view.pairs & (view.apart <= QUIET)).any(axis=2)
    wishes = []
    for on, off in CLOAKS.items():
        if on not in view.can:
            continue
        wishes += [
            Wish(
                who=view.may(on) & near & ~seen & (view.own.energy >= MIN_ENERGY),
                kind=OrderKind.CAST,
                why="cloak: they come near and have no detector here",
                ability=on,
            ),
            Wish(
                who=view.may(off) & ~anybody & np.asarray(not view.mission.flees),
                kind=OrderKind.CAST,
                why="uncloak: nobody is near",
                ability=off,
            ),
        ]
    return wishes
