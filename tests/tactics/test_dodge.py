"""Out of what is about to hurt."""

import numpy as np

from terrarium.tactics.dodge import dodge
from terrarium.tactics.orders import OrderKind, combine
from tests.tactics.battlefield import Piece, battle

FOE = [Piece(28, 28, seen=False)]


def test_who_stands_in_it_leaves_by_the_shortest_way() -> None:
    view = battle([Piece(15, 16), Piece(20, 16)], FOE, hazards=[(16, 16, 2.0, 30)])
    orders = combine(view, dodge(view))
    assert orders.kind[0].tolist() == [OrderKind.MOVE, OrderKind.NONE]
    assert np.allclose(orders.point[0, 0], [12.5, 16.0], atol=0.1)


def test_the_way_out_does_not_lead_into_the_next_one_nor_into_a_wall() -> None:
    view = battle([Piece(15, 16)], FOE, hazards=[(16, 16, 2.0, 30), (12, 16, 2.0, 30)])
    there = combine(view, dodge(view)).point[0, 0]
    assert np.hypot(*(there - [12, 16])) > 2.0
    assert np.hypot(*(there - [16, 16])) > 2.0
    wall = battle([Piece(3, 16)], FOE, hazards=[(4, 16, 2.0, 30)])
    there = combine(wall, dodge(wall)).point[0, 0]
    assert wall.ground.is_open(np.int64(0), there)


def test_a_tank_gets_mobile_first() -> None:
    tank = Piece(15, 16, kind="siege_tank_sieged", speed=0.0, can=("unsiege",))
    view = battle([tank], FOE, hazards=[(16, 16, 8.0, 300)])
    orders = combine(view, dodge(view))
    assert orders.abilities[orders.ability[0, 0]] == "unsiege"


def test_without_danger_nobody_moves() -> None:
    assert dodge(battle([Piece(15, 16)], FOE)) == []
