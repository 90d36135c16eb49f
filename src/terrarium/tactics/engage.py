"""The fight itself: shoot, step back from those with a shorter reach, come nearer to the others."""

import numpy as np

from terrarium.tactics.flight import headings_away
from terrarium.tactics.focus_fire import Targets
from terrarium.tactics.geometry import away_points, enemy_gaps, lengths, of_targets, places_of
from terrarium.tactics.kiting import OUTRANGED
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import NOBODY, Bools, View

JOIN, JOIN_TANKS = 14.0, 4.0
"""Who is this far from being able to shoot joins a fight that has begun; nobody leaves the Tanks"""
HURT_TICKS = 32.0
SOON_TICKS = 1.0
"""A weapon that is ready by then shoots"""
KEEP_IN = 0.7
"""While the weapon cools down there is nothing to lose by keeping the distance; but not so far
that the next shot needs a walk"""
FASTER, AS_FAST = 1.15, 0.95
"""times the speed of who comes: to run with a ready weapon, and to run at all"""


def step_back(view: View, targets: Targets) -> list[Wish]:
    """While the weapon cools down: away from those who come and reach less far."""
    after = _outranged(view)
    if not after.any():
        return []
    gap = np.where(after, enemy_gaps(view), np.inf)
    soonest = (gap / np.maximum(view.enemy.speed, 1e-9)[:, None]).min(axis=2)
    near = after & (gap <= gap.min(axis=2, keepdims=True) + 1.0)
    fastest = np.where(near, view.enemy.speed[:, None], 0.0).max(axis=2)
    speed = view.own.speed
    ready = targets.in_reach & (view.cooldown_ticks <= SOON_TICKS)
    cools = view.cooldown_ticks > SOON_TICKS
    inside = (after & (view.apart < view.reach - KEEP_IN)).any(axis=2)
    # A ready weapon shoots, unless one is so fast that the enemy does not come near again.
    runs = np.where(
        ready,
        (soonest < view.step_ticks) & (speed > FASTER * fastest),
        cools & inside & (speed > AS_FAST * fastest),
    )
    runs &= (speed > 0.0) & (view.aim == NOBODY)
    danger = np.where(after, 1.0, 0.0)
    heading = headings_away(view, runs, danger, view.enemy_reach, friends=0.1)
    return [
        Wish(
            who=runs,
            kind=OrderKind.MOVE,
            why="kite: step back while the weapon cools down",
            point=away_points(view, heading),
        )
    ]


def _outranged(view: View) -> Bools:
    """[N, A, E] those who have to come nearer than we do, and can. All of them: who is not chased
    now stays with the others, for it is the next one."""
    can = view.pairs & (view.enemy_reach > 0.0) & (view.enemy.speed > 0.0)[:, None]
    return np.asarray(can & (view.reach > view.enemy_reach + OUTRANGED))


def shoot(view: View, targets: Targets) -> list[Wish]:
    """Everybody at the target that was chosen for it, if there is a reason to fight now."""
    can = targets.who != NOBODY
    moves = view.own.speed > 0.0
    return [
        Wish(
            who=can & targets.in_reach,
            kind=OrderKind.ATTACK,
            why="focus: the weak and the dangerous first, no more shots than needed",
            target=targets.who,
        ),
        Wish(
            who=can & moves & _joins(view, targets),
            kind=OrderKind.ATTACK,
            why="engage: come into range",
            target=targets.who,
        ),
    ]


def _joins(view: View, targets: Targets) -> Bools:
    """[N, A] who walks to a target: not before it could shoot there, if the other reaches less
    far; and in defense, only to help."""
    far = lengths(places_of(view.enemy.pos, targets.who) - view.own.pos)
    reach = of_targets(view.reach, targets.who)
    outranged = reach > of_targets(view.enemy_reach, targets.who) + OUTRANGED
    waits = outranged & (view.cooldown_ticks > view.step_ticks)
    joins = np.asarray(view.own.alive & ~waits)
    if not view.mission.holds:
        return joins
    begun = (targets.in_reach | (view.unhurt_ticks < HURT_TICKS)) & view.own.alive
    fought = begun.any(axis=1, keepdims=True)
    tanks = view.own_are("siege_tank_sieged").any(axis=1, keepdims=True)
    return np.asarray(joins & fought & (far - reach < np.where(tanks, JOIN_TANKS, JOIN)))
