"""Before the fight: let the enemy come, and wait in a line from which everybody can shoot."""

import numpy as np

from terrarium.tactics.focus_fire import Targets
from terrarium.tactics.geometry import (
    centers,
    distances,
    lengths,
    of_targets,
    places_of,
    step_lengths,
    unit_vectors,
)
from terrarium.tactics.view import NOBODY, Bools, Floats, View

RANGED = 2.5
"""A longer reach than this makes a shooter"""
ROOM, CLOSE_ROOM = 1.3, 1.1
"""Room for each in the line, in widths of its body: for shooters, and for others"""
CURVE, CLOSE_CURVE = 6.0, 8.0
"""Radius of the line, with and without shooters: its wings stand forward, so that all reach who
comes to the middle"""
BEFORE = 1.0
"""Shooters stand so far before the line, others behind it: they begin, and step back into it"""
QUIET = 0.25
"""Nobody may be nearer than this to the reach of anybody"""
COMING = 0.5
"""An enemy comes that approaches with this share of its speed"""


def is_coming(view: View) -> Bools:
    """[N] some enemy approaches our middle."""
    way = unit_vectors(centers(view.own.pos, view.own.alive)[:, None] - view.enemy.pos)
    toward = (way * view.enemy.velocity).sum(axis=-1)
    comes = (toward > COMING * view.enemy.speed) & (view.enemy.speed > 0.0)
    return np.asarray((view.enemy.alive & comes).any(axis=1))


def is_shooter(view: View) -> Bools:
    """[N, A] who has a long reach."""
    return np.asarray(view.reach.max(axis=2) > RANGED)


def is_quiet(view: View) -> Bools:
    """[N] nobody can hit anybody yet, and the enemy comes to us: there is time to wait."""
    reach = np.maximum(view.reach, view.enemy_reach) + QUIET
    both = view.own.alive[..., None] & view.enemy.alive[:, None]
    clash = (both & (distances(view.own.pos, view.enemy.pos) <= reach)).any(axis=(1, 2))
    return ~clash & is_coming(view)


def line_places(
    view: View, who: Bools | None = None, toward: Floats | None = None, middle: Floats | None = None
) -> Floats:
    """[N, A, 2] where to wait: in a curve across the enemy's way. Who is unarmed stays.

    Without other words all who are armed stand around where they are, and face the enemies.
    """
    own = view.own
    armed = own.alive & (own.period_ticks > 0.0) if who is None else who
    middle = centers(own.pos, armed) if middle is None else middle
    toward = centers(view.enemy.pos, view.enemy.alive) if toward is None else toward
    front = unit_vectors(toward - middle)
    side = np.stack([-front[:, 1], front[:, 0]], axis=-1)
    # Everybody keeps its place in the order from wing to wing, so that no ways cross.
    across = ((own.pos - middle[:, None]) * side[:, None]).sum(axis=-1)
    order = np.where(armed, across, np.inf).argsort(axis=1)
    shooter = is_shooter(view)
    width = np.where(armed, np.where(shooter, ROOM, CLOSE_ROOM) * 2.0 * own.radius, 0.0)
    in_order = np.take_along_axis(width, order, axis=1)
    off = np.empty_like(width)
    np.put_along_axis(off, order, in_order.cumsum(axis=1) - in_order / 2.0, axis=1)
    off = off - width.sum(axis=1)[:, None] / 2.0
    curve = np.where((armed & shooter).any(axis=1), CURVE, CLOSE_CURVE)[:, None]
    ahead = off * off / (2.0 * curve) + np.where(shooter, BEFORE, -BEFORE)
    n_armed = np.maximum(armed.sum(axis=1), 1)[:, None]
    ahead = ahead - np.where(armed, ahead, 0.0).sum(axis=1)[:, None] / n_armed
    place = middle[:, None] + off[..., None] * side[:, None] + ahead[..., None] * front[:, None]
    return np.where(armed[..., None], place, own.pos)


def is_off(view: View, place: Floats) -> Bools:
    """[N, A] who is so far from its place that a step brings it nearer."""
    return np.asarray(np.abs(place - view.own.pos).max(axis=-1) > 0.55 * step_lengths(view))


def holds_fire(view: View, targets: Targets) -> Bools:
    """[N, A] shooters whose target is about to walk into their reach: whoever walks to meet it
    cannot shoot when it arrives."""
    reach = of_targets(view.reach, targets.who)
    now = places_of(view.enemy.pos, targets.who)
    then = places_of(view.enemy.pos + view.enemy.velocity * view.step_ticks, targets.who)
    beyond = lengths(now - view.own.pos) > reach + QUIET
    arrives = lengths(then - view.own.pos) <= reach
    return np.asarray((targets.who != NOBODY) & (reach > RANGED) & beyond & arrives)
