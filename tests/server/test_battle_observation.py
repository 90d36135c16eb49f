"""SMAC's maps through the API: who is there, and as what."""

import pytest
from s2clientprotocol import raw_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.data.battles.scenarios import load_scenario
from terrarium.server.game_plan import GamePlan, ServedMap
from terrarium.server.live_game import LiveGame
from terrarium.server.seats import GameSeat
from terrarium.server.translate.game_info import fill_game_info
from terrarium.server.translate.observation.response import fill_observation


def battle(name: str) -> LiveGame:
    served = ServedMap(name, f"SMAC_Maps/{name}.SC2Map", load_scenario(f"smac/{name}"))
    seats = (GameSeat(api.Participant), GameSeat(api.Computer))
    return LiveGame(GamePlan(served, seats, seed=1), 1, api.InterfaceOptions(raw=True))


def seen(game: LiveGame) -> list[raw_pb2.Unit]:
    response = api.ResponseObservation()
    fill_observation(game, api.RequestObservation(), response)
    return list(response.observation.raw_data.units)


@pytest.mark.parametrize(
    ("name", "types"),
    [
        ("3m", {2005}),
        ("MMM", {2005, 2006, 2007}),
        ("2s3z", {2005, 2006}),
        ("2m_vs_1z", {2005}),
        ("bane_vs_bane", {2005, 2006}),
        ("1c3s5z", {2005, 2006, 2007}),
    ],
)
def test_agents_are_of_types_of_their_own_one_behind_the_other(name: str, types: set[int]) -> None:
    units = seen(battle(name))
    assert {unit.unit_type for unit in units if unit.owner == 1} == types
    assert all(unit.unit_type < 2005 for unit in units if unit.owner == 2)


def test_both_sides_are_seen_with_their_life() -> None:
    units = seen(battle("2s3z"))
    for owner in (1, 2):
        mine = [unit for unit in units if unit.owner == owner]
        assert len(mine) == 5
        assert {(u.health, u.health_max, u.shield, u.shield_max) for u in mine} == {
            (80.0, 80.0, 80.0, 80.0),
            (100.0, 100.0, 50.0, 50.0),
        }
    assert {unit.display_type for unit in units} == {raw_pb2.Visible}


def test_the_dead_are_not_listed() -> None:
    game = battle("3m")
    game.sim.units["hp"][0, 0] = 0.0
    first = seen(game)[0].tag
    game.step(1)
    response = api.ResponseObservation()
    fill_observation(game, api.RequestObservation(), response)
    assert len(response.observation.raw_data.units) == 5
    assert list(response.observation.raw_data.event.dead_units) == [first]


def test_the_map_is_told_as_smac_reads_it() -> None:
    info = api.ResponseGameInfo()
    fill_game_info(battle("3m"), info)
    start = info.start_raw
    assert (start.map_size.x, start.map_size.y) == (32, 32)
    assert 8 * len(start.pathing_grid.data) == len(start.terrain_height.data) == 32 * 32
    area = start.playable_area
    assert 0 <= area.p0.x < area.p1.x <= 32
