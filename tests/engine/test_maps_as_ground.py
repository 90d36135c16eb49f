"""Melee maps as the ground of battles: who walks on them gets everywhere, by the ramps only."""

from dataclasses import replace

import numpy as np
import pytest

from terrarium.data.maps.expansions import find_expansions
from terrarium.data.maps.grids import mask_of
from terrarium.data.maps.library import find_map
from terrarium.data.maps.ramps import main_ramp
from terrarium.data.maps.terrain import terrain_of
from terrarium.engine.tables.terrain import compile_ground
from tests.engine.arena import on_terrain

LEVEL_Z = 2.0


@pytest.mark.parametrize("name", ["ladder/2", "ladder_mirror/2", "simple_64", "two_base"])
def test_all_bases_lie_on_one_island_and_ramps_are_the_only_way_up(name: str) -> None:
    game_map = find_map(name)
    ground = compile_ground(terrain_of(game_map))
    shape = game_map.pathing_grid.shape
    island = ground.island[0].reshape(shape)
    places = [e.place for e in find_expansions(game_map)]
    assert len({int(island[int(y), int(x)]) for x, y in places}) == 1
    flat = replace(terrain_of(game_map), walkable=game_map.buildable())
    without_ramps = compile_ground(flat).island[0].reshape(shape)
    for x, y in game_map.starts:
        home = without_ramps == without_ramps[int(y), int(x)]
        assert set(np.unique(game_map.terrain_height[home])) == {223}


def test_a_zergling_runs_from_base_to_base() -> None:
    game_map = find_map("simple_64")
    terrain = terrain_of(game_map)
    arena = on_terrain(terrain, "lotv-4.10")
    (x, y), goal = game_map.starts
    zergling = arena.add("zergling", at=(x, y))
    zergling.move(*goal)
    heights = set()

    def arrived() -> bool:
        at_x, at_y = zergling.at
        assert terrain.walkable[int(at_y), int(at_x)]
        heights.add(float(terrain.z[int(at_y), int(at_x)]))
        return zergling.distance(*goal) < 1.0

    assert arena.run(1200, until=arrived)
    assert {8.0, 10.0, 12.0} <= heights
    assert max(np.diff(sorted(heights))) < LEVEL_Z / 2, "it went up by a ramp"


def test_a_walled_ramp_keeps_a_zergling_out() -> None:
    game_map = find_map("simple_64")
    start, foe = game_map.starts
    ramp = main_ramp(game_map, start)
    assert ramp is not None
    wall = [
        (round(x) + dx, round(y) + dy)
        for x, y in ramp.wall().depots
        for dx in (-1, 0)
        for dy in (-1, 0)
    ]
    terrain = terrain_of(game_map)
    closed = replace(terrain, walkable=terrain.walkable & ~mask_of(terrain.walkable.shape, wall))
    arena = on_terrain(closed, "lotv-4.10")
    zergling = arena.add("zergling", at=foe)
    zergling.move(*start)
    arena.run(600)
    assert game_map.terrain_height[int(zergling.at[1]), int(zergling.at[0])] < 223
    assert zergling.distance(*ramp.bottom) < 8.0
