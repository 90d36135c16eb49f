"""Stimpack: half again as many shots and steps, for a little life."""

import numpy as np

from terrarium.tactics.geometry import enemies_within
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import Bools, Floats, View

PACKS = {"stimpack_marine": 10.0, "stimpack_marauder": 20.0}
"""the life that each costs"""
LASTS_TICKS = 240.0
FASTER = 0.5
"""more shots, as a share"""
NEAR = 1.5
"""A target this far beyond the reach is a fight that begins before the next decision"""
WORTH = 1.5
"""Damage that has to be gained for each point of life: ours comes back slowly, theirs never"""
FLOOR = 0.35
"""Nobody stims below this share of life: the next hits would kill it"""


def stim(view: View) -> list[Wish]:
    """Who is in a fight that lasts long enough takes a Stimpack."""
    gain = stim_gain(view)
    return [
        Wish(
            who=_able(view, pack, life) & (gain >= WORTH * life),
            kind=OrderKind.CAST,
            why=f"stim: the fight lasts long enough to win back more than {WORTH * life:g} life",
            ability=pack,
        )
        for pack, life in PACKS.items()
    ]


def always_stim(view: View) -> list[Wish]:
    """The careless way: whoever is not stimmed stims. For comparison."""
    return [
        Wish(
            who=view.may(pack) & (view.stim_ticks <= 0.0) & (view.own.hp > life),
            kind=OrderKind.CAST,
            why="stim: always",
            ability=pack,
        )
        for pack, life in PACKS.items()
    ]


def stim_gain(view: View) -> Floats:
    """[N, A] damage that a Stimpack adds before the fight is over, or before it wears off."""
    own, enemy = view.own, view.enemy
    rate = np.where(view.pairs, view.damage, 0.0) / np.maximum(own.period_ticks, 1.0)[..., None]
    fights = enemies_within(view, view.reach + NEAR) & (view.damage > 0.0)  # [N, A, E]
    best = np.where(fights, rate, 0.0).max(axis=2)  # [N, A]
    together = np.maximum(best.sum(axis=1), 1e-9)[:, None]
    # All who are near enough to join, not only those who can be shot now.
    joins = enemies_within(view, view.reach + 8.0).any(axis=1)
    ticks = np.where(joins, enemy.life, 0.0).sum(axis=1)[:, None] / together
    return np.asarray(best * FASTER * np.minimum(ticks, LASTS_TICKS))


def _able(view: View, pack: str, life: float) -> Bools:
    left = view.own.hp - life >= FLOOR * view.own.hp_max
    return np.asarray(view.may(pack) & (view.stim_ticks <= 0.0) & left)
