"""SMAC's maps through the API: who is there, and as what."""

import pytest
from s2clientprotocol import debug_pb2, error_pb2, raw_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.data.battles.scenarios import load_scenario
from terrarium.server.game_plan import GamePlan, ServedMap
from terrarium.server.live_game import LiveGame
from terrarium.server.seats import GameSeat
from terrarium.server.translate.actions import take_actions
from terrarium.server.translate.debug import take_debug
from terrarium.server.translate.game_info import fill_game_info
from terrarium.server.translate.observation.response import fill_observation

RAW = api.InterfaceOptions(raw=True)


def battle(name: str, options: api.InterfaceOptions = RAW) -> LiveGame:
    served = ServedMap(name, f"SMAC_Maps/{name}.SC2Map", load_scenario(f"smac/{name}"))
    seats = (GameSeat(api.Participant), GameSeat(api.Computer))
    return LiveGame(GamePlan(served, seats, seed=1), 1, options)


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


def test_what_is_shown_and_what_is_ordered_count_from_one_corner() -> None:
    cropped = api.InterfaceOptions(raw=True, raw_crop_to_playable_area=True)
    whole, part = battle("corridor"), battle("corridor", cropped)
    info = api.ResponseGameInfo()
    fill_game_info(whole, info)
    corner = info.start_raw.playable_area.p0
    assert corner.x > 0
    agent, there = seen(whole)[0], seen(part)[0]
    assert (there.pos.x, there.pos.y) == (agent.pos.x - corner.x, agent.pos.y - corner.y)
    request, answer = api.RequestAction(), api.ResponseAction()
    command = request.actions.add().action_raw.unit_command
    command.ability_id, command.unit_tags[:] = 16, [there.tag]
    command.target_world_space_pos.x = there.pos.x
    command.target_world_space_pos.y = there.pos.y + 2.0
    take_actions(part, request, answer)
    assert list(answer.result) == [error_pb2.Success]
    part.step(1)
    goal = part.sim.games.orders[0, 0, 0]
    assert (goal["x"], goal["y"]) == pytest.approx((agent.pos.x, agent.pos.y + 2.0), abs=1e-3)


def looked(game: LiveGame) -> api.Observation:
    response = api.ResponseObservation()
    fill_observation(game, api.RequestObservation(), response)
    return response.observation


def kill_all(game: LiveGame) -> None:
    tags = [unit.tag for unit in looked(game).raw_data.units]
    kill = debug_pb2.DebugCommand(kill_unit=debug_pb2.DebugKillUnit(tag=tags))
    take_debug(game, api.RequestDebug(debug=[kill]))


@pytest.mark.parametrize("n_looks", [1, 2])
def test_each_battle_has_tags_of_its_own_and_the_dead_of_the_last_one_are_told_once(
    n_looks: int,
) -> None:
    game = battle("3m")
    before = {unit.tag for unit in looked(game).raw_data.units}
    kill_all(game)
    dead: list[int] = []
    for n_loops in (2,) if n_looks == 1 else (1, 2):
        game.step(n_loops)
        now = looked(game).raw_data
        dead += now.event.dead_units
    for _ in range(3):
        if not now.units:
            game.step(2)
            now = looked(game).raw_data
            dead += now.event.dead_units
    after = {unit.tag for unit in now.units}
    assert len(after) == len(before) == 6
    assert not after & before
    assert sorted(dead) == sorted(before)


def test_units_of_a_later_battle_are_named_by_their_new_tags() -> None:
    game = battle("3m")
    old = next(unit for unit in seen(game) if unit.owner == 1)
    kill_all(game)
    game.step(2)
    game.step(2)
    new = next(unit for unit in seen(game) if unit.owner == 1)
    assert old.tag != new.tag
    results = []
    for unit in (old, new):
        action = api.Action()
        command = action.action_raw.unit_command
        command.ability_id, command.unit_tags[:] = 16, [unit.tag]
        command.target_world_space_pos.x = new.pos.x + 5
        command.target_world_space_pos.y = new.pos.y
        response = api.ResponseAction()
        take_actions(game, api.RequestAction(actions=[action]), response)
        results += response.result
    assert [result == error_pb2.Success for result in results] == [False, True]
    game.step(8)
    moved = next(unit for unit in seen(game) if unit.tag == new.tag)
    assert moved.pos.x > new.pos.x
    assert [order.ability_id for order in moved.orders] == [16]
    kill_all(game)
    game.step(1)
    assert new.tag in looked(game).raw_data.event.dead_units
