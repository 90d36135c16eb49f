"""Whom to heal, and where to wait."""

import numpy as np

from terrarium.tactics.healing import choose_patients, waiting_places
from terrarium.tactics.orders import OrderKind
from terrarium.tactics.skirmish import lead
from terrarium.tactics.view import NOBODY
from tests.tactics.battlefield import Piece, battle


def healer(x: float, y: float, energy: float = 50.0) -> Piece:
    return Piece(x, y, damage=0.0, reach=0.0, period=0.0, heals=0.5, energy=energy)


FOE = [Piece(25, 16)]


def test_the_worst_wound_comes_first() -> None:
    ours = [healer(10, 16), Piece(11, 16, hp=40.0), Piece(11, 17, hp=10.0)]
    assert choose_patients(battle(ours, FOE)).tolist() == [[2, NOBODY, NOBODY]]


def test_a_wound_nearby_comes_before_a_slightly_worse_one_far_away() -> None:
    ours = [healer(5, 16), Piece(6, 16, hp=25.0), Piece(25, 20, hp=20.0)]
    assert choose_patients(battle(ours, FOE))[0, 0] == 1


def test_a_small_wound_gets_one_healer_and_a_large_one_two() -> None:
    # A healer gives 4 life before the next decision.
    small = [healer(10, 16), healer(10, 17), Piece(11, 16, hp=47.0), Piece(11, 17, hp=48.0)]
    assert choose_patients(battle(small, FOE))[0, :2].tolist() == [2, 3]
    large = [healer(10, 16), healer(10, 17), Piece(11, 16, hp=10.0), Piece(11, 17, hp=48.0)]
    assert choose_patients(battle(large, FOE))[0, :2].tolist() == [2, 2]


def test_without_energy_or_wounds_nobody_is_healed() -> None:
    assert choose_patients(battle([healer(10, 16), Piece(11, 16)], FOE))[0, 0] == NOBODY
    tired = [healer(10, 16, energy=0.0), Piece(11, 16, hp=10.0)]
    assert choose_patients(battle(tired, FOE))[0, 0] == NOBODY


def test_a_healer_without_a_patient_waits_behind_the_others() -> None:
    view = battle([healer(15, 16), Piece(11, 16)], FOE)
    assert np.allclose(waiting_places(view), [[9.0, 16.0]])
    orders = lead(view)
    assert orders.kind[0, 0] == OrderKind.MOVE
    assert np.allclose(orders.point[0, 0], [9.0, 16.0])


def test_a_healer_heals() -> None:
    orders = lead(battle([healer(10, 16), Piece(11, 16, hp=10.0)], FOE))
    assert (orders.kind[0, 0], orders.target[0, 0]) == (OrderKind.HEAL, 1)
