"""Tanks in place before the enemy is there."""

from terrarium.tactics.orders import OrderKind, Orders, combine
from terrarium.tactics.siege import siege
from terrarium.tactics.view import Mission
from tests.tactics.battlefield import Piece, battle, melee, task


def tank(x: float, y: float, **changes: object) -> Piece:
    return Piece(x, y, kind="siege_tank", reach=8.0, can=("siege_mode",), **changes)  # type: ignore[arg-type]


def sieged(x: float, y: float) -> Piece:
    return Piece(x, y, kind="siege_tank_sieged", reach=14.0, speed=0.0, can=("unsiege",))


def orders_of(own: list[Piece], enemy: list[Piece], mission: Mission | None = None) -> Orders:
    view = battle(own, enemy, mission=mission)
    return combine(view, siege(view))


def words(orders: Orders) -> list[str]:
    return [
        orders.abilities[i] if kind == OrderKind.CAST else ""
        for kind, i in zip(orders.kind[0], orders.ability[0], strict=True)
    ]


def test_a_tank_sieges_while_the_enemy_is_still_on_its_way() -> None:
    assert words(orders_of([tank(5, 16)], [melee(22, 16)])) == ["siege_mode"]


def test_a_tank_waits_for_nobody_who_is_far_away() -> None:
    assert words(orders_of([tank(5, 16)], [melee(31, 30, speed=0.0)])) == [""]


def test_in_defense_tanks_siege_at_once_but_not_on_one_spot() -> None:
    far = [melee(30, 16, seen=False)]
    holds = task(holds=True)
    assert words(orders_of([tank(5, 16), tank(5, 19)], far, holds)) == ["siege_mode"] * 2
    assert words(orders_of([tank(5, 16), tank(5, 17)], far, holds)) == ["siege_mode", ""]


def test_nobody_sieges_with_the_enemy_beside_it() -> None:
    assert words(orders_of([tank(5, 16)], [melee(6.5, 16)])) == [""]


def test_of_two_the_hindmost_moves_on_and_never_both() -> None:
    far = [melee(30, 16, seen=False)]
    assert words(orders_of([sieged(5, 16), sieged(8, 16)], far)) == ["unsiege", ""]
    moving = [tank(5, 16), sieged(8, 16)]
    assert words(orders_of(moving, far)) == ["", ""]


def test_a_tank_that_has_gone_a_leap_ahead_sieges() -> None:
    far = [melee(30, 16, seen=False)]
    assert words(orders_of([sieged(5, 16), tank(12, 16)], far))[1] == "siege_mode"
