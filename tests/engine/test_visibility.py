"""What players see of the ground in whole games (game_rules.md, 6)."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from terrarium.data.games.melee import Melee
from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.library import find_map
from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from tests.data.maps.captures import NAMES, captured_map, recorded
from tests.naive import visible_cells
from tests.shared_facts import CAPTURES


class Watch:
    """A game without the units that players begin with, and who sees what in it."""

    def __init__(self, where: str | GameMap = "flat_48", n_games: int = 1, empty: bool = True):
        played = find_map(where) if isinstance(where, str) else where
        self.sim = Simulator(Melee(played, ("Terran", "Terran")), n_games)
        self.map = played
        units = self.sim.units[0]
        if empty:
            for slot in np.flatnonzero(units["alive"] & (units["owner"] > 0)):
                self.sim.remove(0, int(slot))
            self.sim.step(1)

    def add(self, unit: str, x: float, y: float, owner: int = 1) -> int:
        """A unit exactly there."""
        slot = self.sim.create(0, unit, owner, x, y)
        self.move(slot, x, y)
        return slot

    def move(self, slot: int, x: float, y: float) -> None:
        self.sim.units["x"][0, slot], self.sim.units["y"][0, slot] = x, y

    def cells(self, owner: int = 1, value: int = codes.VISIBLE) -> set[tuple[int, int]]:
        seen = self.grid(owner) == value
        return {(int(x), int(y)) for y, x in np.argwhere(seen)}

    def grid(self, owner: int = 1) -> NDArray[np.uint8]:
        shape = self.map.pathing_grid.shape
        grid: NDArray[np.uint8] = self.sim.games.visibility[0, owner].reshape(shape)
        return grid

    def naive(self, owner: int = 1) -> set[tuple[int, int]]:
        """What the living units of a player show."""
        terrain = self.map_terrain()
        seen: set[tuple[int, int]] = set()
        units, types = self.sim.units[0], self.sim.rules.types
        for slot in np.flatnonzero(units["alive"] & (units["owner"] == owner)):
            row = types[units["kind"][slot]]
            at = float(units["x"][slot]), float(units["y"][slot])
            seen |= visible_cells(*terrain, at, float(row["sight"]), bool(row["sees_up"]))
        return seen

    def map_terrain(self) -> tuple[list[list[int]], set[tuple[int, int]]]:
        terrain = self.sim.setup.terrain
        assert terrain.sight_blocker is not None
        opaque = {(int(x), int(y)) for y, x in np.argwhere(terrain.sight_blocker)}
        return terrain.level.tolist(), opaque

    def sees(self, owner: int, slot: int) -> bool:
        return bool(self.sim.units["seen"][0, slot] >> owner & 1)


@pytest.mark.parametrize("name", NAMES)
def test_every_cell_is_seen_as_in_the_first_observation_of_a_recorded_game(name: str) -> None:
    if not (CAPTURES / name).is_dir():
        pytest.skip(f"{CAPTURES / name} is not here")
    messages = pytest.importorskip("s2clientprotocol.sc2api_pb2")
    seen = messages.ResponseObservation()
    seen.ParseFromString(recorded(name)[1])
    image = seen.observation.raw_data.map_state.visibility
    watch = Watch(captured_map(name), empty=False)
    assert watch.grid().tobytes() == image.data


def test_cells_are_hidden_then_visible_then_explored() -> None:
    watch = Watch("flat_64")
    slot = watch.add("marine", 32.5, 32.5)
    assert watch.grid()[32, 32] == codes.HIDDEN
    watch.sim.step(1)
    assert watch.grid()[32, 32] == codes.VISIBLE
    watch.move(slot, 48.5, 32.5)
    watch.sim.step(1)
    assert watch.grid()[32, 32] == codes.EXPLORED
    assert watch.grid()[32, 48] == codes.VISIBLE


@pytest.mark.parametrize("unit", ["marine", "medivac", "colossus", "siege_tank"])
def test_what_a_moving_unit_sees_is_what_it_would_see_had_it_always_been_there(unit: str) -> None:
    """Over a map with cliffs, ramps and sight blockers, at places in cells and between them."""
    watch = Watch("simple_64")
    blocked = np.zeros_like(watch.map.sight_blocker)
    blocked[28:30, 20:40] = watch.map.pathing_grid[28:30, 20:40]
    watch = Watch(replace(watch.map, sight_blocker=blocked))
    rng = np.random.default_rng(3)
    walkable = np.argwhere(watch.map.walkable())
    slot = watch.add(unit, 32.5, 32.5)
    x, y = 32.5, 32.5
    for k in range(60):
        if k % 6 == 0:
            y, x = walkable[rng.integers(len(walkable))] + rng.random(2)
        else:
            x, y = x + rng.integers(-2, 3) / 2.0, y + rng.integers(-2, 3) / 2.0
        watch.move(slot, x, y)
        watch.sim.units["speed_x"][0, slot] = 0.0
        watch.sim.step(1)
        assert watch.cells() == watch.naive(), (k, x, y)


def test_two_mirrored_players_see_mirrored_ground() -> None:
    """From structures between cells, and from workers that walk."""
    watch = Watch("simple_64", empty=False)
    n_compared = 0
    for _ in range(20):
        watch.sim.step(8)
        units = watch.sim.units[0]
        ours, theirs = (np.sort(units["x"][units["owner"] == p]) for p in (1, 2))
        if not np.allclose(ours, np.sort(watch.map.width - theirs)):
            break  # a lot between two equal fields let workers go other ways
        mirrored = watch.grid(2)[::-1, ::-1]
        assert np.array_equal(watch.grid(1), mirrored)
        n_compared += 1
    assert n_compared >= 5


def test_what_a_dead_unit_saw_near_it_stays_in_sight_for_64_loops() -> None:
    watch = Watch()
    slot = watch.add("marine", 20.5, 20.5)
    watch.sim.step(1)
    watch.sim.units["hp"][0, slot] = 0.0
    watch.sim.step(1)
    near = {(x, y) for x, y in watch.cells() if np.hypot(x - 20, y - 20) <= 3.5}
    assert watch.cells() == near
    assert (23, 20) in near
    watch.sim.step(63)
    assert watch.cells() == near
    watch.sim.step(1)
    assert not watch.cells()


def test_a_structure_under_construction_sees_four_far() -> None:
    watch = Watch()
    slot = watch.add("bunker", 20.5, 20.5)
    watch.sim.games.producers["progress"][0, slot] = 0.5
    watch.sim.units["status"][0, slot] |= codes.UNFINISHED
    watch.sim.step(1)
    assert watch.cells() == visible_cells(*watch.map_terrain(), (20.5, 20.5), 4.0, False)


def test_without_fog_everything_is_visible() -> None:
    sim = Simulator(Melee(find_map("flat_32"), ("Terran", "Zerg"), fog=False))
    assert (sim.games.visibility[0, 1:] == codes.VISIBLE).all()
    sim.step(8)
    assert (sim.games.visibility[0, 1:] == codes.VISIBLE).all()
    assert (sim.units["seen"][0, sim.units["alive"][0]] & 6 == 6).all()


def test_a_unit_in_the_fog_is_not_seen() -> None:
    watch = Watch("flat_64")
    foe = watch.add("marine", 40.5, 20.5, 2)
    watch.add("marine", 20.5, 20.5)
    watch.sim.step(1)
    assert not watch.sees(1, foe)
    watch.move(foe, 29.5, 20.5)
    watch.sim.step(1)
    assert watch.sees(1, foe)
