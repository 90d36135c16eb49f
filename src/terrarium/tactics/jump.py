"""Tactical jump: home before the hull breaks, and over a defense instead of through it."""

import numpy as np

from terrarium.tactics.geometry import lengths
from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import Floats, View

ABILITY = "tactical_jump"
SAFETY = 1.5
"""More may join the fire meanwhile"""
LOW = 0.12
"""A ship in a fight does not stay below this share of its life"""
FAR = 12.0
"""Home is a refuge only if it is this far from the fight"""
APART = 3.0
"""between the places where ships come out"""


def jump_home(view: View) -> list[Wish]:
    """A ship leaves while it still lives at the end of the wind-up."""
    may = view.may(ABILITY)
    if not may.any():
        return []
    away = lengths(view.own.pos - view.mission.home[:, None]) > FAR
    fire = fire_on(view)
    # One decision later, and the wind-up on top of it, the ship must still live.
    ticks = view.step_ticks + view.windups[ABILITY]
    needed = SAFETY * ticks * fire + LOW * view.own.hp_max
    return [
        Wish(
            who=may & away & (fire > 0.0) & (view.own.hp - view.own.incoming <= needed),
            kind=OrderKind.CAST,
            why="jump: home, while the hull still lasts for the wind-up",
            point=arrivals(view, view.mission.home),
            ability=ABILITY,
        )
    ]


def fire_on(view: View) -> Floats:
    """[N, A] damage a tick that each has to expect: what it felt lately, or its share of all who
    reach it, whichever is worse."""
    rate = view.enemy_damage / np.maximum(view.enemy.period_ticks, 1.0)[:, None]
    can = view.pairs & (view.enemy_reach > 0.0) & (view.apart <= view.enemy_reach + 1.0)
    victims = np.maximum(can.sum(axis=1), 1)[:, None]  # [N, 1, E]
    even = np.where(can, rate / victims, 0.0).sum(axis=2)
    return np.asarray(np.maximum(even, view.hurt_rate))


def arrivals(view: View, place: Floats) -> Floats:
    """[N, A, 2] a place for each, side by side."""
    n_own = view.own.alive.shape[1]
    ships = view.own_are("battlecruiser")
    number = np.cumsum(ships, axis=1) - 1
    side = np.where(number % 2 == 0, 1.0, -1.0) * ((number + 1) // 2)
    offset = np.stack([np.zeros((len(place), n_own)), side * APART], axis=-1)
    return np.asarray(place[:, None] + offset)
