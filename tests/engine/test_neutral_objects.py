"""Rocks, plates and towers of maps in whole games (game_rules.md, 6; maps.md)."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from terrarium.data.games.melee import Melee
from terrarium.data.maps.grids import blocked_by, taken_by
from terrarium.data.maps.library import find_map
from terrarium.data.maps.objects import MapObject
from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from tests.data.maps.captures import NAMES, captured_map
from tests.engine.building import ROOT
from tests.engine.test_visibility import Snapshots
from tests.engine.watching import THINGS, digests, watched
from tests.naive import visible_cells
from tests.shared_facts import CAPTURES

ROCKS = MapObject("destructible_rock_6x6", 40.0, 40.0)
TOWER = MapObject("xelnaga_tower", 40.0, 40.0)


def with_things(*things: MapObject) -> Snapshots:
    """The flat map of 64 cells a side with more things on it, and nobody there."""
    game_map = find_map("flat_64")
    return Snapshots(replace(game_map, objects=(*game_map.objects, *things)))


def slot_of(watch: Snapshots, thing: str) -> int:
    kinds = watch.sim.units["kind"][0]
    here = (kinds == watch.sim.rows[thing]) & watch.sim.units["alive"][0]
    return int(np.flatnonzero(here)[0])


@pytest.mark.parametrize("name", [*NAMES, "ladder/3"])
def test_things_close_the_cells_that_the_map_says(name: str) -> None:
    if name in NAMES and not (CAPTURES / name).is_dir():
        pytest.skip(f"{CAPTURES / name} is not here")
    game_map = captured_map(name) if name in NAMES else find_map(name)
    sim = Simulator(Melee(game_map, ("Terran", "Zerg")))
    shape = game_map.pathing_grid.shape
    neutral = (sim.units["owner"][0] == 0) & (sim.units["tag"][0] > 0)
    for layer, of in ((sim.games.blocked, blocked_by), (sim.games.taken, taken_by)):
        cells = layer[0].reshape(shape)
        closed = (cells > 0) & neutral[cells - 1]
        assert np.array_equal(closed, of(shape, game_map.objects))


def test_units_do_not_attack_rocks_by_themselves_but_on_order_until_the_way_is_open() -> None:
    watch = with_things(ROCKS)
    sim, rocks = watch.sim, slot_of(watch, ROCKS.type)
    tank = watch.add("siege_tank", 34.5, 40.5)
    watch.add("marine", 34.5, 38.5)
    sim.step(80)
    assert sim.units["hp"][0, rocks] == 2000
    walkable = sim.land.walkable[0, 0].reshape(80, 80)
    assert not walkable[39:41, 37:43].any()
    sim.order(0, tank, codes.ATTACK, target=rocks)
    sim.step(200)
    assert sim.answer(0, tank) == "Success"
    assert 0 < sim.units["hp"][0, rocks] < 2000
    sim.units["hp"][0, rocks] = 1.0
    sim.step(60)
    assert not sim.units["alive"][0, rocks]
    assert sim.land.walkable[0, 0].reshape(80, 80)[37:43, 37:43].all()
    assert not sim.games.taken[0].reshape(80, 80)[37:43, 37:43].any()


def test_armor_of_rocks_counts() -> None:
    """3 of the 6 of a Marine."""
    watch = with_things(ROCKS)
    sim, rocks = watch.sim, slot_of(watch, ROCKS.type)
    marine = watch.add("marine", 35.5, 40.5)
    sim.step(1)
    sim.order(0, marine, codes.ATTACK, target=rocks)
    sim.step(40)
    lost = 2000 - sim.units["hp"][0, rocks]
    assert lost > 0
    assert lost % 3 == 0


def test_rocks_in_the_fog_can_be_attacked_once_they_are_seen() -> None:
    watch = with_things(ROCKS)
    sim, rocks = watch.sim, slot_of(watch, ROCKS.type)
    tank = watch.add("siege_tank", 20.5, 40.5)
    sim.step(1)
    assert not watch.sees(1, rocks)
    sim.order(0, tank, codes.ATTACK, target=rocks)
    sim.step(1)
    assert sim.answer(0, tank) == "Success"
    sim.step(400)
    assert sim.units["hp"][0, rocks] < 2000


def test_ground_units_see_through_the_place_of_rocks_once_they_are_gone() -> None:
    watch = with_things(ROCKS)
    sim, rocks = watch.sim, slot_of(watch, ROCKS.type)
    levels, opaque = watch.map_terrain()
    closed = {(int(x), int(y)) for y, x in np.argwhere(blocked_by((80, 80), (ROCKS,)))}
    for x, y in ((35.5, 40.5), (36.0, 42.0), (33.2, 34.9)):
        marine = watch.add("marine", x, y)
        sim.step(1)
        at = float(sim.units["x"][0, marine]), float(sim.units["y"][0, marine])
        assert watch.cells() == visible_cells(levels, opaque | closed, at, 9.0, False)
        assert watch.cells() < visible_cells(levels, opaque, at, 9.0, False)
        sim.remove(0, marine)
        sim.step(1)
    marine = watch.add("marine", 35.5, 40.5)
    sim.step(1)
    sim.units["hp"][0, rocks] = 0.0
    sim.step(1)
    assert watch.cells() == visible_cells(levels, opaque, (35.5, 40.5), 9.0, False)
    sim.remove(0, marine)
    sim.step(1)
    assert not watch.cells()


def test_a_tower_shows_22_cells_to_who_stands_at_it_on_the_ground() -> None:
    watch = with_things(TOWER)
    sim = watch.sim
    far = visible_cells(*watch.map_terrain(), (40.0, 40.0), 22.0, False)
    marine = watch.add("marine", 42.6, 40.0)
    watch.add("medivac", 40.0, 41.0)
    sim.step(5)
    assert not far <= watch.cells()
    watch.move(marine, 42.4, 40.0)
    sim.step(5)
    assert far <= watch.cells()
    foe = watch.add("zergling", 38.0, 40.0, 2)
    sim.units["hp"][0, [foe, marine]] = 1000.0
    sim.step(5)
    assert far <= watch.cells(), "it stays with those who hold it"
    assert not far <= watch.cells(2)
    sim.remove(0, marine)
    watch.move(foe, 38.0, 40.0)
    sim.step(5)
    assert not far <= watch.cells()
    assert far <= watch.cells(2)
    sim.remove(0, foe)
    sim.step(70)
    assert not far <= watch.cells(2)


def test_a_tower_that_two_enemies_reach_at_once_belongs_to_neither() -> None:
    watch = with_things(TOWER)
    far = visible_cells(*watch.map_terrain(), (40.0, 40.0), 22.0, False)
    for owner, x in ((1, 38.0), (2, 42.0)):
        slot = watch.add("scv", x, 40.0, owner)
        watch.sim.order(0, slot, codes.HOLD)
    watch.sim.step(5)
    assert not far <= watch.cells(1)
    assert not far <= watch.cells(2)


def test_a_saved_game_is_seen_as_if_nothing_had_happened() -> None:
    sim = watched(2)
    sim.step(60)
    save = sim.save()
    sim.step(90)
    played = sim.digest()
    sim.load(save)
    sim.step(90)
    assert sim.digest() == played


def test_what_is_seen_does_not_depend_on_the_batch() -> None:
    assert digests(3)[:1] == digests()


def test_a_game_that_begins_anew_has_nothing_of_the_one_before() -> None:
    sim = watched()
    fresh = Simulator(sim.setup)
    sim.step(100)
    for either in (sim, fresh):
        either.reset(seed=5)
        either.step(30)
    assert sim.digest() == fresh.digest()


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"])
def test_every_mode_sees_the_same(mode: str) -> None:
    command = [sys.executable, "-m", "tests.engine.watching"]
    env = {**os.environ, mode: "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert done.stdout.split() == digests()


def test_cells_are_seen_by_as_many_as_show_them() -> None:
    """In a game with fights, deaths, a tower and rocks that go, counted anew from every view."""
    sim = watched()
    terrain = sim.setup.terrain
    shape = terrain.walkable.shape
    for _ in range(4):
        sim.step(50)
        views = sim.games.views[0]
        standing = [thing for thing in THINGS if thing.kind.blocks_sight and is_there(sim, thing)]
        opaque = {(int(x), int(y)) for y, x in np.argwhere(blocked_by(shape, standing))}
        counts = np.zeros((3, *shape), np.int64)
        for view in views[views["owner"] > 0]:
            at = view["x"] / 2.0, view["y"] / 2.0
            seen = visible_cells(
                terrain.level.tolist(), opaque, at, float(view["reach"]), bool(view["over"])
            )
            for x, y in seen:
                counts[view["owner"], y, x] += 1
        assert np.array_equal(sim.games.watchers[0], counts.reshape(3, -1))
        assert np.array_equal(sim.games.visibility[0] == codes.VISIBLE, counts.reshape(3, -1) > 0)
    assert (views["owner"] > 0).sum() > 20
    assert not standing


def is_there(sim: Simulator, thing: MapObject) -> bool:
    here = sim.units["kind"][0] == sim.rows[thing.type]
    return bool(sim.units["alive"][0, here].any())


def test_allies_see_what_either_sees_and_do_not_end_each_others_game() -> None:
    sim = Simulator(Melee(find_map("flat_64"), ("Terran", "Terran")), teams=((1, 2), (3,)))
    one, two, three = (sim.games.visibility[0, owner] == codes.VISIBLE for owner in (1, 2, 3))
    assert one.sum() > 800
    assert np.array_equal(one, two)
    assert not three.any()
    sim.step(20)
    assert (sim.games.standings["result"][0, 1:] == codes.UNDECIDED).all()
    assert sim.games.standings["plays"][0].tolist() == [False, True, True, False]
