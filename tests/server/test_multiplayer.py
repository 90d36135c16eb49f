"""Games between clients of two servers: they find each other, and play the same game."""

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from s2clientprotocol import common_pb2, debug_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.server.multiplayer import lockstep
from terrarium.server.requests import RULES
from terrarium.server.session import ENDED, IN_GAME, INIT_GAME, LAUNCHED, QUIT, Session
from tests.server.asking import RAW, ask

SEATS = (api.Participant, api.Participant)
PATIENCE = 60
"""seconds that no answer needs; a test that waits longer has failed"""


@pytest.fixture
def port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who leaves waits for others who never will, in some of these tests."""
    monkeypatch.setattr(lockstep, "LEAVE_SECONDS", 0.2)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as executor:
        yield executor


def creation(*types: int, **options: Any) -> api.RequestCreateGame:
    request = api.RequestCreateGame(
        local_map=api.LocalMap(map_path="Flat32.SC2Map"), random_seed=3, **options
    )
    for kind in types:
        request.player_setup.add(type=kind)
    return request


def joining(port: int, **how: Any) -> api.RequestJoinGame:
    request = api.RequestJoinGame(options=RAW, **(how or {"race": common_pb2.Terran}))
    request.server_ports.game_port, request.server_ports.base_port = port, port + 1
    request.client_ports.add(game_port=port + 2, base_port=port + 3)
    return request


def begin(
    pool: ThreadPoolExecutor, port: int, *types: int, second: Any = None, **options: Any
) -> tuple[Session, Session]:
    """Two servers in one game; the second one joins before it is hosted."""
    host, other = Session(RULES), Session(RULES)
    theirs = second or {"race": common_pb2.Zerg, "player_name": "second"}
    joined = pool.submit(ask, other, join_game=joining(port, **theirs))
    assert ask(host, create_game=creation(*types, **options)).status == INIT_GAME
    first = ask(host, join_game=joining(port))
    assert (first.join_game.player_id, first.status) == (1, IN_GAME), first
    answer = joined.result(PATIENCE)
    assert (answer.join_game.player_id, answer.status) == (2, IN_GAME), answer
    return host, other


def step(session: Session, count: int) -> api.Response:
    return ask(session, step=api.RequestStep(count=count))


def play(session: Session, count: int, until: int) -> int:
    while session.playing.loop < until and session.status == IN_GAME:
        step(session, count)
    return session.playing.loop


def test_two_servers_play_the_same_game_with_steps_of_different_lengths(
    port: int, pool: ThreadPoolExecutor
) -> None:
    sessions = begin(pool, port, *SEATS)
    assert [seat.name for seat in sessions[0].playing.seats] == ["", "second"]
    plays = [
        pool.submit(play, session, count, 84)
        for session, count in zip(sessions, (4, 7), strict=True)
    ]
    assert [done.result(PATIENCE) for done in plays] == [84, 84]
    digests = {session.playing.sim.digest() for session in sessions}
    assert len(digests) == 1


def test_what_one_puts_in_counts_in_both_games_one_loop_later(
    port: int, pool: ThreadPoolExecutor
) -> None:
    host, other = begin(pool, port, *SEATS)
    request = api.RequestDebug()
    request.debug.add(game_state=debug_pb2.minerals)
    ask(other, debug=request)
    minerals = []
    for _ in range(2):
        done = [pool.submit(step, session, 1) for session in (host, other)]
        assert [one.result(PATIENCE).status for one in done] == [IN_GAME, IN_GAME]
        minerals.append([float(s.playing.sim.players["minerals"][0, 2]) for s in (host, other)])
    assert minerals[0] == [50.0, 50.0]
    assert minerals[1] == [5050.0, 5050.0]
    chat = api.RequestAction()
    chat.actions.add().action_chat.message = "glhf"
    ask(host, action=chat)
    for _ in range(2):
        done = [pool.submit(step, session, 1) for session in (host, other)]
        assert [one.result(PATIENCE).status for one in done] == [IN_GAME, IN_GAME]
    for session in (host, other):
        said = ask(session, observation=api.RequestObservation()).observation.chat
        assert [(one.player_id, one.message) for one in said] == [(1, "glhf")]


def results(session: Session) -> dict[int, int]:
    seen = ask(session, observation=api.RequestObservation()).observation
    return {one.player_id: one.result for one in seen.player_result}


@pytest.mark.parametrize("leaver", [0, 1])
def test_who_leaves_has_lost_and_the_other_one_wins(
    port: int, pool: ThreadPoolExecutor, leaver: int
) -> None:
    sessions = begin(pool, port, *SEATS)
    waits = pool.submit(step, sessions[1 - leaver], 8)
    assert ask(sessions[leaver], leave_game=api.RequestLeaveGame()).status == LAUNCHED
    assert waits.result(PATIENCE).status == ENDED
    assert results(sessions[1 - leaver]) == {leaver + 1: api.Defeat, 2 - leaver: api.Victory}


def test_who_has_left_can_still_have_the_replay(port: int, pool: ThreadPoolExecutor) -> None:
    host, other = begin(pool, port, *SEATS)
    done = [pool.submit(step, session, 4) for session in (host, other)]
    assert [one.result(PATIENCE).status for one in done] == [IN_GAME, IN_GAME]
    left = [pool.submit(ask, s, leave_game=api.RequestLeaveGame()) for s in (host, other)]
    assert [one.result(PATIENCE).status for one in left] == [LAUNCHED, LAUNCHED]
    data = [ask(s, save_replay=api.RequestSaveReplay()).save_replay.data for s in (host, other)]
    assert data[0] == data[1] != b""
    ends = [pool.submit(ask, session, quit=api.RequestQuit()) for session in (host, other)]
    assert [one.result(PATIENCE).status for one in ends] == [QUIT, QUIT]


def test_both_have_the_result_of_a_surrender(port: int, pool: ThreadPoolExecutor) -> None:
    host, other = begin(pool, port, *SEATS)
    request = api.RequestDebug()
    request.debug.add(end_game=debug_pb2.DebugEndGame())
    ask(other, debug=request)
    done = [pool.submit(step, host, 4), pool.submit(step, other, 8)]
    assert [one.result(PATIENCE).status for one in done] == [ENDED, ENDED]
    for session in (host, other):
        assert results(session) == {1: api.Victory, 2: api.Defeat}


def test_an_observer_and_computers_take_part(port: int, pool: ThreadPoolExecutor) -> None:
    types = (api.Observer, api.Participant, api.Computer)
    host, other = Session(RULES), Session(RULES)
    joined = pool.submit(ask, other, join_game=joining(port, observed_player_id=1))
    ask(host, create_game=creation(*types))
    assert ask(host, join_game=joining(port)).join_game.player_id == 1
    assert joined.result(PATIENCE).join_game.player_id == 3
    plays = [pool.submit(play, session, 16, 96) for session in (host, other)]
    assert [done.result(PATIENCE) for done in plays] == [96, 96]
    assert host.playing.sim.digest() == other.playing.sim.digest()
    refused = ask(other, action=api.RequestAction())
    assert list(refused.error) == ["observers have no actions"]


def test_a_game_of_three_goes_on_when_one_is_out(port: int, pool: ThreadPoolExecutor) -> None:
    """Also without the host, by whose server the others know each other."""
    host, second, third = sessions = [Session(RULES) for _ in range(3)]
    create = creation(*[api.Participant] * 3)
    create.local_map.map_path = "ladder_four/1"
    assert ask(host, create_game=create).status == INIT_GAME
    joined = [pool.submit(ask, session, join_game=joining(port)) for session in sessions]
    assert {done.result(PATIENCE).join_game.player_id for done in joined} == {1, 2, 3}
    request = api.RequestDebug()
    request.debug.add(end_game=debug_pb2.DebugEndGame())
    ask(host, debug=request)
    for _ in range(2):
        steps = [pool.submit(step, session, 8) for session in sessions if session.status == IN_GAME]
        assert not any(done.result(PATIENCE).error for done in steps)
    assert host.status == ENDED
    assert list(results(host).values()) == [api.Defeat]
    assert (second.playing.loop, third.playing.loop) == (16, 16)
    assert results(second) == {}
    ask(host, leave_game=api.RequestLeaveGame())
    assert ask(second, leave_game=api.RequestLeaveGame()).status == LAUNCHED
    assert step(third, 8).status == ENDED
    assert results(third)[third.playing.player] == api.Victory


def test_games_that_differ_are_noticed(port: int, pool: ThreadPoolExecutor) -> None:
    host, other = begin(pool, port, *SEATS)
    other.playing.sim.players["minerals"][0, 1] += 1.0
    done = [pool.submit(step, session, 230) for session in (host, other)]
    for one in done:
        one.result(PATIENCE)
    done = [pool.submit(step, session, 10) for session in (host, other)]
    errors = [list(one.result(PATIENCE).error) for one in done]
    assert any("do not agree" in error for answer in errors for error in answer)


def test_a_client_that_goes_away_while_it_waits_leaves_the_server_as_it_was(port: int) -> None:
    session = Session(RULES)
    gone = threading.Event()
    session.has_client = lambda: not gone.is_set()
    threading.Timer(0.2, gone.set).start()
    assert ask(session, join_game=joining(port)).error
    assert session.status == LAUNCHED
    ask(session, create_game=creation(*SEATS))
    answer = ask(session, join_game=joining(port))
    assert answer.error
    assert answer.status == INIT_GAME


def test_ports_in_use_and_other_hosts_are_refused(port: int) -> None:
    session = Session(RULES)
    ask(session, create_game=creation(*SEATS))
    assert ask(session, join_game=api.RequestJoinGame(options=RAW, race=1)).join_game.error == (
        api.ResponseJoinGame.MissingPorts
    )
    with socket.create_server(("127.0.0.1", port)):
        answer = ask(session, join_game=joining(port))
    assert "cannot wait for other clients" in answer.error[0]
    far = joining(port)
    far.host_ip = "192.0.2.1"
    assert "this machine only" in ask(session, join_game=far).error[0]
    assert session.status == INIT_GAME
