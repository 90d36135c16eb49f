"""Who sees whom: fog, cliffs, cloak, detection (game_rules.md, 6)."""

import numpy as np
import pytest

from terrarium.engine import codes
from tests.engine.arena import flat, on_terrain, open_ground


def test_without_fog_everybody_is_seen():
    arena = open_ground()
    me = arena.add("marine", at=(5, 5), passive=True)
    foe = arena.add("marine", at=(60, 60), owner=2, passive=True)
    arena.run(4)
    assert me.sees(foe)


@pytest.mark.parametrize(("distance", "seen"), [(8.9, True), (9.1, False)])
def test_in_fog_a_marine_sees_nine_far(distance, seen):
    arena = open_ground().fog()
    me = arena.add("marine", at=(20, 20), passive=True)
    foe = arena.add("marine", at=(20 + distance, 20), owner=2, passive=True)
    arena.run(4)
    assert me.sees(foe) is seen
    assert foe.sees(foe)


def test_sight_is_shared_by_a_side():
    arena = open_ground().fog()
    me = arena.add("marine", at=(5, 5), passive=True)
    arena.add("marine", at=(50, 50), passive=True)
    foe = arena.add("marine", at=(55, 50), owner=2, passive=True)
    arena.run(4)
    assert me.sees(foe)


def test_who_is_not_seen_is_neither_shot_nor_ordered_at():
    arena = open_ground().fog()
    tank = arena.add("siege_tank_sieged", at=(20, 20))
    foe = arena.add("marine", at=(32, 20), owner=2, passive=True)
    arena.run(60)
    assert not arena.shots_of(tank)
    assert tank.attack(foe).arena.sim.answer(0, tank.slot) == "CantTargetThatUnit"
    arena.add("marine", at=(26, 20), passive=True)
    arena.run(60)
    assert arena.shots_of(tank)


def test_ground_units_do_not_see_up_a_cliff_and_air_units_do():
    level = np.ones((40, 40), np.uint8)
    level[:, 20:] = 2
    arena = on_terrain(flat(40, 40, level=level), "lotv-4.10").fog()
    low = arena.add("marine", at=(17, 20), passive=True)
    high = arena.add("marine", at=(23, 20), owner=2, passive=True)
    arena.run(4)
    assert high.sees(low)
    assert not low.sees(high)
    arena.add("medivac", at=(15, 20), passive=True)
    arena.run(4)
    assert low.sees(high)


def test_flyers_are_seen_from_below():
    level = np.ones((40, 40), np.uint8)
    level[:, 20:] = 2
    arena = on_terrain(flat(40, 40, level=level), "lotv-4.10").fog()
    low = arena.add("marine", at=(17, 20), passive=True)
    bird = arena.add("banshee", at=(23, 20), owner=2, passive=True)
    arena.run(4)
    assert low.sees(bird)


def test_cloak_needs_detection_even_without_fog():
    arena = open_ground()
    me = arena.add("marine", at=(20, 20), passive=True)
    hidden = arena.add("dark_templar", at=(22, 20), owner=2, passive=True)
    arena.run(4)
    assert not me.sees(hidden)
    assert hidden.status & codes.CLOAKED
    raven = arena.add("raven", at=(24, 20), passive=True)
    arena.run(4)
    assert me.sees(hidden)
    raven.put(50, 50)
    arena.run(4)
    assert not me.sees(hidden)


def test_a_cloaked_unit_is_let_go_of_when_the_detector_is_gone():
    arena = open_ground()
    me = arena.add("marine", at=(20, 20))
    hidden = arena.add("dark_templar", at=(24, 20), owner=2, passive=True, hp=1e4)
    raven = arena.add("raven", at=(24, 24), passive=True)
    arena.run(30)
    assert me.aims_at(hidden)
    raven.put(60, 60)
    arena.run(6)
    assert not me.has_target


def test_fog_favors_no_side():
    arena = open_ground().fog()
    one = arena.add("marine", at=(20, 20), passive=True)
    other = arena.add("marine", at=(28.5, 20), owner=2, passive=True, face=(-1, 0))
    arena.run(4)
    assert one.sees(other)
    assert other.sees(one)
