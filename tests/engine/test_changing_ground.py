"""Structures on the grid: walkers go around them, and the ground is repaired when they go."""

import os
import subprocess
import sys
from dataclasses import replace
from math import hypot

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from terrarium.data.battles.generated import generate_terrain
from terrarium.data.battles.scenario import Scenario
from terrarium.engine import codes
from terrarium.engine.kernels.movement.paths import way_length
from terrarium.engine.simulator import EngineError, PlacementError, Simulator
from terrarium.engine.tables.terrain import compile_ground, sector_edges
from tests.engine.arena import Arena, Piece, flat, on_terrain, outline
from tests.engine.building import ROOT, digests
from tests.naive import distance_to_polygon, line_crosses_wall, walking_distances

RULES = "lotv-4.10"
WITH_FOOTPRINTS = ("footprints",)
REPLAN_TICKS = 8
ONE_SECTOR, MANY_SECTORS = 48, 96
"""sides of maps whose flow fields cover all of them, and whose ways lead through portals"""


def grid(size: int = ONE_SECTOR, slots: int = 24, **cells: NDArray[np.bool_]) -> Arena:
    return on_terrain(flat(size, size, **cells), RULES, slots, layers=WITH_FOOTPRINTS)


def two_gaps(size: int) -> Arena:
    """A wall across the map with two gaps of two cells: a near one in the south, a far one."""
    walkable = np.ones((size, size), np.bool_)
    walkable[:, size // 2] = False
    walkable[10:12, size // 2] = True
    walkable[40:42, size // 2] = True
    return grid(size, walkable=walkable)


def passes_by(walker: Piece) -> float:
    """The height of the gap that a walker is on its way to, seen from (10, 20)."""
    return float(walker.way_y)


# --- paths --------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [ONE_SECTOR, MANY_SECTORS])
def test_a_depot_in_a_choke_leads_an_army_elsewhere_and_back_when_it_is_gone(size: int) -> None:
    arena = two_gaps(size)
    army = [arena.add("marine", at=(6 + i % 4, 18 + i // 4)) for i in range(12)]
    for me in army:
        me.move(size - 10, 20)
    arena.run(20)
    assert all(passes_by(me) < 20 for me in army)
    depot = arena.place("supply_depot", at=(size / 2, 11))
    arena.run(REPLAN_TICKS + 1)
    assert all(passes_by(me) > 20 for me in army)
    arena.sim.remove(0, depot.slot)
    arena.run(REPLAN_TICKS + 1)
    assert all(passes_by(me) < 20 for me in army)
    assert arena.run(1200, until=lambda: all(me.x > size / 2 + 2 for me in army))


@pytest.mark.parametrize("size", [ONE_SECTOR, MANY_SECTORS])
def test_a_structure_that_dies_opens_the_way(size: int) -> None:
    arena = two_gaps(size)
    me = arena.add("marine", at=(10, 20))
    depot = arena.place("supply_depot", at=(size / 2, 11))
    me.move(size - 10, 20)
    arena.run(2)
    assert passes_by(me) > 20
    depot.set(hp=0.0)
    arena.run(REPLAN_TICKS + 1)
    assert not depot.alive
    assert passes_by(me) < 20


@pytest.mark.parametrize("size", [ONE_SECTOR, MANY_SECTORS])
def test_a_loaded_game_forgets_the_ways_over_the_ground_it_left(size: int) -> None:
    arena = two_gaps(size)
    me = arena.add("marine", at=(10, 20))
    me.move(size - 10, 20)
    saved = arena.sim.save()
    for _ in range(3):  # the ground of the save has changed less often than the one left behind
        depot = arena.place("supply_depot", at=(size / 2, 11))
        arena.sim.remove(0, depot.slot)
    arena.place("supply_depot", at=(size / 2, 11))
    arena.run(2)
    assert passes_by(me) > 20
    arena.sim.load(saved)
    arena.run(REPLAN_TICKS + 1)
    assert passes_by(me) < 20


@pytest.mark.parametrize("size", [ONE_SECTOR, MANY_SECTORS])
def test_a_closed_wall_makes_walkers_go_to_the_nearest_point_they_can_reach(size: int) -> None:
    arena = grid(size, slots=64)
    for y in range(1, size, 2):
        arena.place("supply_depot", at=(24, y))
    me = arena.add("marine", at=(10, 12))
    me.move(30.5, 30.5)
    # The cells before the wall end at x = 23; the nearest one to the goal has its middle at 22.5.
    assert arena.run(400, until=lambda: me.distance(22.5, 30.5) < 0.6)
    assert way_length(arena.sim.handles[0], 0, *me.at, 30.5, 30.5) < 0
    arena.run(100)
    assert me.x < 23


def test_walkers_behind_a_wall_are_free_again_when_a_part_of_it_goes() -> None:
    arena = grid(MANY_SECTORS, slots=64)
    wall = [arena.place("supply_depot", at=(40, y)) for y in range(1, MANY_SECTORS, 2)]
    me = arena.add("zergling", at=(20, 50))
    me.move(60, 50)
    arena.run(200)
    assert me.x < 39
    arena.sim.remove(0, wall[10].slot)  # at y = 21
    assert arena.run(600, until=lambda: me.distance(60, 50) < 0.5)


def test_large_walkers_need_two_free_cells_between_structures() -> None:
    arena = grid()
    for y in (3, 6, 9, 13, 16, 19, 22, 25, 28, 31, 34, 37, 40, 43, 46):
        arena.place("engineering_bay", at=(24.5, y - 0.5))
    game = arena.sim.handles[0]
    assert way_length(game, codes.SMALL_WALKER, 10.5, 10.5, 40.5, 10.5) == pytest.approx(
        30.4, abs=1
    )
    assert way_length(game, codes.LARGE_WALKER, 10.5, 10.5, 40.5, 10.5) < 0
    arena.sim.remove(0, arena.pieces()[0].slot)
    assert way_length(game, codes.LARGE_WALKER, 10.5, 10.5, 40.5, 10.5) > 30


def test_an_army_gets_across_a_large_map_and_through_its_ramps() -> None:
    arena = on_terrain(generate_terrain(176, 0), RULES, slots=24, layers=WITH_FOOTPRINTS)
    army = [arena.add("marine", at=(28 + i % 5, 28 + i // 5)) for i in range(20)]
    for me in army:
        me.move(146, 146)
    assert arena.run(2500, until=lambda: all(me.distance(146, 146) < 6 for me in army))


# --- portals ------------------------------------------------------------------------------------


def random_walls(seed: int, size: int) -> NDArray[np.bool_]:
    """Ground with rocks, thin walls, or scattered single cells."""
    rng = np.random.default_rng(seed)
    if seed % 3 == 0:
        return rng.random((size, size)) > 0.25
    walkable = np.ones((size, size), np.bool_)
    for _ in range(size // 2):
        x, y = rng.integers(0, size, 2)
        long, wide = rng.integers(3, 24), 1
        if seed % 3 == 1:
            long, wide = rng.integers(1, 9, 2)
        elif rng.random() < 0.5:
            long, wide = wide, long
        walkable[y : y + wide, x : x + long] = False
    return walkable


@pytest.mark.parametrize("seed", range(12))
def test_ways_through_portals_are_hardly_longer_than_the_shortest(seed: int) -> None:
    size = (72, 100, 131)[seed % 3]
    arena = on_terrain(flat(size, size, walkable=random_walls(seed, size)), RULES, slots=2)
    ground, rng = arena.sim.ground, np.random.default_rng(seed)
    layer = seed % 2
    cells = np.flatnonzero(ground.walkable[layer])
    for goal in rng.choice(cells, 3):
        shortest = walking_distances(ground.open[layer], size, int(goal))
        for start in rng.choice(cells, 60):
            here, there = ((c % size + 0.5, c // size + 0.5) for c in (int(start), int(goal)))
            way = way_length(arena.sim.handles[0], layer, *here, *there)
            if start not in shortest:
                assert way < 0
                continue
            # A portal is up to three cells beside the shortest way: much, where that is short.
            assert shortest[start] - 1e-6 <= way <= 1.1 * shortest[start] + 1.0


@pytest.mark.parametrize("seed", range(6))
def test_walkers_go_straight_exactly_where_no_wall_crosses_the_line(seed: int) -> None:
    size, rng = 72, np.random.default_rng(seed)
    walkable = random_walls(seed, size)
    arena = on_terrain(flat(size, size, walkable=walkable), RULES, slots=200)
    spots = rng.choice(np.argwhere(walkable), 200) + rng.uniform(0.2, 0.8, (200, 2))
    walkers = [arena.add("marine", at=(x, y), passive=True) for y, x in spots]
    far = rng.integers(2, 40, 200)[:, None]  # short lines and long ones
    goals = np.clip(spots + rng.uniform(-far, far, (200, 2)), 1.1, size - 1.1)
    for me, (y, x) in zip(walkers, goals, strict=True):
        me.move(x, y)
    orders = arena.sim.games.orders[0, :, 0]
    lines = [((me.x, me.y), (orders[me.slot]["x"], orders[me.slot]["y"])) for me in walkers]
    arena.run(1)
    exits = arena.sim.ground.open[0]
    straight = [not line_crosses_wall(exits, size, start, end) for start, end in lines]
    assert [bool(me.direct) for me in walkers] == straight
    assert 20 < sum(straight) < 180


def test_room_is_the_distance_to_the_nearest_cell_at_a_wall() -> None:
    size = 40
    ground = on_terrain(flat(size, size, walkable=random_walls(1, size)), RULES, slots=2).sim.ground
    at_wall = np.argwhere(ground.open[0].reshape(size, size) != 255)
    for y, x in np.ndindex(size, size):
        nearest = np.abs(at_wall - (y, x)).max(axis=1).min()
        assert ground.room[0, y * size + x] == min(nearest, 12)


@pytest.mark.parametrize("size", [65, 96, 131, 176, 200])
def test_sectors_are_the_same_from_both_ends_of_the_map(size: int) -> None:
    edges = sector_edges(size)
    assert (edges == size - edges[::-1]).all()
    assert (np.diff(edges) <= 32).all()


def test_a_fair_map_has_ways_of_equal_length_for_both_sides() -> None:
    terrain = generate_terrain(176, 0)
    sim = on_terrain(terrain, RULES, slots=2).sim
    rng = np.random.default_rng(3)
    spots = rng.choice(np.argwhere(terrain.walkable), (40, 2)) + 0.5
    for (y0, x0), (y1, x1) in spots:
        way = way_length(sim.handles[0], 0, x0, y0, x1, y1)
        turned = way_length(sim.handles[0], 0, 176 - x0, 176 - y0, 176 - x1, 176 - y1)
        assert way == pytest.approx(turned, abs=1e-9)


# --- repair -------------------------------------------------------------------------------------

STRUCTURES = ("supply_depot", "barracks", "command_center", "sensor_tower", "spore_crawler")
changes = st.lists(
    st.tuples(st.sampled_from(STRUCTURES), st.floats(0, 1), st.floats(0, 1), st.booleans()),
    min_size=1,
    max_size=30,
)


def change(sim: Simulator, plan: list[tuple[str, float, float, bool]]) -> None:
    """Place structures where there is space, and remove every other one before the next comes."""
    size = sim.scenario.terrain.width
    for name, x, y, removes in plan:
        placed = np.flatnonzero(sim.games.sites["placed"][0])
        if removes and len(placed):
            sim.remove(0, int(placed[int(x * 0.999 * len(placed))]))
            continue
        try:
            sim.place(0, name, 0, x * size, y * size)
        except EngineError:
            continue


def same_parts(one: NDArray[np.int32], other: NDArray[np.int32]) -> bool:
    """Do two numberings divide the cells alike?"""
    pairs = np.unique(np.stack([one, other]), axis=1)
    return all(len(np.unique(names)) == pairs.shape[1] for names in pairs)


@pytest.mark.parametrize("size", [40, 72])
@settings(max_examples=15)
@given(seed=st.integers(0, 5), plan=changes)
def test_repaired_ground_is_what_it_would_be_from_scratch(
    size: int, seed: int, plan: list[tuple[str, float, float, bool]]
) -> None:
    terrain = flat(size, size, walkable=random_walls(seed, size))
    sim = on_terrain(terrain, RULES, slots=40, layers=WITH_FOOTPRINTS).sim
    change(sim, plan)
    # The twin is a terrain into which the structures are carved.
    blocked = sim.games.blocked[0].reshape(size, size) > 0
    carved = compile_ground(replace(terrain, walkable=terrain.walkable & ~blocked))
    assert (sim.land.walkable[0] == carved.walkable).all()
    assert (sim.land.open[0] == carved.open).all()
    assert (sim.land.room[0] == carved.room).all()
    for layer in range(3):
        assert same_parts(sim.land.island[0, layer], carved.island[layer])
    fresh = on_terrain(replace(terrain, walkable=terrain.walkable & ~blocked), RULES, slots=2).sim
    last = fresh.land.first_portal
    assert (sim.land.first_portal[0] == last).all()
    for layer in range(3):
        mine, its = (
            land[layer, : last[layer, -1]] for land in (sim.land.portals[0], fresh.land.portals)
        )
        assert (mine == its).all()
    rng = np.random.default_rng(seed)
    for x0, y0, x1, y1 in rng.uniform(0, size, (10, 4)):
        before = way_length(sim.handles[0], 0, x0, y0, x1, y1)
        assert before == way_length(fresh.handles[0], 0, x0, y0, x1, y1)


def test_ways_known_before_a_change_are_found_anew() -> None:
    """The caches are full of the old ground when structures come and go."""
    sim = on_terrain(generate_terrain(96, 1), RULES, slots=64, layers=WITH_FOOTPRINTS).sim
    rng = np.random.default_rng(0)
    spots = rng.choice(np.argwhere(sim.scenario.terrain.walkable), (12, 2)) + 0.5

    def lengths(of: Simulator) -> list[float]:
        return [way_length(of.handles[0], 0, x, y, u, v) for (y, x), (v, u) in spots]

    first = lengths(sim)
    for _ in range(6):
        change(sim, [("barracks", *rng.random(2), False) for _ in range(6)])
        blocked = sim.games.blocked[0].reshape(96, 96) > 0
        terrain = sim.scenario.terrain
        fresh = on_terrain(replace(terrain, walkable=terrain.walkable & ~blocked), RULES).sim
        assert lengths(sim) == lengths(fresh)
    for slot in np.flatnonzero(sim.games.sites["placed"][0]):
        sim.remove(0, int(slot))
    assert lengths(sim) == first


@pytest.mark.parametrize("size", [ONE_SECTOR, MANY_SECTORS])
def test_what_is_remembered_of_ways_changes_nothing(size: int) -> None:
    walkable = np.ones((size, size), np.bool_)
    walkable[:40, size // 2] = False
    arena = on_terrain(flat(size, size, walkable=walkable), RULES, slots=24)
    army = [arena.add("marine", at=(6 + i % 4, 18 + i // 4)) for i in range(12)]
    for me in army:
        me.move(size - 10, 20)
    saved = arena.sim.save()

    def march(forgets: bool) -> str:
        arena.sim.load(saved)
        for _ in range(150):
            if forgets:
                arena.sim._paths.trails["cell"] = codes.NO_UNIT
                arena.sim._paths.guides["field"] = codes.NO_UNIT
            arena.run(1)
        return arena.sim.digest()

    first = march(forgets=True)
    assert army[0].y > 24  # on its way around the wall
    assert march(forgets=False) == first  # remembers what it comes across
    assert march(forgets=False) == first  # remembers all of it


# --- bodies -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["supply_depot", "command_center", "refinery", "auto_turret"])
@pytest.mark.parametrize("walker", ["marine", "zergling", "thor", "colossus"])
def test_bodies_slide_along_the_outline(name: str, walker: str) -> None:
    arena = grid()
    structure = arena.place(name, at=(24, 24))
    me = arena.add(walker, at=(14, 22.7), passive=True)
    me.move(36, 24.6)
    edge, inner = outline(structure), float(me.row["inner"])
    nearest = 100.0

    def arrives() -> bool:
        nonlocal nearest
        nearest = min(nearest, distance_to_polygon(*me.at, edge))
        # It keeps its inner radius away; the step onto the edge is made at a whole tick.
        assert nearest >= inner - 1e-6
        return me.distance(36, 24.6) < 0.1

    assert arena.run(400, until=arrives)
    assert nearest < inner + 0.6


def test_the_cut_corner_of_a_townhall_can_be_walked_over() -> None:
    """Of its rows, 3-5-5-5-3 cells are closed (sc2api.md, 9)."""
    arena = grid()
    base = arena.place("command_center", at=(20.5, 20.5))
    closed = arena.sim.games.blocked[0].reshape(48, 48)[18:23, 18:23] > 0
    assert closed.sum(axis=1).tolist() == [3, 5, 5, 5, 3]
    me = arena.add("marine", at=(23.5, 23.5), passive=True)
    me.move(22.2, 22.2)
    arena.run(30)
    assert (int(me.x), int(me.y)) == (22, 22)
    assert distance_to_polygon(*me.at, outline(base)) == pytest.approx(0.375, abs=0.01)


def test_nobody_slips_between_structures_that_touch_at_a_corner() -> None:
    arena = grid(slots=48)
    for k in range(24):
        arena.place("supply_depot", at=(1 + 2 * k, 1 + 2 * k))
    crowd = [arena.add("zergling", at=(16 + i % 6, 30 + i // 6), passive=True) for i in range(18)]
    for me in crowd:
        me.move(30, 20)
    for _ in range(300):
        arena.run(1)
        assert all(me.y > me.x for me in crowd)


def test_a_new_structure_pushes_units_off_its_ground() -> None:
    arena = grid()
    crowd = [
        arena.add("marine", at=(20 + i % 3, 20 + i // 3), owner=i % 2, passive=True)
        for i in range(9)  # own ones and neutral ones
    ]
    flyer = arena.add("medivac", at=(21, 21))
    barracks = arena.place("barracks", at=(21.4, 21.4))
    assert barracks.at == (21.5, 21.5)
    assert flyer.at == (21, 21)
    for k, me in enumerate(crowd):
        assert distance_to_polygon(*me.at, outline(barracks)) >= 0.375 - 1e-6
        assert me.distance(21.5, 21.5) < 5
        for other in crowd[:k]:
            assert hypot(me.x - other.x, me.y - other.y) > 0.7


def test_enemies_keep_a_structure_from_being_placed() -> None:
    """Own units move away; enemies block (game_rules.md, 5)."""
    arena = grid()
    own = arena.add("marine", at=(20.5, 20.5), passive=True)
    enemy = arena.add("zergling", at=(22.9, 21.5), owner=2, passive=True)
    with pytest.raises(PlacementError, match="CantBuildLocationInvalid") as refused:
        arena.place("barracks", at=(21.5, 21.5))
    assert refused.value.result == codes.CANT_BUILD_LOCATION_INVALID
    assert own.at == (20.5, 20.5)
    assert not arena.sim.games.taken.any()
    enemy.put(23.6, 21.5)  # beside it
    arena.place("barracks", at=(21.5, 21.5))
    assert own.distance(21.5, 21.5) > 1.5
    assert enemy.at == (23.6, 21.5)


def test_enemies_in_the_air_and_allies_do_not_keep_a_structure_from_being_placed() -> None:
    teams = ((1, 3), (2,))
    arena = on_terrain(flat(48, 48), RULES, layers=WITH_FOOTPRINTS, teams=teams)
    flyer = arena.add("mutalisk", at=(21, 21), owner=2, passive=True)
    ally = arena.add("marine", at=(21, 21), owner=3, passive=True)
    arena.place("barracks", at=(21.5, 21.5))
    assert flyer.at == (21, 21)
    assert ally.distance(21.5, 21.5) > 1.5


@pytest.mark.parametrize(
    ("name", "at", "center"),
    [
        ("supply_depot", (20.4, 20.6), (20.0, 21.0)),
        ("barracks", (20.4, 20.6), (20.5, 20.5)),
        ("command_center", (20.99, 20.01), (20.5, 20.5)),
        ("sensor_tower", (20.0, 20.9), (20.5, 20.5)),
    ],
)
def test_odd_footprints_snap_to_cells_and_even_ones_to_corners(
    name: str, at: tuple[float, float], center: tuple[float, float]
) -> None:
    assert grid().place(name, at=at).at == center


def test_new_units_appear_beside_structures_not_in_them() -> None:
    arena = grid()
    barracks = arena.place("barracks", at=(20.5, 20.5))
    for _ in range(8):
        me = arena.piece(arena.sim.create(0, "marine", 0, 20.5, 20.5))
        assert distance_to_polygon(*me.at, outline(barracks)) >= 0.375 - 1e-6


def test_a_lowered_depot_takes_ground_but_is_walked_over() -> None:
    arena = grid()
    arena.place("supply_depot_lowered", at=(20, 20))
    me = arena.add("marine", at=(15, 20))
    me.move(25, 20)
    # 10 cells at 2.25 a second of 16 ticks.
    arena.run(72)
    assert me.distance(25, 20) < 0.1
    with pytest.raises(EngineError, match="no flat, free ground"):
        arena.place("supply_depot", at=(21, 20))


def test_units_on_a_depot_that_is_raised_make_way() -> None:
    arena = grid()
    depot = arena.place("supply_depot_lowered", at=(20, 20))
    there = [
        arena.add("marine", at=(19.5, 20.5), passive=True),
        arena.add("colossus", at=(20, 19.5), passive=True),
    ]
    assert depot.use("raise_supply_depot") == "Success"
    assert arena.run(40, until=lambda: depot.type == "supply_depot")
    for me in there:
        assert distance_to_polygon(*me.at, outline(depot)) >= me.row["inner"] - 1e-6


def test_an_enemy_on_a_depot_keeps_it_from_being_raised() -> None:
    arena = grid()
    depot = arena.place("supply_depot_lowered", at=(20, 20))
    enemy = arena.add("zergling", at=(20.5, 20.5), owner=2, passive=True)
    assert depot.use("raise_supply_depot") == "CantBuildLocationInvalid"
    enemy.put(25, 25)
    assert depot.use("raise_supply_depot") == "Success"


@pytest.mark.parametrize("name", ["marine", "marauder"])
def test_structures_on_the_grid_are_attacked_from_every_side(name: str) -> None:
    arena = grid()
    target = arena.place("barracks", at=(24.5, 24.5), owner=2)
    ring = [
        arena.add(name, at=(24.5 + 12 * np.cos(a), 24.5 + 12 * np.sin(a)))
        for a in np.linspace(0, 6, 8)
    ]
    for me in ring:
        me.attack(target)
    starts = [me.at for me in ring]
    assert arena.run(200, until=lambda: all(arena.shots_of(me) for me in ring))
    for me, (x, y) in zip(ring, starts, strict=True):
        # They come straight at it instead of crowding at one of its sides.
        assert me.distance(x, y) < 8


@pytest.mark.parametrize("name", ["engineering_bay", "hatchery", "nexus", "missile_turret"])
@pytest.mark.parametrize("attacker", ["zergling", "zealot"])
def test_melee_reaches_structures_whose_radius_is_smaller_than_their_outline(
    name: str, attacker: str
) -> None:
    """A Hatchery has radius 2, but nobody gets nearer to its middle than 2.5 cells."""
    arena = grid()
    target = arena.place(name, at=(24.5, 24.5), owner=2)
    ring = [
        arena.add(attacker, at=(24.5 + dx, 24.5 + dy)) for dx, dy in ((6, 1), (-1, 6), (-5, -5))
    ]
    for me in ring:
        me.attack(target)
    assert arena.run(100, until=lambda: all(arena.shots_of(me) for me in ring))


# --- games --------------------------------------------------------------------------------------


def test_games_with_structures_are_saved_branched_and_begun_anew() -> None:
    arena = grid(MANY_SECTORS)
    sim = Simulator(arena.sim.scenario, 3, slots=24, layers=WITH_FOOTPRINTS)
    marines = [sim.create(0, "marine", 0, 10.0 + i, 30.0) for i in range(5)]
    for y in range(29, 39, 2):
        sim.place(0, "supply_depot", 1, 40.0, float(y))
    for slot in marines:
        sim.order(0, slot, codes.MOVE, (80.0, 31.0))
    sim.step(60)
    save = sim.save()
    sim.branch(0, [1, 2])
    sim.step(200)
    assert sim.digest(0) == sim.digest(1) == sim.digest(2)
    after = sim.digest(0)
    sim.load(save)
    assert sim.digest(0) != after
    sim.step(200)
    assert sim.digest(0) == after
    sim.reset(seed=0)
    assert not sim.games.taken.any()
    assert (sim.land.open == sim.ground.open).all()


def test_the_digest_knows_of_footprints() -> None:
    first, second = grid(), grid()
    first.place("supply_depot", at=(20, 20))
    piece = second.add("supply_depot", at=(20, 20))
    piece.set(**{name: first.sim.units[0, 0][name] for name in first.sim.units.dtype.names})
    assert first.sim.digest() != second.sim.digest()


def test_layers_have_cells_only_where_they_were_asked_for() -> None:
    scenario = open_scenario()
    sim = Simulator(scenario, 2, slots=4, layers=("creep", "visibility"))
    assert sim.games.creep.shape == (2, 48 * 48)
    assert sim.games.visibility.shape == (2, 1 + sim.n_players, 48 * 48)
    assert sim.games.power.size == sim.games.blocked.size == 0
    sim.games.creep[0, 7] = 1
    sim.games.visibility[0, 1, 7] = codes.VISIBLE
    save, digest, epoch = sim.save(), sim.digest(), int(sim.games.epochs["creep"][0, 0])
    sim.reset(seed=0)
    assert not sim.games.creep.any()
    assert not sim.games.visibility.any()
    assert sim.games.epochs["creep"][0, 0] > epoch
    assert sim.digest() != digest
    sim.load(save)
    assert sim.games.creep[0, 7] == 1
    assert sim.digest() == digest


def open_scenario() -> Scenario:
    return on_terrain(flat(48, 48), RULES, slots=4).sim.scenario


@pytest.mark.parametrize(
    ("layers", "unit", "at", "message"),
    [
        ((), "supply_depot", (20, 20), "layers"),
        (WITH_FOOTPRINTS, "marine", (20, 20), "no footprint"),
        (WITH_FOOTPRINTS, "supply_depo", (20, 20), "supply_depot"),
        (WITH_FOOTPRINTS, "supply_depot", (0.2, 20), "no flat, free ground"),
        (WITH_FOOTPRINTS, "supply_depot", (np.nan, 20), "not a place"),
    ],
)
def test_what_cannot_be_placed_is_refused(
    layers: tuple[str, ...], unit: str, at: tuple[float, float], message: str
) -> None:
    sim = Simulator(open_scenario(), slots=4, layers=layers)
    with pytest.raises(EngineError, match=message):
        sim.place(0, unit, 0, *at)
    assert not sim.units["alive"].any()


def test_nothing_is_placed_on_ramps_cliffs_structures_or_rooted_units() -> None:
    level = np.ones((48, 48), np.uint8)
    level[:, 24:] = 2
    arena = grid(level=level)
    arena.place("barracks", at=(10.5, 10.5))
    arena.add("siege_tank_sieged", at=(10, 30))
    for at in ((24, 20), (11, 12), (10, 30)):
        with pytest.raises(PlacementError, match="no flat, free ground") as refused:
            arena.place("supply_depot", at=at)
        assert refused.value.result == codes.CANT_FIND_PLACEMENT_LOCATION


@pytest.mark.slow
def test_plain_python_gives_the_same_games() -> None:
    answer = subprocess.run(
        [sys.executable, "-m", "tests.engine.building"],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.split() == digests()


def test_unknown_layers_are_refused() -> None:
    with pytest.raises(EngineError, match="crepe"):
        Simulator(open_scenario(), slots=4, layers=("crepe",))


def test_only_the_living_are_removed() -> None:
    arena = grid()
    me = arena.add("marine", at=(20, 20))
    arena.sim.remove(0, me.slot)
    assert arena.sim.players["n_alive"][0].tolist() == [0, 0, 0]
    with pytest.raises(EngineError, match="no living unit"):
        arena.sim.remove(0, me.slot)
