"""Bunkers: the infantry nearby gets in before the fight."""

import numpy as np

from terrarium.tactics.geometry import distances
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import NOBODY, View

LOAD, UNLOAD = "load_bunker", "unload_all_bunker"
NEAR = 12.0
TOUCH = 0.6
"""Beyond the radii: the corners of its footprint keep walkers this far away"""
LOST = 0.08
"""Below this share of life the crew gets out before the roof falls in"""
CREW = ("marine", "marauder", "reaper", "ghost")
ROOM = 4


def bunkers(view: View) -> list[Wish]:
    """Crew walks to the nearest Bunker with room; it takes in whoever touches it."""
    own = view.own
    bunker = view.own_are("bunker") & view.can.get(LOAD, np.zeros_like(own.alive))
    if not view.own_are("bunker").any():
        return []
    size = view.kinds.cargo_size[own.kind]
    room = np.where(view.own_are("bunker"), ROOM - view.load, 0)  # [N, A]
    crew = view.own_are(*CREW)
    apart = distances(own.pos, own.pos)  # [N, crew, bunkers]
    touch = own.radius[:, :, None] + own.radius[:, None] + TOUCH
    fits = (crew[..., None] & bunker[:, None]) & (size[..., None] <= room[:, None])
    # The nearest of those who fit, so that not more walk there than find room.
    walk = np.where(fits & (apart < NEAR), apart, np.inf)
    order = walk.argsort(axis=1).argsort(axis=1)
    walk = np.where(order * size[..., None] < room[:, None], walk, np.inf)
    nearest = walk.argmin(axis=2)
    goes = np.isfinite(walk.min(axis=2)) & view.mission.holds
    place = np.take_along_axis(own.pos, nearest[..., None], axis=1)
    ready = fits & (apart <= touch)
    passenger = np.where(ready, -apart, -np.inf).argmax(axis=1)
    takes = ready.any(axis=1) & view.mission.holds
    low = own.hp < LOST * own.hp_max
    return [
        Wish(view.may(UNLOAD) & low, OrderKind.CAST,
             "bunker: out, before it falls", ability=UNLOAD),
        Wish(view.may(LOAD) & takes & ~low, OrderKind.CAST, "bunker: take the crew in",
             target=np.where(takes, passenger, NOBODY), ability=LOAD, on_friend=True),
        Wish(goes, OrderKind.MOVE, "bunker: get in", point=place),
    ]  # fmt: skip
