"""Units with two forms: Hellions and Thors take the one that fits whom they face."""

import numpy as np

from terrarium.tactics.orders import OrderKind, Wish
from terrarium.tactics.view import View

NEAR = 14.0
"""Who is farther away does not matter yet"""
HAPPY_MARGIN = 1.5
"""The other form must be this much better: a change takes two seconds"""


def hellion_modes(view: View) -> list[Wish]:
    """Hellbats to hold a place or to fight in a crowd, Hellions to get somewhere."""
    stands = np.full(view.own.alive.shape, view.mission.holds)
    near = (view.pairs & (view.apart <= 6.0)).any(axis=2)
    moves = ~stands & ~near
    return [
        Wish(view.may("hellbat_mode") & stands, OrderKind.CAST,
             "hellbat: they come to us", ability="hellbat_mode"),
        Wish(view.may("hellion_mode") & moves, OrderKind.CAST,
             "hellion: a long way to go", ability="hellion_mode"),
    ]  # fmt: skip


def thor_modes(view: View) -> list[Wish]:
    """Explosive payload for many light flyers, high impact for few big ones."""
    thors = view.own_are("thor", "thor_ap")
    near = (thors[..., None] & (view.apart <= NEAR)).any(axis=1)
    known = (view.enemy.alive | view.remembered) & view.enemy.is_air & near
    kind, life = view.enemy.kind, view.enemy.life
    light = (known & view.kinds.is_light[kind]) * life
    heavy = (known & (view.kinds.is_massive[kind] | view.kinds.is_armored[kind])) * life
    light, heavy = light.sum(axis=1)[:, None], heavy.sum(axis=1)[:, None]
    explosive, impact = "thor_explosive_mode", "thor_high_impact_mode"
    return [
        Wish(view.may(explosive) & (light > HAPPY_MARGIN * heavy), OrderKind.CAST,
             "explosive payload: a flock of light flyers", ability=explosive),
        Wish(view.may(impact) & (heavy > HAPPY_MARGIN * light), OrderKind.CAST,
             "high impact payload: a big ship", ability=impact),
    ]  # fmt: skip
