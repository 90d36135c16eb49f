"""Whom to shoot."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from terrarium.tactics.focus_fire import choose_targets
from terrarium.tactics.view import NOBODY, View
from tests.tactics.battlefield import STEP_TICKS, Piece, battle, melee


def targets_of(view: View) -> list[int]:
    return choose_targets(view).who[0].tolist()


def test_the_weaker_of_two_equal_enemies_is_shot_first() -> None:
    view = battle([Piece(5, 5)], [Piece(8, 5), Piece(5, 8, hp=30.0)])
    assert targets_of(view) == [1]


def test_the_more_dangerous_of_two_equally_strong_enemies_is_shot_first() -> None:
    view = battle([Piece(5, 5)], [Piece(8, 5), Piece(5, 8, damage=20.0)])
    assert targets_of(view) == [1]


def test_an_enemy_in_reach_comes_before_a_weaker_one_that_is_far_away() -> None:
    view = battle([melee(5, 5)], [melee(6, 5), melee(12, 5, hp=10.0)])
    chosen = choose_targets(view)
    assert chosen.who.tolist() == [[0]]
    assert chosen.in_reach.all()


def test_no_more_shots_than_needed_go_at_one_enemy() -> None:
    # Two shots of 10 kill the first enemy; the third and fourth shooter take the other one.
    shooters = [Piece(5, 5 + i) for i in range(4)]
    view = battle(shooters, [Piece(8, 6, hp=20.0), Piece(8, 7)])
    assert sorted(targets_of(view)) == [0, 0, 1, 1]


def test_each_of_many_weak_enemies_has_a_shooter() -> None:
    view = battle([Piece(5, 5) for _ in range(7)], [Piece(5, 5, hp=1.0) for _ in range(6)])
    assert len(set(targets_of(view))) == 6


def test_everybody_shoots_at_the_last_enemy() -> None:
    view = battle([Piece(5, 5 + i) for i in range(4)], [Piece(8, 6, hp=5.0)])
    assert targets_of(view) == [0, 0, 0, 0]


def test_a_shot_that_has_been_started_is_not_given_up_for_a_little_less_life() -> None:
    enemies = [Piece(8, 5, hp=45.0), Piece(5, 8, hp=40.0)]
    assert targets_of(battle([Piece(5, 5)], enemies)) == [1]
    assert targets_of(battle([Piece(5, 5)], enemies, aim=[0])) == [0]


def test_a_healer_is_worth_as_much_as_the_damage_it_undoes() -> None:
    healer = Piece(8, 5, damage=0.0, period=0.0, heals=2.0)
    assert targets_of(battle([Piece(5, 5)], [healer, Piece(5, 8)])) == [0]


def test_splash_goes_where_the_crowd_is() -> None:
    crowd = [Piece(8 + 0.3 * i, 5) for i in range(3)]
    view = battle([Piece(5, 5, splash=1.0)], [Piece(5, 8, hp=45.0), *crowd])
    assert targets_of(view)[0] in (1, 2, 3)


def test_the_dead_neither_shoot_nor_are_shot_at() -> None:
    view = battle([Piece(5, 5), Piece(5, 6, alive=False)], [Piece(8, 5, alive=False)])
    assert targets_of(view) == [NOBODY, NOBODY]


places = st.floats(4.0, 9.0)
shooters = st.lists(st.builds(Piece, places, places), min_size=1, max_size=6)
victims = st.lists(
    st.builds(Piece, places, places, hp=st.floats(1.0, 50.0)), min_size=1, max_size=5
)


@given(own=shooters, enemy=victims)
def test_nobody_is_idle_and_a_shot_is_wasted_only_when_all_in_reach_are_doomed(
    own: list[Piece], enemy: list[Piece]
) -> None:
    view = battle(own, enemy)
    chosen = choose_targets(view)
    assert (chosen.who != NOBODY).all()
    apart = np.hypot(*(view.own.pos[0, :, None] - view.enemy.pos[0]).transpose(2, 0, 1))
    # The naive twin: count, one shooter after the other, what falls on whom.
    doom = np.zeros(len(enemy))
    for a, e in enumerate(chosen.who[0]):
        if chosen.in_reach[0, a] and view.cooldown_ticks[0, a] <= STEP_TICKS:
            others = [k for k in range(len(enemy)) if k != e and apart[a, k] <= own[a].reach]
            if doom[e] >= enemy[e].hp:
                aimed = [np.count_nonzero(chosen.who[0] == k) for k in others]
                assert all(10.0 * n >= enemy[k].hp for k, n in zip(others, aimed, strict=True))
            doom[e] += own[a].damage
