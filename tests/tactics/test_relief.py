"""Who is hunted or nearly dead leaves the shooting to a friend."""

import pytest

from terrarium.tactics.focus_fire import choose_targets
from terrarium.tactics.relief import hands_over, rests
from terrarium.tactics.view import View
from tests.tactics.battlefield import Piece, battle, melee


def hunted(view: View) -> list[list[bool]]:
    return hands_over(view, choose_targets(view)).tolist()


def resting(view: View) -> list[list[bool]]:
    return rests(view, choose_targets(view)).tolist()


def test_the_nearer_of_two_stops_and_the_farther_one_shoots() -> None:
    near, far = Piece(16, 16), Piece(15, 16)
    assert hunted(battle([near, far], [melee(18.5, 16)])) == [[True, False]]
    assert hunted(battle([far, near], [melee(18.5, 16)])) == [[False, True]]


def test_of_two_at_the_same_distance_one_stops() -> None:
    view = battle([Piece(16, 15.5), Piece(16, 16.5)], [melee(18.5, 16)])
    assert sum(hunted(view)[0]) == 1


@pytest.mark.parametrize(
    ("own", "enemy"),
    [
        ([Piece(16, 16)], melee(18.5, 16)),  # nobody else shoots
        ([Piece(16, 16), Piece(12, 16)], melee(18.5, 16)),  # the other one does not reach it
        ([Piece(16, 16, speed=0.2), Piece(15, 16)], melee(18.5, 16)),  # it can run away
        ([Piece(16, 16), Piece(15, 16)], Piece(18.5, 16)),  # it shoots as far
    ],
    ids=["alone", "out of reach", "faster", "ranged"],
)
def test_otherwise_the_hunted_one_shoots(own: list[Piece], enemy: Piece) -> None:
    assert not any(hunted(battle(own, [enemy]))[0])


def test_the_weakest_under_fire_rests_while_others_shoot() -> None:
    hurt = Piece(16, 16, hp=18.0, unhurt=3.0)
    weaker = Piece(16, 17, hp=9.0, unhurt=3.0)
    enemy = Piece(20, 16)
    assert resting(battle([Piece(16, 15), hurt], [enemy])) == [[False, True]]
    assert resting(battle([Piece(16, 15), hurt, weaker], [enemy])) == [[False, False, True]]


@pytest.mark.parametrize(
    "own",
    [
        [Piece(16, 16, hp=18.0, unhurt=3.0)],  # nobody else
        [Piece(16, 16, hp=21.0, unhurt=3.0), Piece(16, 15)],  # lives through two hits
        [Piece(16, 16, hp=18.0, unhurt=17.0), Piece(16, 15)],  # no more under fire
        [Piece(14, 16, hp=18.0, unhurt=3.0), Piece(16, 15)],  # out of reach
    ],
    ids=["alone", "strong", "left in peace", "away"],
)
def test_otherwise_nobody_rests(own: list[Piece]) -> None:
    assert not any(resting(battle(own, [Piece(20, 16)]))[0])
