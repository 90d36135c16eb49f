"""What clients are told of the map and the players, at every step."""

import numpy as np
from numpy.typing import NDArray
from s2clientprotocol import common_pb2
from s2clientprotocol import sc2api_pb2 as api

from tests.server.looking import RAW, Watched


def pathing(info: api.ResponseGameInfo) -> NDArray[np.uint8]:
    grid = info.start_raw.pathing_grid
    bits = np.unpackbits(np.frombuffer(grid.data, np.uint8))
    return bits.reshape(grid.size.y, grid.size.x)


def test_the_own_start_is_left_out() -> None:
    watched = Watched()
    (enemy,) = watched.info().start_raw.start_locations
    assert (enemy.x, enemy.y) == watched.game.map.ground.starts[1]
    assert len(Watched(player=0).info().start_raw.start_locations) == 2


def test_only_the_own_race_is_told() -> None:
    own, other = Watched(race=common_pb2.Random).info().player_info
    assert own.race_requested == common_pb2.Random
    assert own.race_actual in (common_pb2.Terran, common_pb2.Zerg, common_pb2.Protoss)
    assert not other.HasField("race_actual")
    assert not other.HasField("difficulty")


def test_options_in_force_are_told_also_where_they_are_off() -> None:
    options = Watched().info().options
    assert options.raw
    assert options.show_cloaked
    assert options.HasField("raw_affects_selection")
    assert not options.raw_affects_selection


def test_structures_close_the_pathing_grid_while_they_stand() -> None:
    watched = Watched()
    before = pathing(watched.info())
    x, y = watched.beside(watched.first("command_center"), 0.5, 8.5)
    depot = watched.sim.place(0, "supply_depot", 1, x, y)
    watched.step(1)
    closed = np.argwhere(pathing(watched.info()) != before)
    left, bottom = int(x) - 1, int(y) - 1
    square = {(bottom + dy, left + dx) for dy in (0, 1) for dx in (0, 1)}
    assert {(int(row), int(column)) for row, column in closed} == square
    watched.sim.remove(0, depot)
    watched.step(1)
    assert (pathing(watched.info()) == before).all()


def test_what_enemies_build_in_the_fog_does_not_show_until_it_is_seen() -> None:
    watched = Watched()
    before = pathing(watched.info())
    hatchery = watched.first("hatchery", owner=2)
    x, y = watched.beside(hatchery)
    assert before[int(y), int(x)] == 1
    scout = watched.sim.create(0, "medivac", 1, x + 4, y + 4)
    watched.step(4)
    assert pathing(watched.info())[int(y), int(x)] == 0
    watched.sim.remove(0, scout)
    watched.step(100)
    assert not watched.lists(hatchery)
    assert pathing(watched.info())[int(y), int(x)] == 0


def test_minerals_close_it_from_when_they_are_seen() -> None:
    watched = Watched()
    grid = pathing(watched.info())
    near = far = 0
    for unit in watched.units():
        if unit.owner == 16 and unit.unit_type in (341, 483):
            seen = unit.HasField("mineral_contents")
            near, far = near + seen, far + (not seen)
            assert grid[int(unit.pos.y), int(unit.pos.x)] == (0 if seen else 1)
    assert near == 8
    assert far >= 8


def test_nothing_but_the_pathing_grid_changes() -> None:
    watched = Watched(options=RAW)
    first = watched.info()
    watched.step(500)
    later = watched.info()
    for info in (first, later):
        info.start_raw.pathing_grid.ClearField("data")
    assert first == later
