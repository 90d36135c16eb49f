"""EMP, snipe, the Raven's spells and grenades: the best circle, and no round too many."""

import numpy as np
import pytest

from terrarium.tactics.emp import emp
from terrarium.tactics.orders import Orders, Wish, combine
from terrarium.tactics.raven import raven
from terrarium.tactics.reaper import grenades
from terrarium.tactics.snipe import snipe
from terrarium.tactics.view import NOBODY, View
from tests.tactics.battlefield import Piece, battle, melee, task


def orders(view: View, wishes: list[Wish]) -> Orders:
    return combine(view, wishes)


def ghost(x: float, y: float, ability: str, **changes: object) -> Piece:
    return Piece(x, y, kind="ghost", can=(ability,), **changes)  # type: ignore[arg-type]


def shielded(x: float, y: float, **changes: object) -> Piece:
    return melee(x, y, kind="zealot", shield=50.0, shield_max=50.0, **changes)


def test_emp_falls_where_the_most_shields_are() -> None:
    crowd = [shielded(16 + 0.5 * i, 16) for i in range(3)]
    view = battle([ghost(10, 16, "emp")], [shielded(14, 10), *crowd])
    point = orders(view, emp(view)).point[0, 0]
    assert np.hypot(*(point - [16.5, 16.0])) < 0.6


def test_two_ghosts_do_not_hit_the_same_crowd() -> None:
    crowds = [shielded(x + 0.5 * i, 16) for x in (15, 19) for i in range(3)]
    view = battle([ghost(10, 16, "emp"), ghost(10, 17, "emp")], crowds)
    there = orders(view, emp(view)).point[0]
    assert np.hypot(*(there[0] - there[1])) > 2.0


def test_emp_is_not_wasted_on_one_zealot() -> None:
    view = battle([ghost(10, 16, "emp")], [shielded(15, 16)])
    assert not emp(view)[0].who.any()


def test_a_caster_is_worth_an_emp() -> None:
    templar = Piece(16, 16, kind="high_templar", energy=90.0, shield=40.0, reach=0.0)
    view = battle([ghost(10, 16, "emp")], [templar])
    assert emp(view)[0].who.all()


def test_as_many_rounds_as_it_takes() -> None:
    big = Piece(18, 16, 320.0, 500.0, kind="ultralisk", reach=1.5)
    ghosts = [ghost(9, 14 + i, "steady_targeting") for i in range(4)]
    view = battle(ghosts, [big])
    assert (orders(view, snipe(view)).target[0] != NOBODY).sum() == 2


def test_nobody_snipes_with_the_enemy_upon_it() -> None:
    view = battle(
        [ghost(10, 16, "steady_targeting")], [melee(11.5, 16, kind="ultralisk", hp=300.0)]
    )
    assert not snipe(view)[0].who.any()


def test_nobody_snipes_when_it_wants_to_get_past() -> None:
    big = Piece(18, 16, 320.0, 500.0, kind="ultralisk")
    view = battle([ghost(10, 16, "steady_targeting")], [big], mission=task(flees=True))
    assert snipe(view) == []


def test_the_matrix_takes_the_most_dangerous_machine_once() -> None:
    ravens = [Piece(10, 15 + i, kind="raven", can=("interference_matrix",)) for i in range(2)]
    view = battle(ravens, [melee(14, 16), Piece(16, 16, kind="colossus")])
    assert sorted(orders(view, raven(view)).target[0].tolist()) == [NOBODY, 1]


@pytest.mark.parametrize(("n", "throws"), [(1, False), (3, True)])
def test_a_grenade_is_for_a_crowd(n: int, throws: bool) -> None:
    reaper = Piece(10, 16, kind="reaper", can=("kd8_charge",))
    view = battle([reaper], [melee(13, 16 + 0.4 * i) for i in range(n)])
    assert grenades(view)[0].who.all() == throws
