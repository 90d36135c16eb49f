"""The status machine: every message gets an answer that says where the game is."""

from hypothesis import given
from hypothesis import strategies as st
from s2clientprotocol import sc2api_pb2 as api

from terrarium.server.requests import RULES
from terrarium.server.session import IN_GAME, LAUNCHED, NO_GAME, QUIT, Rule, Session


def ask(session: Session, request: api.Request) -> api.Response:
    return api.Response.FromString(session.answer(request.SerializeToString()))


def test_a_ping_tells_the_version_and_echoes_the_number() -> None:
    response = ask(Session(RULES), api.Request(ping=api.RequestPing(), id=7))
    assert (response.id, response.status) == (7, LAUNCHED)
    assert response.ping.base_build == 75689
    assert response.ping.game_version.startswith("4.10")
    assert not response.error


def test_a_request_in_the_wrong_status_is_refused_and_changes_nothing() -> None:
    called = []
    rule = Rule(lambda session, request, response: called.append(1), frozenset({IN_GAME}))
    session = Session({**RULES, "step": rule})
    response = ask(session, api.Request(step=api.RequestStep(count=1)))
    assert list(response.error) == [NO_GAME]
    assert not response.HasField("step")
    assert (session.status, called) == (LAUNCHED, [])
    session.status = IN_GAME
    assert ask(session, api.Request(step=api.RequestStep(count=1))).HasField("step")


def test_quit_is_answered() -> None:
    response = ask(Session(RULES), api.Request(quit=api.RequestQuit()))
    assert response.HasField("quit")
    assert response.status == QUIT


@given(st.binary(max_size=200))
def test_no_message_breaks_the_session(data: bytes) -> None:
    session = Session({"ping": RULES["ping"]})
    response = api.Response.FromString(session.answer(data))
    assert response.status == LAUNCHED
    assert response.error or response.HasField("ping")
