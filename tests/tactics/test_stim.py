"""When a Stimpack is worth its life."""

import pytest

from terrarium.tactics.orders import OrderKind, combine
from terrarium.tactics.stim import stim, stim_gain
from tests.tactics.battlefield import Piece, battle

PACK = ("stimpack_marine",)


def marines(n: int, **changes: object) -> list[Piece]:
    return [Piece(8, 10 + i, can=PACK, **changes) for i in range(n)]  # type: ignore[arg-type]


def stimmed(own: list[Piece], enemy: list[Piece]) -> list[bool]:
    return (
        combine(battle(own, enemy), stim(battle(own, enemy))).kind[0] == OrderKind.CAST
    ).tolist()


def test_a_long_fight_is_worth_it() -> None:
    assert stimmed(marines(4), [Piece(12, 11, hp=400.0)]) == [True] * 4


def test_a_fight_that_is_nearly_over_is_not() -> None:
    assert stimmed(marines(4), [Piece(12, 11, hp=30.0)]) == [False] * 4


def test_nobody_stims_before_the_enemy_is_in_reach() -> None:
    assert stimmed(marines(2), [Piece(24, 10, hp=400.0)]) == [False] * 2


def test_nobody_stims_itself_to_death_or_twice() -> None:
    assert stimmed(marines(1, hp=26.0), [Piece(12, 10, hp=400.0)]) == [False]
    assert stimmed(marines(1, stim=100.0), [Piece(12, 10, hp=400.0)]) == [False]


def test_the_gain_is_half_of_the_damage_until_the_fight_is_over() -> None:
    view = battle(marines(1), [Piece(12, 10, hp=160.0)])
    # 10 damage every 16 ticks kill 160 life in 256 ticks; a Stimpack lasts 240.
    assert stim_gain(view)[0, 0] == pytest.approx(0.5 * 240.0 * 10.0 / 16.0)


def test_every_order_has_a_reason() -> None:
    view = battle(marines(1), [Piece(12, 10, hp=400.0)])
    assert combine(view, stim(view)).reason(0, 0).startswith("stim:")
