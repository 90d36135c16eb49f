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
        watch.sim.step(2)
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
    producer = watch.sim.games.producers[0]
    producer["made_as"][slot] = watch.sim._products["scv", "bunker"]
    producer["progress"][slot], producer["left"][slot] = 0.5, 300.0
    watch.sim.units["status"][0, slot] |= codes.UNFINISHED
    watch.sim.step(1)
    assert watch.cells() == visible_cells(*watch.map_terrain(), (20.5, 20.5), 4.0, False)


def test_without_fog_everything_is_visible() -> None:
    sim = Simulator(Melee(find_map("flat_32"), ("Terran", "Zerg"), fog=False))
    assert (sim.games.visibility[0, 1:] == codes.VISIBLE).all()
    sim.step(8)
    assert (sim.games.visibility[0, 1:] == codes.VISIBLE).all()
    assert (sim.games.views["sighted"][0, :40] & 6 == 6).all()


def test_a_unit_in_the_fog_is_not_seen() -> None:
    watch = Watch("flat_64")
    foe = watch.add("marine", 40.5, 20.5, 2)
    watch.add("marine", 20.5, 20.5)
    watch.sim.step(1)
    assert not watch.sees(1, foe)
    watch.move(foe, 29.5, 20.5)
    watch.sim.step(1)
    assert watch.sees(1, foe)


def test_what_hits_from_the_fog_is_shown_for_48_loops() -> None:
    watch = Watch("flat_64")
    tank = watch.add("siege_tank_sieged", 20.5, 32.5, 2)
    spotter = watch.add("observer", 31.5, 40.5, 2)
    victim = watch.add("thor", 32.9, 32.5)
    sim = watch.sim
    sim.order(0, victim, codes.HOLD)
    for _ in range(120):
        sim.step(1)
        if sim.units["hp"][0, victim] < 400:
            break
    assert sim.units["hp"][0, victim] < 400
    sim.remove(0, spotter)
    assert watch.sees(1, tank)
    assert watch.grid()[32, 20] != codes.VISIBLE
    sim.units["cooldown"][0, tank] = 1000.0
    sim.step(47)
    assert watch.sees(1, tank)
    sim.step(2)
    assert not watch.sees(1, tank)


def test_the_cloaked_are_seen_where_they_are_detected() -> None:
    watch = Watch("flat_64")
    foe = watch.add("dark_templar", 40.5, 20.5, 2)
    watch.add("marine", 36.5, 20.5)
    watch.sim.step(1)
    assert not watch.sees(1, foe)
    raven = watch.add("raven", 30.0, 20.5)
    watch.sim.step(1)
    assert watch.sees(1, foe)
    watch.move(raven, 29.0, 20.5)
    watch.sim.step(1)
    assert not watch.sees(1, foe)


def test_a_scan_shows_what_is_under_it_and_detects() -> None:
    watch = Watch("simple_64")
    orbital = watch.add("orbital_command", 20.5, 20.5)
    foe = watch.add("dark_templar", 50.5, 50.5, 2)
    watch.sim.units["energy"][0, orbital] = 100.0
    watch.sim.step(1)
    assert not watch.sees(1, foe)
    watch.sim.use(0, orbital, "scanner_sweep", (48.5, 50.5))
    watch.sim.step(2)
    assert watch.sees(1, foe)
    area = visible_cells(*watch.map_terrain(), (48.5, 50.5), 13.0, True)
    assert area <= watch.cells()
    watch.sim.step(197)
    assert not watch.sees(1, foe)
    assert not area & watch.cells()


def test_a_sensor_tower_shows_moving_things_in_the_fog_as_blips() -> None:
    watch = Watch("flat_96")
    watch.add("sensor_tower", 20.5, 48.5)
    near, far = watch.add("marine", 50.4, 48.5, 2), watch.add("marine", 50.6, 48.5, 2)
    cloaked = watch.add("dark_templar", 45.5, 48.5, 2)
    seen = watch.add("marine", 25.5, 48.5, 2)
    building = watch.add("bunker", 44.5, 44.5, 2)
    watch.sim.step(1)
    blips = watch.sim.games.views["blips"][0] >> 1 & 1
    assert blips[near]
    assert not blips[[far, cloaked, seen, building]].any()
    assert not watch.sees(1, near)


class Snapshots(Watch):
    def of(self, owner: int = 1) -> np.ndarray:
        n = int(self.sim.games.memories["n_snapshots"][0, owner])
        return self.sim.games.snapshots[0, owner, :n]


def test_all_neutral_objects_out_of_sight_are_remembered_from_the_first_loop() -> None:
    """sc2api.md, 8.3: of the whole map, without what they hold."""
    watch = Snapshots("simple_64", empty=False)
    units = watch.sim.units[0]
    neutral = units["alive"] & (units["owner"] == 0)
    for owner in (1, 2):
        hidden = neutral & (watch.sim.games.views["sighted"][0, : len(units)] >> owner & 1 == 0)
        assert 0 < hidden.sum() < neutral.sum()
        snapshots = watch.of(owner)
        assert sorted(snapshots["tag"]) == sorted(units["tag"][hidden])
        assert len(set(snapshots["number"])) == len(snapshots)


def test_a_structure_stays_as_it_was_seen_last_until_its_place_is_seen_without_it() -> None:
    watch = Snapshots("flat_64")
    barracks = watch.add("barracks", 40.5, 32.5, 2)
    scout = watch.add("marine", 35.5, 32.5)
    watch.sim.step(1)
    n = len(watch.of())
    assert watch.sees(1, barracks)
    watch.sim.units["hp"][0, barracks] = 700.0
    watch.move(scout, 20.5, 32.5)
    watch.sim.step(1)
    assert len(watch.of()) == n + 1
    last = watch.of()[-1]
    assert (last["tag"], last["x"], last["hp"]) == (watch.sim.units["tag"][0, barracks], 40.5, 700)
    number = int(last["number"])
    watch.sim.units["hp"][0, barracks] = 100.0
    watch.sim.step(8)
    assert (watch.of()[-1]["number"], watch.of()[-1]["hp"]) == (number, 700)
    watch.move(scout, 35.5, 32.5)
    watch.sim.step(1)
    assert len(watch.of()) == n, "seen again, it is no longer remembered"
    watch.move(scout, 20.5, 32.5)
    watch.sim.step(1)
    assert watch.of()[-1]["number"] > number
    watch.sim.units["hp"][0, barracks] = 0.0
    watch.sim.step(100)
    assert len(watch.of()) == n + 1, "its end was not seen"
    watch.move(scout, 35.5, 32.5)
    watch.sim.step(1)
    assert len(watch.of()) == n


def test_units_leave_nothing_in_the_fog() -> None:
    watch = Snapshots("flat_64")
    watch.add("marine", 40.5, 32.5, 2)
    scout = watch.add("marine", 35.5, 32.5)
    watch.sim.step(1)
    n = len(watch.of())
    watch.move(scout, 20.5, 32.5)
    watch.sim.step(1)
    assert len(watch.of()) == n


def test_a_building_that_flew_away_is_remembered_where_it_stood_until_it_is_found() -> None:
    watch = Snapshots("flat_64")
    barracks = watch.add("barracks", 40.5, 32.5, 2)
    scout = watch.add("marine", 35.5, 32.5)
    watch.sim.step(1)
    tag = int(watch.sim.units["tag"][0, barracks])
    watch.move(scout, 20.5, 32.5)
    watch.sim.step(1)
    watch.move(barracks, 20.5, 46.5)
    watch.sim.step(1)
    assert tag in watch.of()["tag"]
    watch.move(scout, 20.5, 38.5)
    watch.sim.step(1)
    assert watch.sees(1, barracks)
    assert tag not in watch.of()["tag"]


def test_what_a_player_remembers_is_in_the_way_of_what_it_wants_to_build() -> None:
    """sc2api.md, 12: nothing is known of what was never seen."""
    watch = Snapshots("flat_64")
    barracks = watch.sim.place(0, "barracks", 2, 40.5, 32.5)
    watch.sim.step(1)

    def answer() -> str:
        return watch.sim.can_place(0, 1, "engineering_bay", (40.5, 32.5))

    assert answer() == "Success"
    scout = watch.add("marine", 35.5, 32.5)
    watch.sim.step(1)
    watch.move(scout, 20.5, 32.5)
    watch.sim.step(1)
    assert not watch.sees(1, barracks)
    assert answer() == "CantFindPlacementLocation"
