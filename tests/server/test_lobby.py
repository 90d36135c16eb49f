"""Creating, joining, restarting and leaving a game; what clients are told that ask for too much."""

from typing import Any

import pytest
from s2clientprotocol import common_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.server.maps.stubs import stub
from terrarium.server.requests import RULES
from terrarium.server.session import (
    ENDED,
    IN_GAME,
    INIT_GAME,
    LAUNCHED,
    NO_GAME,
    NOT_CREATED,
    Session,
)
from tests.server.asking import RAW, ask, creation, in_game

TERRAN = common_pb2.Terran


def join(session: Session, **how: Any) -> api.Response:
    return ask(session, join_game=api.RequestJoinGame(**({"options": RAW} | how)))


def test_a_game_is_created_joined_stepped_and_left() -> None:
    session = Session(RULES)
    assert ask(session, create_game=creation()).status == INIT_GAME
    joined = join(session, race=TERRAN)
    assert (joined.status, joined.join_game.player_id) == (IN_GAME, 1)
    assert ask(session, observation=api.RequestObservation()).observation.observation.game_loop == 0
    assert ask(session, step=api.RequestStep(count=3)).step.simulation_loop == 3
    assert ask(session, step=api.RequestStep()).step.simulation_loop == 4
    assert ask(session, leave_game=api.RequestLeaveGame()).status == LAUNCHED
    assert list(ask(session, step=api.RequestStep()).error) == [NO_GAME]


def create(**fields: Any) -> api.RequestCreateGame:
    request = api.RequestCreateGame()
    request.local_map.map_path = "Flat32.SC2Map"
    request.player_setup.add(type=api.Participant)
    for name, value in fields.items():
        if value is None:
            request.ClearField(name)  # type: ignore[arg-type]  # a name out of the parameters
        elif name == "player_setup":
            del request.player_setup[:]
            request.player_setup.extend(value)
        else:
            request.MergeFrom(api.RequestCreateGame(**{name: value}))
    return request


CODES = api.ResponseCreateGame
COMPUTER = api.PlayerSetup(type=api.Computer, race=TERRAN, difficulty=api.Easy)


@pytest.mark.parametrize(
    ("request_", "error"),
    [
        (api.RequestCreateGame(), CODES.MissingMap),
        (create(local_map=None), CODES.MissingMap),
        (create(local_map=api.LocalMap(map_path="Nowhere.SC2Map")), CODES.InvalidMapPath),
        (
            create(local_map=api.LocalMap(map_path="No", map_data=b"MPQ")),
            CODES.InvalidMapData,
        ),
        (create(local_map=api.LocalMap(map_path="long" * 999)), CODES.InvalidMapPath),
        (create(local_map=None, battlenet_map_name="Nowhere LE"), CODES.InvalidMapName),
        (create(player_setup=None), CODES.MissingPlayerSetup),
        (create(player_setup=[api.PlayerSetup()]), CODES.InvalidPlayerSetup),
        (create(player_setup=[COMPUTER, COMPUTER]), CODES.InvalidPlayerSetup),
        (create(player_setup=[api.PlayerSetup(type=api.Observer)]), CODES.InvalidPlayerSetup),
        (create(player_setup=[COMPUTER] * 17), CODES.InvalidPlayerSetup),
        (
            create(
                local_map=api.LocalMap(map_path="SMAC_Maps/3m.SC2Map"),
                player_setup=[api.PlayerSetup(type=api.Participant)] * 2,
            ),
            CODES.MultiplayerUnsupported,
        ),
    ],
)
def test_a_game_that_cannot_be_made_is_refused_by_the_protocols_own_error(
    request_: api.RequestCreateGame, error: int
) -> None:
    session = Session(RULES)
    response = ask(session, create_game=request_)
    assert response.create_game.error == error
    assert response.status == LAUNCHED
    if error == CODES.InvalidMapPath:
        assert response.create_game.error_details == "map_path file doesn't exist."
    assert list(join(session, race=TERRAN).error) == [NOT_CREATED]


def test_a_game_that_is_created_takes_the_place_of_the_one_before() -> None:
    session = in_game()
    request = create(player_setup=[api.PlayerSetup(type=api.Participant), COMPUTER, COMPUTER])
    assert ask(session, create_game=request).status == INIT_GAME
    assert list(ask(session, step=api.RequestStep()).error) == [NO_GAME]
    join(session, race=TERRAN)
    assert len(session.playing.seats) == 2  # there is room for no more


def test_a_join_that_is_not_complete_is_refused() -> None:
    codes = api.ResponseJoinGame
    session = Session(RULES)
    ask(session, create_game=creation())
    for how, error in (
        ({}, codes.MissingParticipation),
        ({"race": TERRAN, "options": None}, codes.MissingOptions),
        ({"observed_player_id": 3}, codes.InvalidObservedPlayerId),
        ({"observed_player_id": 1}, codes.GameFull),
    ):
        answer = join(session, **how)
        assert answer.join_game.error == error
        assert answer.status == INIT_GAME
    assert join(session, race=TERRAN).status == IN_GAME


@pytest.mark.parametrize("picture", ["feature_layer", "render"])
def test_who_wants_to_see_pictures_is_told_that_there_are_none(picture: str) -> None:
    session = Session(RULES)
    ask(session, create_game=creation())
    options = api.InterfaceOptions(raw=True)
    setup = getattr(options, picture)
    setup.resolution.x = setup.resolution.y = 64
    assert join(session, race=TERRAN, options=options).status == IN_GAME
    answer = ask(session, game_info=api.RequestGameInfo())
    assert "are not served: join with options.raw alone" in answer.error[0]
    assert answer.status == IN_GAME


def test_an_observer_watches_two_computers() -> None:
    session = Session(RULES)
    seats = [api.PlayerSetup(type=api.Observer), COMPUTER, COMPUTER]
    ask(session, create_game=create(player_setup=seats))
    assert join(session, race=TERRAN).join_game.error == api.ResponseJoinGame.GameFull
    joined = join(session, observed_player_id=0)
    assert (joined.join_game.player_id, joined.status) == (3, IN_GAME)
    assert ask(session, step=api.RequestStep(count=8)).step.simulation_loop == 8
    assert ask(session, action=api.RequestAction()).error
    assert ask(session, debug=api.RequestDebug()).error
    request = api.RequestObserverAction()
    request.actions.add().camera_move.world_pos.x = 5.0
    request.actions.add().player_perspective.player_id = 2
    assert ask(session, obs_action=request).HasField("obs_action")
    assert (session.playing.camera, session.playing.player) == ((5.0, 0.0), 2)


def test_a_game_begins_again_with_the_same_seed() -> None:
    session = in_game()
    ask(session, step=api.RequestStep(count=40))
    first = session.playing.sim.digest()
    answer = ask(session, restart_game=api.RequestRestartGame())
    assert (answer.status, answer.restart_game.need_hard_reset) == (IN_GAME, False)
    assert session.playing.loop == 0
    ask(session, step=api.RequestStep(count=40))
    assert session.playing.sim.digest() == first


def test_who_has_no_opponent_wins_at_once() -> None:
    session = Session(RULES)
    ask(session, create_game=create())
    join(session, race=TERRAN)
    assert ask(session, step=api.RequestStep(count=8)).status == ENDED
    seen = ask(session, observation=api.RequestObservation()).observation
    assert [(one.player_id, one.result) for one in seen.player_result] == [(1, api.Victory)]


def test_maps_are_listed_and_kept() -> None:
    session = Session(RULES)
    maps = ask(session, available_maps=api.RequestAvailableMaps()).available_maps
    assert "SMAC_Maps/3m.SC2Map" in maps.local_map_paths
    assert "simple_64" in maps.battlenet_map_names
    stored = api.RequestSaveMap(map_path="Own.SC2Map", map_data=stub("Flat32").encode())
    assert not ask(session, save_map=stored).save_map.HasField("error")
    for data in (b"", b"MPQ"):
        wrong = api.RequestSaveMap(map_path="Other.SC2Map", map_data=data)
        answer = ask(session, save_map=wrong)
        assert answer.save_map.error == api.ResponseSaveMap.InvalidMapData
    maps = ask(session, available_maps=api.RequestAvailableMaps()).available_maps
    assert "Own.SC2Map" in maps.local_map_paths
    named = create(local_map=None, battlenet_map_name="simple_64")
    assert ask(session, create_game=named).status == INIT_GAME


def test_maps_have_no_triggers_to_ask_for() -> None:
    session = in_game()
    answer = ask(session, map_command=api.RequestMapCommand(trigger_cmd="go"))
    assert answer.map_command.error == api.ResponseMapCommand.NoTriggerError


def test_a_game_goes_the_same_way_whatever_steps_its_client_makes() -> None:
    sessions = [in_game(), in_game()]
    for session, step in zip(sessions, (1, 80), strict=True):
        while session.playing.loop < 400:
            ask(session, step=api.RequestStep(count=step))
    assert sessions[0].playing.sim.digest() == sessions[1].playing.sim.digest()
