"""Whom to shoot: many at one, but no more than it takes to kill it."""

from dataclasses import dataclass

import numpy as np

from terrarium.tactics.geometry import distances, of_targets
from terrarium.tactics.view import NOBODY, Bools, Floats, Ints, View

KEEP_AIM = 1.5
"""A shot that has been started is lost when the target changes: another one must be better"""
WALKING = 20.0
"""Others stand in the way and the target moves: a tick of walking is worse than one of shooting"""
FAR_SHOOTER = 9.0
FRIENDS_NEAR = 1.8
"""between centers: a shell at an enemy this near to a friend hurts both"""
SPARE_FRIENDS = 0.3


@dataclass(frozen=True)
class Targets:
    """Whom each own unit wants to attack."""

    who: Ints
    """[N, A] NOBODY = there is nobody that it could ever attack"""
    in_reach: Bools
    """[N, A] it can shoot from where it is"""


def choose_targets(view: View, at_hand: bool = False) -> Targets:
    """Spread the fire so that dangerous and weak enemies die first and nothing is wasted.

    `at_hand`: whoever has somebody in reach does not walk to anybody else.
    """
    walk_ticks = ticks_to_reach(view)
    if at_hand:
        shoots = (walk_ticks <= 0.0).any(axis=2, keepdims=True)
        walk_ticks = np.where(shoots & (walk_ticks > 0.0), np.inf, walk_ticks)
    wish = _wishes(view, walk_ticks)
    fires = (walk_ticks <= 0.0) & (view.cooldown_ticks <= view.step_ticks)[..., None]
    who = _share_out(view, wish, fires)
    return Targets(who, (who != NOBODY) & (of_targets(walk_ticks, who) <= 0.0))


def ticks_to_reach(view: View) -> Floats:
    """[N, A, E] how long an own unit walks until it can hit an enemy; endless if it never can."""
    gap = np.maximum(distances(view.own.pos, view.enemy.pos) - view.reach, 0.0)
    ticks = gap / np.maximum(view.own.speed, 1e-9)[..., None]
    possible = view.own.alive[..., None] & view.enemy.alive[:, None] & (view.reach > 0.0)
    return np.where(possible, ticks, np.inf)


def _wishes(view: View, walk_ticks: Floats) -> Floats:
    """[N, A, E] harm that is prevented for each tick of walking and shooting; 0 = impossible."""
    own, enemy = view.own, view.enemy
    harm = view.enemy_damage.max(axis=1) / np.maximum(enemy.period_ticks, 1.0)  # [N, E]
    # Those who do nothing are the last ones, but they have to die as well.
    worth = np.maximum(np.maximum(harm, enemy.heals_per_tick), 1e-3)
    rate = view.damage / np.maximum(own.period_ticks, 1.0)[..., None]  # [N, A, E]
    near = walk_ticks <= view.step_ticks
    together = (rate * near).sum(axis=1)[:, None]
    with_me = np.where(near, together, together + rate)
    kill_ticks = enemy.life[:, None] / np.maximum(with_me, 1e-9)
    wish = worth[:, None] / (kill_ticks + WALKING * walk_ticks + view.step_ticks)
    wish *= _crowds(view) * _spares_friends(view)
    wish[view.aim[..., None] == np.arange(wish.shape[2])] *= KEEP_AIM
    return np.where(np.isfinite(walk_ticks), wish, 0.0)


def _crowds(view: View) -> Floats:
    """[N, A, E] how many enemies one attack hurts."""
    crowds = np.ones(view.reach.shape)
    if not view.own.splash.any():
        return crowds
    apart = np.where(view.enemy.alive[:, None], distances(view.enemy.pos, view.enemy.pos), np.inf)
    for radius in np.unique(view.own.splash[view.own.splash > 0.0]):
        hurt = np.maximum((apart <= radius).sum(axis=2), 1)[:, None]
        crowds = np.where((view.own.splash == radius)[..., None], hurt, crowds)
    return crowds


def _spares_friends(view: View) -> Floats:
    """[N, A, E] less for a splash that would also fall on one's own: only far shooters can
    choose another target in time."""
    fair = np.ones(view.reach.shape)
    shells = (view.own.splash > 0.0) & (view.reach.max(axis=2) > FAR_SHOOTER) & ~view.own.is_air
    if not shells.any():
        return fair
    friends = view.own.alive & ~view.own.is_air
    near = view.pairs & friends[..., None] & (view.apart <= FRIENDS_NEAR)
    return np.where(shells[..., None] & near.any(axis=1, keepdims=True), SPARE_FRIENDS, fair)


def _share_out(view: View, wish: Floats, fires: Bools) -> Ints:
    """[N, A] the best wish of each, unless others kill that enemy before the next decision."""
    who = np.full(wish.shape[:2], NOBODY)
    # What is in the air already will fall.
    left_life = np.maximum(view.enemy.life - view.enemy.incoming, 0.0)
    doom = np.zeros(view.enemy.alive.shape)  # [N, E] damage that is going to fall
    earlier = np.tri(wish.shape[1], k=-1, dtype=np.bool_)  # [A, A] who counts before whom
    left_wish = wish
    # Shooters that are too many for a target choose again in the next round; each round decides
    # for one at least.
    for _ in range(wish.shape[1]):
        best = left_wish.argmax(axis=2)
        undecided = (who == NOBODY) & (of_targets(left_wish, best) > 0.0)
        if not undecided.any():
            break
        damage = of_targets(np.where(fires, view.damage, 0.0), best) * undecided
        same = (best[:, :, None] == best[:, None]) & earlier
        before = (same * damage[:, None]).sum(axis=2)
        taken = undecided & (before < np.take_along_axis(left_life - doom, best, axis=1))
        who = np.where(taken, best, who)
        onto = taken[..., None] & (best[..., None] == np.arange(wish.shape[2]))
        doom = doom + (onto * damage[..., None]).sum(axis=1)
        left_wish = np.where((doom < left_life)[:, None], left_wish, 0.0)
    # Whoever is still without a target joins the others: a wasted shot is no loss.
    spare = (who == NOBODY) & (wish.max(axis=2) > 0.0)
    return np.where(spare, wish.argmax(axis=2), who)
