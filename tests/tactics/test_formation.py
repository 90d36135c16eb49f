"""Waiting for the enemy: in a line, spread out, or not at all."""

import numpy as np

from terrarium.tactics.focus_fire import choose_targets
from terrarium.tactics.formation import holds_fire, is_quiet, line_places
from terrarium.tactics.orders import OrderKind
from terrarium.tactics.skirmish import lead
from terrarium.tactics.spreading import spread_out
from tests.tactics.battlefield import RADIUS, Piece, battle, melee

COMING = (-0.14, 0.0)


def test_it_is_quiet_while_the_enemy_comes_and_nobody_can_hit() -> None:
    ours = [Piece(8, 16)]
    assert is_quiet(battle(ours, [Piece(20, 16, velocity=COMING)])).all()
    assert not is_quiet(battle(ours, [Piece(20, 16)])).any()
    assert not is_quiet(battle(ours, [Piece(13, 16, velocity=COMING)])).any()


def test_an_enemy_that_does_not_come_is_attacked() -> None:
    orders = lead(battle([Piece(8, 16)], [Piece(20, 16)]))
    assert orders.kind.tolist() == [[OrderKind.ATTACK]]


def test_the_line_stands_across_the_way_with_its_wings_forward() -> None:
    ours = [Piece(8 + 0.1 * i, 16 + 0.1 * i) for i in range(7)]
    view = battle(ours, [Piece(22, 16.3, velocity=COMING)])
    place = line_places(view)[0]
    assert (np.diff(place[:, 1]) > 2.0 * RADIUS).all()  # in the order in which they stood
    assert place[0, 0] > place[3, 0] + 0.5
    assert place[6, 0] > place[3, 0] + 0.5
    assert np.allclose(place.mean(axis=0), [8.3, 16.3])


def test_a_shooter_lets_the_enemy_walk_into_its_reach() -> None:
    coming = battle([Piece(8, 16)], [Piece(13.8, 16, velocity=COMING)])
    assert holds_fire(coming, choose_targets(coming)).all()
    leaving = battle([Piece(8, 16)], [Piece(13.8, 16, velocity=(0.14, 0.0))])
    assert not holds_fire(leaving, choose_targets(leaving)).any()


def test_against_those_who_burst_units_move_apart() -> None:
    ours = [melee(10, 16), melee(11, 16)]
    banes = [melee(22 + i, 16, splash=2.2, bursts=True, velocity=COMING) for i in range(3)]
    view = battle(ours, banes)
    crowded, heading = spread_out(view)
    assert crowded.all()
    ahead = view.own.pos[0] + view.headings[heading[0]]
    assert ahead[1, 0] - ahead[0, 0] > 1.0
    assert lead(view).kind.tolist() == [[OrderKind.MOVE, OrderKind.MOVE]]
