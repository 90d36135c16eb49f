"""Medivacs: heal, carry away who would die, and drop where nobody waits."""

import numpy as np

from terrarium.tactics.geometry import centers, distances, lengths, unit_vectors
from terrarium.tactics.healing import choose_patients, waiting_places
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.sneak import way_around
from terrarium.tactics.view import NOBODY, View

LOAD, UNLOAD, BOOST = "load_medivac", "unload_all_medivac", "medivac_boost"
ROOM = 8
BOOST_WAY = 8.0
AT = 2.5
"""A place is reached from this near"""


def medivacs(view: View) -> list[Wish]:
    """What carriers do depends on what the army is there for."""
    ours = view.own_are("medivac")
    if not ours.any():
        return []
    if view.mission.flees:
        return _evacuate(view)
    if view.mission.prey is not None:
        return [*_drop(view), *_heal(view)]
    return _heal(view)


def _drop(view: View) -> list[Wish]:
    """Around the defense to the prey, and out with the passengers."""
    loaded = view.own_are("medivac") & (view.load > 0)
    prey = view.enemy.alive & (
        True if view.mission.prey is None else view.mission.prey[view.enemy.kind]
    )
    some = prey.any(axis=1, keepdims=True)
    goal = np.where(some, centers(view.enemy.pos, prey), view.mission.goal)
    goals = np.broadcast_to(goal[:, None], view.own.pos.shape)
    way = lengths(goals - view.own.pos)
    walkable = view.ground.is_open(np.zeros_like(view.own.layer), view.own.pos)
    return [
        Wish(view.may(UNLOAD) & loaded & (way < 2.0 * AT) & walkable, OrderKind.CAST,
             "drop: here they are", point=view.own.pos, ability=UNLOAD),
        Wish(view.may(BOOST) & loaded & (way > BOOST_WAY) & _in_danger(view), OrderKind.CAST,
             "boost: past them", ability=BOOST),
        Wish(loaded, OrderKind.MOVE, "drop: around the defense",
             point=way_around(view, loaded, goals)),
    ]  # fmt: skip


def _in_danger(view: View) -> np.ndarray:
    near = view.pairs & (view.enemy_reach > 0.0) & (view.apart <= view.enemy_reach + 4.0)
    return np.asarray(near.any(axis=2))


def _evacuate(view: View) -> list[Wish]:
    """Fetch everybody, nearest first, and bring them to the goal."""
    own = view.own
    carriers = view.own_are("medivac")
    size = view.kinds.cargo_size[own.kind]
    goal = np.broadcast_to(view.mission.goal[:, None], own.pos.shape)
    waits = own.alive & (size > 0) & (lengths(goal - own.pos) > 6.0)
    room = np.where(carriers, ROOM - view.load, 0)
    apart = distances(own.pos, own.pos)
    possible = carriers[..., None] & waits[:, None] & (size[:, None] <= room[..., None])
    cost = np.where(possible, apart, np.inf)
    target = np.full(own.alive.shape, NOBODY)
    taken = np.zeros(own.alive.shape, np.bool_)
    rows = np.arange(len(apart))
    for a in np.flatnonzero(carriers.any(axis=0)):
        left = np.where(taken, np.inf, cost[:, a])
        best = left.argmin(axis=1)
        found = np.isfinite(left[rows, best])
        target[found, a] = best[found]
        taken[rows[found], best[found]] = True
    full = carriers & (view.load > 0) & (target == NOBODY)
    there = lengths(goal - own.pos) < AT
    home = carriers.any(axis=1, keepdims=True)
    carrier = np.where(carriers[:, None], apart, np.inf).argmin(axis=2)
    meet = np.take_along_axis(own.pos, carrier[..., None], axis=1)
    near = lengths(meet - own.pos) < 6.0
    return [
        Wish(view.may(UNLOAD) & full & there, OrderKind.CAST, "unload: safe",
             point=own.pos, ability=UNLOAD),
        Wish(view.may(BOOST) & carriers & (lengths(goal - own.pos) > BOOST_WAY), OrderKind.CAST,
             "boost: every second counts", ability=BOOST),
        Wish(carriers & (target != NOBODY) & view.may(LOAD), OrderKind.CAST,
             "pick up: the nearest first", target=target, ability=LOAD, on_friend=True),
        Wish(full, OrderKind.MOVE, "fly them out", point=goal),
        Wish(waits & ~carriers & home & near, OrderKind.MOVE, "to the carrier", point=meet),
        Wish(waits & ~carriers & home, OrderKind.MOVE, "run to where one can be fetched",
             point=_shore(view)),
    ]  # fmt: skip


def _shore(view: View) -> np.ndarray:
    """[N, A, 2] as near to the goal as the ground goes."""
    goal = view.mission.goal[:, None]
    front = unit_vectors(goal - view.own.pos)
    ahead = view.own.pos + 3.0 * front
    is_open = view.ground.is_open(view.own.layer, ahead)
    return np.where(is_open[..., None], ahead, view.own.pos)


def _heal(view: View) -> list[Wish]:
    """The worst wound nearby; without one, behind the others."""
    healers = view.own_are("medivac")
    patient = choose_patients(view)
    place = np.broadcast_to(waiting_places(view)[:, None], view.own.pos.shape)
    seen = view.enemy.alive.any(axis=1, keepdims=True)
    return [
        Wish(healers & (patient != NOBODY), OrderKind.HEAL,
             "heal: the worst wound nearby", target=patient),
        Wish(healers & seen, OrderKind.MOVE, "heal: behind the others", point=place),
    ]  # fmt: skip
