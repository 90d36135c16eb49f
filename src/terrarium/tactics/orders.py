"""What tactics say: one order for each unit, with its reason."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from terrarium.tactics.view import NOBODY, Bools, Floats, Ints, View


class OrderKind(IntEnum):
    """What an own unit is told. NONE = to go on with what it is doing."""

    NONE = 0
    STOP = 1
    MOVE = 2
    ATTACK = 3
    HEAL = 4
    ATTACK_MOVE = 5
    HOLD = 6
    CAST = 7


@dataclass(frozen=True)
class Wish:
    """What one skill wants of some units, and why."""

    who: Bools
    """[N, A]"""
    kind: OrderKind
    why: str
    target: Ints | None = None
    """[N, A]"""
    point: Floats | None = None
    """[N, A, 2]"""
    ability: str = ""
    on_friend: bool = False
    """the target of a cast is one of our own"""


@dataclass(frozen=True)
class Orders:
    """One order for each own unit."""

    kind: Ints
    """[N, A] of OrderKind"""
    target: Ints
    """[N, A] an enemy to attack, or a friend to heal; NOBODY = none"""
    point: Floats
    """[N, A, 2] where to"""
    ability: Ints
    """[N, A] which of `abilities`; NOBODY = none"""
    on_friend: Bools
    """[N, A] the target is an own unit"""
    why: Ints
    """[N, A] which of `reasons`"""
    abilities: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ("",)

    def reason(self, n: int, a: int) -> str:
        """Why a unit got its order."""
        return self.reasons[int(self.why[n, a])]


def no_orders(view: View) -> Orders:
    """Everybody goes on with what it is doing."""
    shape = view.own.alive.shape
    return Orders(
        kind=np.zeros(shape, np.int64),
        target=np.full(shape, NOBODY),
        point=view.own.pos.copy(),
        ability=np.full(shape, NOBODY),
        on_friend=np.zeros(shape, np.bool_),
        why=np.zeros(shape, np.int64),
    )


def combine(view: View, wishes: list[Wish]) -> Orders:
    """Every unit on the map gets the first order that somebody wishes for it."""
    orders = no_orders(view)
    abilities: list[str] = []
    reasons = [""]
    free = view.own.alive.copy()
    for wish in wishes:
        who = wish.who & free
        if not who.any():
            continue
        free &= ~who
        if wish.why not in reasons:
            reasons.append(wish.why)
        orders.kind[who] = wish.kind
        orders.why[who] = reasons.index(wish.why)
        orders.on_friend[who] = wish.on_friend or wish.kind == OrderKind.HEAL
        if wish.target is not None:
            orders.target[who] = wish.target[who]
        if wish.point is not None:
            orders.point[who] = wish.point[who]
        if wish.ability:
            if wish.ability not in abilities:
                abilities.append(wish.ability)
            orders.ability[who] = abilities.index(wish.ability)
    return Orders(**{**vars(orders), "abilities": tuple(abilities), "reasons": tuple(reasons)})
