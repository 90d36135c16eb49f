"""Creating, joining and leaving a game."""

from s2clientprotocol import sc2api_pb2 as api

from terrarium.server.requests import RULES
from terrarium.server.session import IN_GAME, INIT_GAME, LAUNCHED, NOT_CREATED, Session
from tests.server.asking import RAW, ask, creation, in_game


def test_a_game_is_created_joined_stepped_and_left() -> None:
    session = Session(RULES)
    assert ask(session, create_game=creation()).status == INIT_GAME
    joined = ask(session, join_game=api.RequestJoinGame(race=1, options=RAW))
    assert (joined.status, joined.join_game.player_id) == (IN_GAME, 1)
    assert ask(session, observation=api.RequestObservation()).observation.observation.game_loop == 0
    assert ask(session, step=api.RequestStep(count=3)).step.simulation_loop == 3
    assert ask(session, leave_game=api.RequestLeaveGame()).status == LAUNCHED


def test_a_game_that_cannot_be_made_is_refused_by_the_protocols_own_error() -> None:
    session = Session(RULES)
    response = ask(session, create_game=api.RequestCreateGame())
    assert response.create_game.error == api.ResponseCreateGame.MissingMap
    response = ask(session, create_game=creation(map_path="Nowhere.SC2Map"))
    assert response.create_game.error == api.ResponseCreateGame.InvalidMapPath
    assert response.create_game.error_details == "map_path file doesn't exist."
    assert response.status == LAUNCHED
    assert list(ask(session, join_game=api.RequestJoinGame(race=1, options=RAW)).error) == [
        NOT_CREATED
    ]


def test_a_game_goes_the_same_way_whatever_steps_its_client_makes() -> None:
    sessions = [in_game(), in_game()]
    for session, step in zip(sessions, (1, 80), strict=True):
        while session.playing.loop < 400:
            ask(session, step=api.RequestStep(count=step))
    assert sessions[0].playing.sim.digest() == sessions[1].playing.sim.digest()
