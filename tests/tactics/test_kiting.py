"""When to shoot, when to step back, and where to."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from terrarium.tactics.distances import walking_distances
from terrarium.tactics.focus_fire import choose_targets
from terrarium.tactics.ground import TerrainGrid
from terrarium.tactics.kiting import Steps, kite
from terrarium.tactics.view import View
from tests.tactics.battlefield import EAST, NORTH, SOUTH, WEST, Piece, battle, melee, open_field


def steps_of(view: View) -> Steps:
    return kite(view, choose_targets(view))


@pytest.mark.parametrize(
    ("x", "y", "heading"), [(14.0, 16.0, EAST), (18, 16, WEST), (16, 14, NORTH), (16, 18, SOUTH)]
)
def test_it_steps_straight_away_from_melee(x: float, y: float, heading: int) -> None:
    steps = steps_of(battle([Piece(16, 16, cooldown=12.0)], [melee(x, y)]))
    assert steps.runs.all()
    assert steps.heading.tolist() == [[heading]]


def test_it_shoots_while_the_enemy_is_far_enough() -> None:
    assert not steps_of(battle([Piece(16, 16)], [melee(12, 16)])).runs.any()


def test_it_runs_with_a_ready_weapon_when_the_enemy_would_hit_it_before_the_next_decision() -> None:
    assert steps_of(battle([Piece(16, 16)], [melee(14.2, 16)])).runs.all()


def test_it_does_not_leave_friends_who_fight_hand_to_hand() -> None:
    shooter, brawler = Piece(16, 16, cooldown=12.0), melee(14.5, 17)
    assert not steps_of(battle([shooter, brawler], [melee(14, 16)])).runs.any()


@pytest.mark.parametrize("reach", [4.5, 5.0, 7.0])
def test_it_stands_against_an_equal_or_longer_reach(reach: float) -> None:
    steps = steps_of(battle([Piece(16, 16, cooldown=12.0)], [Piece(13, 16, reach=reach)]))
    assert not steps.runs.any()


def test_it_does_not_run_from_those_who_cannot_move() -> None:
    assert not steps_of(
        battle([Piece(16, 16, cooldown=12.0)], [melee(15, 16, speed=0.0)])
    ).runs.any()


def test_only_the_nearest_is_chased_and_the_other_comes_nearer_meanwhile() -> None:
    near, far = Piece(16, 16, cooldown=12.0), Piece(10.2, 16, cooldown=12.0)
    steps = steps_of(battle([near, far], [melee(14, 16)]))
    assert steps.runs.tolist() == [[True, False]]
    assert steps.follows.tolist() == [[False, True]]


def test_with_the_wall_behind_it_runs_along_the_wall() -> None:
    steps = steps_of(battle([Piece(29.5, 16, cooldown=12.0, speed=0.2)], [melee(27, 16)]))
    assert steps.runs.all()
    assert steps.heading[0, 0] in (NORTH, SOUTH)


@given(x=st.floats(2.2, 29.8), y=st.floats(2.2, 29.8), angle=st.floats(0.0, 6.2))
def test_it_never_runs_into_a_wall(x: float, y: float, angle: float) -> None:
    view = battle(
        [Piece(x, y, cooldown=12.0)], [melee(x + 2.0 * np.cos(angle), y + 2.0 * np.sin(angle))]
    )
    steps = steps_of(view)
    assume(steps.runs.any())
    ahead = view.own.pos[0, 0] + 0.14 * 8 * view.headings[steps.heading[0, 0]]
    assert view.ground.is_open(np.int64(0), ahead)


def walled_field() -> TerrainGrid:
    """A field that a wall from top to bottom, with a gap far in the south, cuts in two."""
    walkable = open_field().walkable[0].copy()
    walkable[4:, 16] = False
    exits = np.zeros(walkable.shape, np.uint8)
    for d, (dx, dy) in enumerate(
        [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
    ):
        there = np.roll(walkable, (-dy, -dx), axis=(0, 1))
        exits |= (walkable & there).astype(np.uint8) << d
    air = np.ones_like(walkable)
    return TerrainGrid(np.stack([walkable, air]), walking_distances(exits))


def test_nobody_runs_from_an_enemy_behind_a_wall() -> None:
    shooter = Piece(17.6, 24, cooldown=12.0, walks=False)
    view = battle([shooter], [melee(15.4, 24)], ground=walled_field())
    assert not steps_of(view).runs.any()
    assert steps_of(battle([shooter], [melee(15.4, 24)])).runs.all()
    flyer = battle([shooter], [melee(15.4, 24, walks=False)], ground=walled_field())
    assert steps_of(flyer).runs.all()


def test_walking_distances_are_those_of_a_plain_search() -> None:
    ground = walled_field()
    assert ground.detours is not None
    width = ground.walkable.shape[2]
    start = 24 * width + 15
    # Naive: spread from the start until nothing changes.
    far = {start: 0.0}
    wave = [start]
    while wave:
        cell = wave.pop(0)
        x, y = cell % width, cell // width
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                there = (y + dy) * width + x + dx
                cost = far[cell] + np.hypot(dx, dy)
                if ground.walkable[0, y + dy, x + dx] and cost < far.get(there, np.inf) - 1e-9:
                    far[there] = cost
                    wave.append(there)
    cells = np.array(list(far))
    assert ground.detours.between(np.array(start), cells) == pytest.approx(
        np.array(list(far.values())), abs=1e-4
    )
    assert ground.detours.between(np.array(start), np.array(24 * width + 17)) > 35.0
