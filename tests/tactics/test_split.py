"""Apart before the acid comes."""

import numpy as np

from terrarium.tactics.orders import OrderKind, combine
from terrarium.tactics.split import split
from tests.tactics.battlefield import Piece, battle, melee


def bane(x: float, y: float) -> Piece:
    return melee(x, y, kind="baneling", bursts=True, splash=2.2, velocity=(-0.15, 0.0))


def test_a_clump_moves_apart() -> None:
    own = [Piece(10, 16), Piece(10, 17)]
    view = battle(own, [bane(20, 16.5)])
    orders = combine(view, split(view))
    assert orders.kind[0].tolist() == [OrderKind.MOVE] * 2
    then = orders.point[0]
    assert np.hypot(*(then[0] - then[1])) > 2.0


def test_who_stands_alone_shoots_while_it_is_far_enough() -> None:
    view = battle([Piece(10, 16, reach=6.0)], [bane(15.5, 16)])
    assert combine(view, split(view)).kind[0, 0] == OrderKind.ATTACK


def test_who_is_nearly_reached_runs() -> None:
    view = battle([Piece(10, 16)], [bane(12.5, 16)])
    orders = combine(view, split(view))
    assert orders.kind[0, 0] == OrderKind.MOVE
    assert orders.point[0, 0, 0] < 10.0 or abs(orders.point[0, 0, 1] - 16.0) > 1.0


def test_without_those_who_burst_nobody_splits() -> None:
    assert split(battle([Piece(10, 16)], [melee(12, 16)])) == []
