"""Leaving a fight that is lost, and not for every doubt."""

from dataclasses import replace

import numpy as np
import pytest

from terrarium.tactics.orders import OrderKind, combine
from terrarium.tactics.retreat import fight_odds, is_leaving, retreat
from terrarium.tactics.view import View
from tests.tactics.battlefield import HOME, Piece, battle


def field(n_own: int, n_enemies: int, velocity: tuple[float, float] = (0.0, 0.0)) -> View:
    ours = [Piece(20, 12 + i, velocity=velocity) for i in range(n_own)]
    theirs = [Piece(24, 12 + i) for i in range(n_enemies)]
    view = battle(ours, theirs)
    return replace(view, mission=replace(view.mission, may_retreat=True))


def leaves(view: View) -> bool:
    return bool((combine(view, retreat(view)).kind[0] == OrderKind.MOVE).all())


HOMEWARD = tuple(0.14 * (np.array(HOME) - (20, 14)) / np.hypot(HOME[0] - 20, HOME[1] - 14))


@pytest.mark.parametrize(("ours", "theirs", "odds"), [(3, 3, 1.0), (2, 4, 0.5), (6, 3, 2.0)])
def test_equal_soldiers_count_by_their_number(ours: int, theirs: int, odds: float) -> None:
    """The square law: twice as many have twice the damage and twice the life."""
    assert fight_odds(field(ours, theirs))[0] == pytest.approx(odds)


def test_an_army_leaves_what_it_cannot_win() -> None:
    assert leaves(field(2, 4))
    assert not leaves(field(3, 4))
    assert not leaves(field(4, 3))


def test_an_army_that_is_leaving_turns_round_only_when_the_odds_are_even() -> None:
    running = field(3, 4, velocity=HOMEWARD)
    assert is_leaving(running)[0]
    assert leaves(running)
    assert not leaves(field(4, 4, velocity=HOMEWARD))


def test_a_mission_that_must_be_fulfilled_is() -> None:
    view = field(1, 5)
    stays = replace(view, mission=replace(view.mission, may_retreat=False))
    assert leaves(view)
    assert not retreat(stays)


def test_nobody_runs_from_an_empty_field_or_at_home() -> None:
    alone = battle([Piece(20, 16)], [Piece(24, 16, seen=False)])
    alone = replace(alone, mission=replace(alone.mission, may_retreat=True))
    assert not leaves(alone)
    home = battle([Piece(*HOME)], [Piece(HOME[0] + 2, HOME[1]), Piece(HOME[0] + 2, HOME[1] + 1)])
    home = replace(home, mission=replace(home.mission, may_retreat=True))
    assert not leaves(home)
