"""Games that run by themselves."""

import time

import pytest
from s2clientprotocol import sc2api_pb2 as api

from terrarium.server import realtime
from terrarium.server.session import ENDED, LAUNCHED
from tests.server.asking import ask, in_game


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred times as fast as the game: nobody waits here."""
    monkeypatch.setattr(realtime, "LOOPS_PER_SECOND", 2240.0)


def test_an_observation_comes_when_its_loop_has_come() -> None:
    session = in_game(realtime=True)
    assert "realtime" in ask(session, step=api.RequestStep(count=1)).error[0]
    for loop in (3, 3, 20):
        request = api.RequestObservation(game_loop=loop)
        seen = ask(session, observation=request).observation.observation
        assert seen.game_loop >= loop
    ask(session, leave_game=api.RequestLeaveGame())


def test_a_client_that_is_gone_waits_for_nothing() -> None:
    session = in_game(realtime=True)
    session.has_client = lambda: False
    answer = ask(session, observation=api.RequestObservation(game_loop=10**6))
    assert list(answer.error) == ["the client has gone"]
    assert ask(session, leave_game=api.RequestLeaveGame()).status == LAUNCHED


def test_the_end_of_a_game_ends_the_waiting() -> None:
    session = in_game(realtime=True)
    request = api.RequestDebug()
    request.debug.add().end_game.SetInParent()
    ask(session, debug=request)
    answer = ask(session, observation=api.RequestObservation(game_loop=10**6))
    assert answer.status == ENDED
    assert answer.observation.player_result


def test_a_game_that_was_left_stands_still_and_a_restarted_one_goes_on() -> None:
    session = in_game(realtime=True)
    ask(session, observation=api.RequestObservation(game_loop=5))
    assert not ask(session, restart_game=api.RequestRestartGame()).restart_game.HasField("error")
    ask(session, observation=api.RequestObservation(game_loop=5))
    game = session.playing
    ask(session, leave_game=api.RequestLeaveGame())
    loop, until = game.loop, time.monotonic() + 0.05
    while time.monotonic() < until:
        assert game.loop == loop
