"""Retreat: leave a fight that cannot be won, and turn round only when it clearly can."""

import numpy as np

from terrarium.tactics.geometry import unit_vectors
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import Bools, Floats, View

LOST, EVEN = 0.6, 1.0
"""Below the first odds an army leaves; one that is leaving turns round from the second on"""
HOMEWARD = 0.5
"""An army is leaving if this share of its pace leads home"""
AT_HOME = 3.0


def retreat(view: View) -> list[Wish]:
    """Where the mission allows it, everybody goes home from a fight that is lost.

    The two thresholds keep an army from running to and fro: whether it is leaving is seen from
    where it goes, so nothing has to be remembered.
    """
    if not view.mission.may_retreat:
        return []
    own = view.own
    lost = fight_odds(view) < np.where(is_leaving(view), EVEN, LOST)
    away = np.abs(own.pos - view.mission.home[:, None]).max(axis=-1) > AT_HOME
    return [
        Wish(
            who=own.alive & (own.speed > 0.0) & away & lost[:, None],
            kind=OrderKind.MOVE,
            why=f"retreat: odds below {LOST:g}, back until they are even",
            point=np.broadcast_to(view.mission.home[:, None], own.pos.shape),
        )
    ]


def fight_odds(view: View) -> Floats:
    """[N] our strength by theirs, of those in sight: the root of damage a tick times life
    (Lanchester's square law); endless where nobody is there to fight."""
    own, enemy = view.own, view.enemy
    ours = _strength(np.where(view.pairs, view.damage, 0.0).max(axis=2), own.period_ticks, own.life)
    theirs = _strength(
        np.where(view.pairs, view.enemy_damage, 0.0).max(axis=1), enemy.period_ticks, enemy.life
    )
    return np.where(theirs > 0.0, ours / np.maximum(theirs, 1e-9), np.inf)


def _strength(damage: Floats, period_ticks: Floats, life: Floats) -> Floats:
    """[N] of an army, from arrays [N, U]; who cannot hurt anybody counts for nothing."""
    rate = damage / np.maximum(period_ticks, 1.0)
    counts = rate > 0.0
    return np.asarray(np.sqrt(rate.sum(axis=1) * np.where(counts, life, 0.0).sum(axis=1)))


def is_leaving(view: View) -> Bools:
    """[N] the army is on its way home."""
    own = view.own
    way = unit_vectors(view.mission.home[:, None] - own.pos)
    toward = np.where(own.alive, (way * own.velocity).sum(axis=-1), 0.0).sum(axis=1)
    pace = np.where(own.alive, own.speed, 0.0).sum(axis=1)
    return np.asarray(toward > HOMEWARD * np.maximum(pace, 1e-9))
