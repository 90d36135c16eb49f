"""Vikings: in the air while there is something to shoot down, else down among the rest."""

import numpy as np

from terrarium.tactics.geometry import centers, lengths
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import View

LAND, FLY = "viking_assault_mode", "viking_fighter_mode"
AT = 1.6
"""Land this near a Tank: its shells do not fall below 2"""


def viking_modes(view: View) -> list[Wish]:
    """Land beside the target when the sky is clear; take off when it is not."""
    fighters = view.own_are("viking_fighter")
    landed = view.own_are("viking_assault")
    if not (fighters | landed).any():
        return []
    known = view.enemy.alive | view.remembered
    sky = (known & view.enemy.is_air).any(axis=1, keepdims=True)
    ground = known & ~view.enemy.is_air
    # All of them at one target, and down together: one by one they would be lost.
    middle = centers(view.own.pos, fighters | landed)
    way = np.where(ground, lengths(view.enemy.pos - middle[:, None]), np.inf)
    found = ground.any(axis=1, keepdims=True)
    place = view.enemy.pos[np.arange(len(way)), way.argmin(axis=1)][:, None]
    place = np.broadcast_to(place, view.own.pos.shape)
    far = lengths(place - view.own.pos)
    together = ~(fighters & (far > AT)).any(axis=1, keepdims=True)
    walkable = view.ground.is_open(np.zeros_like(view.own.layer), view.own.pos)
    down = fighters & ~sky & found
    goal = np.broadcast_to(view.mission.goal[:, None], view.own.pos.shape)
    seeks = fighters & ~sky & ~found & (lengths(goal - view.own.pos) > 1.0)
    return [
        Wish(view.may(LAND) & down & together & walkable, OrderKind.CAST,
             "land: the sky is clear, and here their shells do not fall", ability=LAND),
        Wish(down, OrderKind.MOVE, "fly over them before landing", point=place),
        Wish(seeks, OrderKind.MOVE, "look for them from above", point=goal),
        Wish(view.may(FLY) & sky & ~ground.any(axis=1, keepdims=True), OrderKind.CAST,
             "take off: there is something to shoot down", ability=FLY),
    ]  # fmt: skip
