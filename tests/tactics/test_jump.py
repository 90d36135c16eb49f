"""Home before the hull breaks."""

import numpy as np

from terrarium.tactics.jump import jump_home
from terrarium.tactics.orders import OrderKind, combine
from tests.tactics.battlefield import HOME, Piece, battle


def ship(hp: float, x: float = 25.0, y: float = 16.0, hurt: float = 5.0) -> Piece:
    return Piece(
        x, y, hp, 550.0, kind="battlecruiser", can=("tactical_jump",), walks=False, hurt=hurt
    )


FOES = [Piece(27, 15 + i, reach=6.0) for i in range(3)]


def jumps(*ships: Piece) -> list[bool]:
    view = battle(list(ships), FOES)
    return (combine(view, jump_home(view)).kind[0] == OrderKind.CAST).tolist()


def test_it_leaves_while_it_still_lives_at_the_end_of_the_wind_up() -> None:
    assert jumps(ship(550.0)) == [False]
    assert jumps(ship(150.0)) == [True]


def test_the_more_fire_the_earlier() -> None:
    assert jumps(ship(300.0, hurt=2.0)) == [False]
    assert jumps(ship(300.0, hurt=12.0)) == [True]


def test_nobody_jumps_at_home_or_without_an_enemy() -> None:
    assert jumps(ship(100.0, *HOME)) == [False]
    view = battle([ship(100.0, hurt=0.0)], [Piece(27, 16, seen=False)])
    assert not (combine(view, jump_home(view)).kind == OrderKind.CAST).any()


def test_two_ships_come_out_side_by_side() -> None:
    view = battle([ship(100.0), ship(100.0, y=19.0)], FOES)
    there = combine(view, jump_home(view)).point[0]
    assert np.hypot(*(there[0] - there[1])) >= 2.5
