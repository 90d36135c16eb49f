"""Siege Tanks: in place before the enemy is there, and never all on the move."""

import numpy as np

from terrarium.tactics.geometry import enemies_within, in_hazard, lengths
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import Bools, View

SIEGE, UNSIEGE = "siege_mode", "unsiege"
RANGE = 13.0
SIEGE_TICKS = 75.0
"""until a Tank that begins now can shoot"""
TOO_NEAR = 3.0
"""An enemy that near is shot at faster from wheels"""
QUIET = RANGE + 4.0
"""Nobody that near: it is safe to move on"""
LEAP = 6.0
"""A Tank goes this far beyond the foremost one that stands"""
SPACING = 1.8
"""between Tanks: one explosion must not hurt two"""


def siege(view: View) -> list[Wish]:
    """Who has somebody to shell soon, or waits for an attack, sieges; others move on in turns."""
    mobile, sieged = view.own_are("siege_tank"), view.own_are("siege_tank_sieged")
    if not (mobile | sieged).any():
        return []
    known = (view.enemy.alive | view.remembered) & ~view.enemy.is_air
    near = view.own.alive[..., None] & known[:, None]
    # How far the enemy gets, at us, until a Tank that begins now can shoot.
    approach = np.where(view.enemy.alive, view.enemy.speed, 0.0) * SIEGE_TICKS
    in_time = view.apart <= RANGE - 0.3 + approach[:, None]
    soon = (near & in_time & (view.damage > 0.0)).any(axis=2)
    beside = enemies_within(view, TOO_NEAR, known).any(axis=2)
    waits = np.full(mobile.shape, view.mission.holds)
    goes = mobile & (soon | waits) & ~beside & view.may(SIEGE)
    crowded = _crowded(view, mobile, sieged) & ~soon
    goes &= ~in_hazard(view)
    return [
        Wish(
            who=goes & ~crowded,
            kind=OrderKind.CAST,
            why="siege: the enemy comes into range"
            if not view.mission.holds
            else "siege: ready before the attack",
            ability=SIEGE,
        ),
        *_unsiege(view, sieged, near),
        *_leap(view, mobile, sieged),
    ]


def _unsiege(view: View, sieged: Bools, near: Bools) -> list[Wish]:
    """The hindmost Tank moves on when all is quiet and at least half of them stand."""
    if view.mission.holds:
        return []
    # Who cannot move does no harm beyond its reach, and has to be approached.
    moves = (view.enemy.alive & (view.enemy.speed > 0.0))[:, None]
    quiet = ~(near & (view.apart <= np.where(moves, QUIET, RANGE))).any(axis=2)
    tanks = view.own_are("siege_tank", "siege_tank_sieged")
    n_moving = (tanks & ~(sieged & ~view.busy)).sum(axis=1, keepdims=True)
    way = lengths(view.own.pos - view.mission.goal[:, None])
    hindmost = way >= np.where(sieged, way, -np.inf).max(axis=1, keepdims=True)
    may = view.may(UNSIEGE) & sieged & quiet & hindmost & (way > RANGE - 2.0)
    return [
        Wish(
            who=may & (2 * (n_moving + 1) <= tanks.sum(axis=1, keepdims=True) + 1),
            kind=OrderKind.CAST,
            why="unsiege: nobody in reach, and the others stand",
            ability=UNSIEGE,
        )
    ]


def _leap(view: View, mobile: Bools, sieged: Bools) -> list[Wish]:
    """A Tank that has gone a leap beyond the others takes its place."""
    if view.mission.holds:
        return []
    way = lengths(view.own.pos - view.mission.goal[:, None])
    front = np.where(sieged, way, np.inf).min(axis=1, keepdims=True)
    ahead = mobile & (way < front - LEAP) & np.isfinite(front)
    return [
        Wish(
            who=ahead & view.may(SIEGE),
            kind=OrderKind.CAST,
            why="siege: a leap ahead of the others",
            ability=SIEGE,
        )
    ]


def _crowded(view: View, mobile: Bools, sieged: Bools) -> Bools:
    """[N, A] stands too near another Tank; of two, the later one moves."""
    tanks = mobile | sieged
    n = tanks.shape[1]
    way = view.own.pos[:, :, None] - view.own.pos[:, None]
    others = tanks[:, None] & np.tri(n, k=-1, dtype=np.bool_)
    return np.asarray(mobile & (others & (lengths(way) < SPACING)).any(axis=2))
