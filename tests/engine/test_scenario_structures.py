"""Structures of scenarios stand on the grid, as those that are placed later."""

from dataclasses import replace

import numpy as np
import pytest

from terrarium.data.battles.scenario import Group
from terrarium.data.battles.scenarios import scenario_names
from terrarium.engine.simulator import EngineError, Simulator
from terrarium.engine.tables.plan import unit_names
from tests.engine.arena import Arena, flat, on_terrain, outline
from tests.naive import distance_to_polygon


def has_structures(name: str) -> bool:
    sim = Simulator(name)
    return any(sim.rules.types["footprint"][sim.rows[u]] >= 0 for u in unit_names(sim.scenario))


WITH_STRUCTURES = [
    "smac/2s_vs_1sc",
    *(f"skills/{name}" for name in ("banshee_raid", "bc_jump_in", "bc_yamato", "bunker_hold")),
    *(f"skills/{name}" for name in ("ghost_infiltrate", "hellion_run", "medivac_drop")),
    "skills/siege_leapfrog",
]


def test_these_scenarios_have_structures() -> None:
    assert [name for name in scenario_names() if has_structures(name)] == sorted(WITH_STRUCTURES)


@pytest.mark.parametrize("name", WITH_STRUCTURES)
def test_every_structure_of_a_scenario_is_a_footprint_that_nobody_stands_in(name: str) -> None:
    arena = Arena(name, n_games=4)
    sim = arena.sim
    for seed in (0, 100):
        sim.reset(seed)
        for e in range(4):
            grounded = sim.rules.types["footprint"][sim.units["kind"][e]] >= 0
            placed = sim.units["alive"][e] & grounded
            assert placed.any()
            assert (sim.games.sites["placed"][e] == placed).all()
            structures = [arena.piece(int(u), e) for u in np.flatnonzero(placed)]
            for one in structures:
                half = sim.rules.footprints["width"][one.row["footprint"]] / 2
                assert (one.x - half) % 1 == 0
                assert (one.y - half) % 1 == 0
            types = sim.rules.types[sim.units["kind"][e]]
            walkers = sim.units["alive"][e] & types["mobile"] & ~types["flying"]
            for u in np.flatnonzero(walkers):
                me = arena.piece(int(u), e)
                for one in structures:
                    gap = distance_to_polygon(*me.at, outline(one))
                    assert gap > float(me.row["inner"]) - 1e-3


def test_the_spine_crawler_of_smac_is_where_its_footprint_has_its_middle() -> None:
    """The map puts it at (13.92, 20.04); footprints of two cells are centered on corners."""
    sim = Simulator("smac/2s_vs_1sc", 3)
    crawler = sim.units["kind"][0] == sim.rows["spine_crawler"]
    assert (sim.units["x"][:, crawler] == 14.0).all()
    assert (sim.units["y"][:, crawler] == 20.0).all()


def test_walkers_go_around_the_structures_of_a_scenario_and_through_when_they_are_gone() -> None:
    arena = Arena("smac/2s_vs_1sc")
    crawler = arena.pieces(owner=2)[0]
    me = arena.pieces(owner=1)[0]
    arena.own_rules().types["n_weapons"][me.kind] = 0
    for one in arena.pieces():
        one.set(hp=1e6, hp_max=1e6)
    me.put(14.0, 16.5)
    me.move(14.0, 23.5)
    nearest = 9.0
    for _ in range(80):
        arena.run(1)
        nearest = min(nearest, distance_to_polygon(*me.at, outline(crawler)))
    assert me.distance(14.0, 23.5) < 0.1
    assert nearest > float(me.row["inner"]) - 1e-3
    crawler.set(hp=0.0)
    arena.run(9)
    assert not arena.sim.games.blocked.any()
    me.put(14.0, 16.5)
    me.move(14.0, 23.5)
    # 7 cells at 2.9531 a second of 16 ticks.
    arena.run(40)
    assert me.distance(14.0, 23.5) < 0.1
    assert abs(me.x - 14.0) < 1e-6


def test_structures_make_room_for_each_other_and_for_who_cannot_move() -> None:
    scenario = on_terrain(flat(48, 48), "lotv-4.10").sim.scenario
    groups = (
        Group("enemy", (24.0, 24.0), {"siege_tank_sieged": 1, "bunker": 4}, False, None),
        Group("ally", (24.0, 24.0), {"missile_turret": 4, "marine": 4}, False, None),
    )
    sim = Simulator(replace(scenario, groups=groups))
    placed = np.flatnonzero(sim.games.sites["placed"][0])
    assert len(placed) == 8
    shapes = sim.rules.footprints["width"][sim.games.sites["footprint"][0, placed]]
    assert (sim.games.taken[0] > 0).sum() == (shapes**2).sum()  # none stands in another
    tank = sim.units["kind"][0] == sim.rows["siege_tank_sieged"]
    assert (sim.units["x"][0, tank], sim.units["y"][0, tank]) == (24.0, 24.0)
    assert (abs(sim.units["x"][0, placed] - 24.0) < 9).all()


def test_a_battle_without_ground_for_its_structures_is_refused() -> None:
    walkable = np.zeros((16, 16), np.bool_)
    walkable[6:10, 6:10] = True
    scenario = on_terrain(flat(16, 16, walkable=walkable), "lotv-4.10").sim.scenario
    group = Group("ally", (8.0, 8.0), {"command_center": 1}, False, None)
    with pytest.raises(EngineError, match="no flat, free ground for a structure"):
        Simulator(replace(scenario, groups=(group,)))


def test_a_stalker_and_a_crawler_of_equal_range_are_in_range_of_each_other() -> None:
    """Ranges count by the radius, although the outline of a crawler is an eighth outside of it."""
    arena = Arena("smac/2s_vs_1sc")
    me, crawler = arena.pieces(owner=1)[0], arena.pieces(owner=2)[0]
    reach = 6.0 + float(me.row["radius"] + crawler.row["radius"])
    me.put(14.0, 20.0 - reach - 0.1)
    me.attack(crawler)
    x, y = me.at
    assert arena.run(24, until=lambda: bool(arena.shots_of(me)))
    assert 0.05 < me.distance(x, y) < 0.4


def test_a_bunker_on_the_grid_takes_in_who_stands_around_it() -> None:
    arena = Arena("skills/bunker_hold")
    bunker, *crew = (arena.piece(u) for u in range(5))
    for k, one in enumerate(crew):
        assert bunker.use("load_bunker", on=one, queued=k > 0) == "Success"
    assert arena.run(200, until=lambda: all(one.inside == bunker.slot for one in crew))
