"""Shoot while it is safe; step back from enemies with a shorter reach while it is not."""

from dataclasses import dataclass

import numpy as np

from terrarium.tactics.escape import best_escapes
from terrarium.tactics.focus_fire import Targets
from terrarium.tactics.formation import is_shooter
from terrarium.tactics.geometry import distances, enemy_gaps, of_targets
from terrarium.tactics.view import Bools, Ints, View

OUTRANGED = 1.0
"""Against a reach that is shorter by less than this, running costs more than it saves"""
SAME_DISTANCE = 1.0
"""Enemies run at the nearest; who is farther away by more than this is not the next victim"""
READY = 0.5
"""A weapon that is ready within this share of a step shoots: moving would only delay it"""
KEEP_NEAR = 0.4
"""Who is not chased comes as near as this share of its reach, for the target may run away"""


@dataclass(frozen=True)
class Steps:
    """Who moves instead of shooting."""

    runs: Bools
    """[N, A] from a pursuer"""
    heading: Ints
    """[N, A] in which heading it runs"""
    follows: Bools
    """[N, A] walks nearer to its target while its weapon cools down"""


def kite(view: View, targets: Targets) -> Steps:
    """Whom the enemy is after steps back in time; the others use the time to come nearer.

    Not where friends fight hand to hand: they hold the enemy, and need every shot.
    """
    gap = enemy_gaps(view)
    after = pursuers(view)
    arrival = np.where(after, gap / np.maximum(view.enemy.speed, 1e-9)[:, None], np.inf)
    soonest = arrival.min(axis=2)
    ready = targets.in_reach & (view.cooldown_ticks <= READY * view.step_ticks)
    # While the weapon cools down there is nothing to lose by keeping the distance.
    needed = np.where(ready, view.step_ticks, view.cooldown_ticks + view.step_ticks)
    brawlers = view.own.alive & (view.own.period_ticks > 0.0) & ~is_shooter(view) & ~view.own.bursts
    alone = ~brawlers.any(axis=1, keepdims=True)
    runs = (soonest < needed) & (view.own.speed > 0.0) & alone
    heading = np.zeros(runs.shape, np.int64)
    battle, unit = np.nonzero(runs)
    if len(battle):
        # A shot is better than a step that does not help.
        heading[battle, unit], runs[battle, unit] = best_escapes(view, after, battle, unit)
    return Steps(runs, heading, alone & _follows(view, targets, np.isfinite(soonest)))


def pursuers(view: View) -> Bools:
    """[N, A, E] who runs at whom: those with a shorter reach, each at the nearest of us."""
    gap = distances(view.own.pos, view.enemy.pos) - view.enemy_reach
    possible = view.own.alive[..., None] & view.enemy.alive[:, None] & (view.enemy_reach > 0.0)
    gap = np.where(possible, gap, np.inf)
    nearest = gap.min(axis=1, keepdims=True)
    outranged = view.reach > view.enemy_reach + OUTRANGED
    moves = (view.enemy.speed > 0.0)[:, None]
    return np.asarray(possible & (gap <= nearest + SAME_DISTANCE) & outranged & moves)


def _follows(view: View, targets: Targets, chased: Bools) -> Bools:
    apart = of_targets(distances(view.own.pos, view.enemy.pos), targets.who)
    reach, danger = (of_targets(r, targets.who) for r in (view.reach, view.enemy_reach))
    far = (apart > KEEP_NEAR * reach) & (reach > danger + OUTRANGED)
    cools = view.cooldown_ticks > (1.0 - 0.5 * READY) * view.step_ticks
    return targets.in_reach & ~chased & far & cools & (apart > danger + 1.5)
