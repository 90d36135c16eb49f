"""The best way out: a few moves ahead, with everybody who chases in pursuit."""

from dataclasses import dataclass

import numpy as np

from terrarium.tactics.geometry import lengths, step_lengths
from terrarium.tactics.view import Bools, Floats, Ints, View

LEGS_STEPS = (2, 4)
"""An escape is so many steps in one heading, then so many in another"""
MAX_PURSUERS = 8
"""The nearest ones count"""
LATER = 0.05
"""Weight of all gaps on the way, beside the smallest one"""
HELPS = 0.01
"""Less gain than this is none"""


@dataclass(frozen=True)
class _Chase:
    """Those who run, a row `R` for each, and their `P` pursuers."""

    pos: Floats
    """[R, 2]"""
    step: Floats
    """[R]"""
    layer: Ints
    """[R]"""
    hunters: Floats
    """[R, P, 2]"""
    hunter_step: Floats
    """[R, P]"""
    hunter_reach: Floats
    """[R, P]"""
    hunter_walks: Bools
    """[R, P]"""
    counts: Bools
    """[R, P] False = there are not that many"""


def best_escapes(view: View, after: Bools, battle: Ints, unit: Ints) -> tuple[Ints, Bools]:
    """For each unit of a list [R]: the first heading of its best way out, and whether it is better
    than to stand. `after` [N, A, E] tells who is after whom."""
    chase = _chase(view, after, battle, unit)
    n = len(view.headings)
    first, second = np.divmod(np.arange(n * n), n)
    stands = np.zeros((1, 2))
    plans = [np.concatenate([view.headings[leg], stands]) for leg in (first, second)]
    score = _score(view, chase, plans)  # [R, L]
    ahead = chase.pos[:, None] + chase.step[:, None, None] * plans[0]
    score[~view.ground.is_open(chase.layer[:, None], ahead)] = -np.inf
    runs, stays = score[:, :-1], score[:, -1]
    best = runs.argmax(axis=1)
    return first[best], runs.max(axis=1) > stays + HELPS


def _chase(view: View, after: Bools, battle: Ints, unit: Ints) -> _Chase:
    pos = view.own.pos[battle, unit]
    # By the straight line: who stands below a cliff is near as soon as one steps down.
    apart = lengths(view.enemy.pos[battle] - pos[:, None])  # [R, E]
    apart = np.where(after[battle, unit], apart, np.inf)
    near = np.argsort(apart, axis=1)[:, :MAX_PURSUERS]  # [R, P]
    of = (battle[:, None], near)
    return _Chase(
        pos=pos,
        step=step_lengths(view)[battle, unit],
        layer=view.own.layer[battle, unit],
        hunters=view.enemy.pos[of],
        hunter_step=view.enemy.speed[of] * view.step_ticks,
        hunter_reach=view.enemy_reach[battle[:, None], unit[:, None], near],
        hunter_walks=view.enemy.is_walker[of],
        counts=np.isfinite(np.take_along_axis(apart, near, axis=1)),
    )


def _score(view: View, chase: _Chase, plans: list[Floats]) -> Floats:
    """[R, L] how far the pursuers stay away: the smallest gap on the way, and a little of all."""
    shape = (len(chase.pos), len(plans[0]))
    me = np.broadcast_to(chase.pos[:, None], (*shape, 2))
    hunters = np.broadcast_to(chase.hunters[:, None], (*shape, *chase.hunters.shape[1:]))
    smallest, total = np.full(shape, np.inf), np.zeros(shape)
    n_steps = 0
    for plan, leg_steps in zip(plans, LEGS_STEPS, strict=True):
        for _ in range(leg_steps):
            ahead = me + chase.step[:, None, None] * plan
            is_open = view.ground.is_open(chase.layer[:, None], ahead)
            me = np.where(is_open[..., None], ahead, me)
            n_steps += 1
            hunters, left = _pursue(view, chase, me, hunters, n_steps)
            smallest = np.minimum(smallest, left)
            total += left
    return smallest + LATER * total


def _pursue(
    view: View, chase: _Chase, me: Floats, hunters: Floats, n_steps: int
) -> tuple[Floats, Floats]:
    """One step of pursuit: where the hunters are then [R, L, P, 2], and the gap left [R, L]."""
    reach, step = chase.hunter_reach[:, None], chase.hunter_step[:, None]
    way = me[:, :, None] - hunters
    apart = lengths(way)
    pace = np.minimum(step, np.maximum(apart - reach, 0.0))
    left = apart - pace - reach
    around = view.ground.ways(me[:, :, None], chase.hunters[:, None])
    # Straight pursuit goes through cliffs; nobody who walks arrives before the shortest way.
    walked = np.where(chase.hunter_walks[:, None], around - n_steps * step - reach, -np.inf)
    left = np.maximum(left, walked)
    hunters = hunters + way * (pace / np.maximum(apart, 1e-9))[..., None]
    return hunters, np.where(chase.counts[:, None], left, np.inf).min(axis=2)
