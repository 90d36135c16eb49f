"""In defense: wait in a curve across the enemy's way, before the Tanks and behind nobody."""

import numpy as np

from terrarium.tactics.formation import line_places
from terrarium.tactics.geometry import centers, lengths, unit_vectors
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import Bools, View

BEFORE_TANKS = 3.5
"""So far ahead of the Tanks the others stand: out of their shells, and within their cover"""
CLOSE = 0.6
"""Who is nearer to its post than this stays"""
SOON = 3.0
"""An enemy that is this far from its reach, or from ours, ends the waiting"""


def take_posts(view: View) -> list[Wish]:
    """Fighters walk to their posts while nobody is near; there they hold."""
    if not view.mission.holds:
        return []
    own = view.own
    tanks = view.own_are("siege_tank", "siege_tank_sieged")
    fighters = own.alive & (own.period_ticks > 0.0) & (own.speed > 0.0) & ~tanks & ~own.is_air
    fighters &= ~view.kinds.is_worker[own.kind]
    toward = view.mission.goal
    middle = centers(own.pos, fighters)
    front = unit_vectors(toward - middle)
    some = tanks.any(axis=1, keepdims=True)
    middle = np.where(some, centers(own.pos, tanks) + BEFORE_TANKS * front, middle)
    place = line_places(view, fighters, toward, middle)
    waits = fighters & ~_clash(view)[:, None]
    off = lengths(place - own.pos) > CLOSE
    open_there = view.ground.is_open(own.layer, place)
    return [
        Wish(
            who=waits & off & open_there,
            kind=OrderKind.MOVE,
            why="post: a curve across the enemy's way",
            point=place,
        )
    ]


def _clash(view: View) -> Bools:
    """[N] somebody can hit somebody, or soon will."""
    reach = np.maximum(view.reach, view.enemy_reach) + SOON
    return np.asarray((view.pairs & (view.apart <= reach)).any(axis=(1, 2)))
