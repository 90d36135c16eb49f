"""All skills together: precedence, determinism, and sense."""

import numpy as np
import pytest

from terrarium.tactics.army import SWITCHES, lead_army
from terrarium.tactics.orders import OrderKind
from tests.tactics.battlefield import TYPES, Piece, battle, melee, task

ROACHES = [Piece(13, 15 + i, hp=145.0, hp_max=145.0, reach=5.0) for i in range(4)]


def marine(x: float, y: float, **changes: object) -> Piece:
    return Piece(x, y, can=("stimpack_marine",), **changes)  # type: ignore[arg-type]


def test_life_comes_before_damage() -> None:
    view = battle([marine(9, 16)], ROACHES, hazards=[(9, 16.5, 2.0, 20)])
    assert lead_army(view).reason(0, 0).startswith("dodge")


def test_a_skill_can_be_switched_off() -> None:
    view = battle([marine(9, 15 + i) for i in range(4)], ROACHES)
    assert (lead_army(view).kind == OrderKind.CAST).all()
    without = lead_army(view, frozenset({"no-stim"}))
    assert (without.kind == OrderKind.ATTACK).all()
    assert "no-stim" in SWITCHES


def test_who_is_busy_is_left_alone() -> None:
    view = battle([marine(9, 16, busy=True)], ROACHES)
    assert lead_army(view).kind[0, 0] == OrderKind.NONE


def test_in_an_attack_nobody_stands_idle() -> None:
    view = battle([Piece(9, 16)], [Piece(25, 16, seen=False)])
    assert lead_army(view).kind[0, 0] == OrderKind.ATTACK_MOVE


def test_in_defense_nobody_runs_off() -> None:
    view = battle([Piece(9, 16)], [Piece(25, 16)], mission=task(holds=True))
    assert lead_army(view).kind[0, 0] in (OrderKind.NONE, OrderKind.MOVE)


@pytest.mark.parametrize("holds", [True, False])
@pytest.mark.parametrize("kind", TYPES)
def test_every_type_gets_orders_that_make_sense(kind: str, holds: bool) -> None:
    air = "air" in TYPES[kind].words
    own = [Piece(9, 14 + 2 * i, kind=kind, walks=not air) for i in range(3)]
    view = battle(own, [*ROACHES, melee(11, 18)], mission=task(holds=holds))
    one, other = lead_army(view), lead_army(view)
    assert np.array_equal(one.kind, other.kind)
    assert np.array_equal(one.point, other.point)
    assert np.isfinite(one.point).all()
    # Nobody here has an ability.
    assert (one.kind != OrderKind.CAST).all()
    aims = one.kind == OrderKind.ATTACK
    assert (one.target[aims] >= 0).all()


def test_the_same_battle_gets_the_same_orders_in_any_batch() -> None:
    view = battle([marine(9, 15 + i) for i in range(4)], ROACHES)
    assert lead_army(view).kind.tolist() == [lead_army(view).kind[0].tolist()]
