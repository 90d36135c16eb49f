"""Debug commands: what each of them does to the game, and that none of them breaks it."""

import math
import threading
from typing import Any

import pytest
from s2clientprotocol import common_pb2, debug_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.server import disturbance
from terrarium.server.session import ENDED, Session
from terrarium.server.translate.ids import api_tag
from tests.server.asking import ask, in_game
from tests.server.commanding import Client

MARINE, ZERGLING = 48, 105


@pytest.fixture
def session() -> Session:
    return in_game(map_path="Flat32.SC2Map")


def send(session: Session, *commands: dict[str, Any], loops: int = 1) -> api.Response:
    request = api.RequestDebug()
    for command in commands:
        request.debug.add(**command)
    answer = ask(session, debug=request)
    assert answer.HasField("debug"), answer
    return ask(session, step=api.RequestStep(count=loops)) if loops else answer


def living(session: Session, unit: str, owner: int) -> list[int]:
    units = session.playing.sim.units[0]
    row = session.playing.sim.rows[unit]
    chosen = units["alive"] & (units["kind"] == row) & (units["owner"] == owner)
    return [int(tag) for tag in units["tag"][chosen]]


def creation_of(unit: int, owner: int, quantity: int = 1, x: float = 16.0) -> dict[str, Any]:
    place = common_pb2.Point2D(x=x, y=16.0)
    made = debug_pb2.DebugCreateUnit(unit_type=unit, owner=owner, pos=place, quantity=quantity)
    return {"create_unit": made}


def test_units_are_created_changed_and_killed(session: Session) -> None:
    send(session, creation_of(MARINE, 1, 2), creation_of(ZERGLING, 2, x=4.0))
    marines = living(session, "marine", 1)
    assert len(marines) == 2
    assert len(living(session, "zergling", 2)) == 1
    value = debug_pb2.DebugSetUnitValue(
        unit_value=debug_pb2.DebugSetUnitValue.Life, value=5, unit_tag=api_tag(marines[0])
    )
    send(session, {"unit_value": value}, loops=2)
    units = session.playing.sim.units[0]
    assert float(units["hp"][units["tag"] == marines[0]][0]) == 5.0
    send(session, {"kill_unit": debug_pb2.DebugKillUnit(tag=[api_tag(tag) for tag in marines])})
    assert not living(session, "marine", 1)
    send(session, {"kill_unit": debug_pb2.DebugKillUnit()})


def test_every_game_state_can_be_switched(session: Session) -> None:
    game = session.playing
    for state in debug_pb2.DebugGameState.values():
        before = game.sim.players[0, 1].tobytes()
        send(session, {"game_state": state}, loops=0)
        assert game.sim.players[0, 1].tobytes() == before  # it counts with the next step
        ask(session, step=api.RequestStep(count=1))
        assert game.sim.players[0, 1].tobytes() != before


def test_resources_are_given(session: Session) -> None:
    send(session, {"game_state": debug_pb2.all_resources}, {"game_state": debug_pb2.gas})
    purse = session.playing.sim.players[0, 1]
    assert (float(purse["minerals"]), float(purse["vespene"])) == (5050.0, 10000.0)


@pytest.mark.parametrize("result", [api.Defeat, api.Victory])
def test_a_game_is_ended_by_command(session: Session, result: int) -> None:
    ends = debug_pb2.DebugEndGame
    how = ends.DeclareVictory if result == api.Victory else ends.Surrender
    assert send(session, {"end_game": ends(end_result=how)}).status == ENDED
    seen = ask(session, observation=api.RequestObservation()).observation
    assert {one.player_id: one.result for one in seen.player_result}[1] == result
    assert list(ask(session, step=api.RequestStep()).error) == ["Game has already ended"]
    late = ask(session, action=api.RequestAction())
    assert list(late.error) == ["Not supported if game has already ended"]


def test_what_cannot_be_done_changes_nothing(session: Session) -> None:
    game = session.playing
    nowhere = common_pb2.Point2D(x=math.nan, y=1.0)
    far = debug_pb2.DebugCreateUnit(unit_type=MARINE, owner=1, pos=nowhere)
    value = debug_pb2.DebugSetUnitValue(
        unit_value=debug_pb2.DebugSetUnitValue.Life, value=math.nan, unit_tag=api_tag(1)
    )
    drawn = debug_pb2.DebugDraw(text=[debug_pb2.DebugText(text="here", size=8)])
    n_units = int(game.sim.games.clock["next_tag"][0, 0])
    send(
        session,
        {"create_unit": far},
        creation_of(9_999_999, 1),
        creation_of(MARINE, 14),
        {"unit_value": value},
        {"kill_unit": debug_pb2.DebugKillUnit(tag=[0, 1, 2**64 - 1])},
        {"draw": drawn},
        {"score": debug_pb2.DebugSetScore(score=5.0)},
        {},
    )
    assert int(game.sim.games.clock["next_tag"][0, 0]) == n_units


def test_the_process_is_disturbed_on_demand(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[tuple[float, Any]] = []

    class Timer:
        daemon = False

        def __init__(self, delay: float, end: Any, args: Any) -> None:
            begun.append((delay, end))

        def start(self) -> None:
            begun.append((-1.0, None))

    monkeypatch.setattr(threading, "Timer", Timer)
    kinds = debug_pb2.DebugTestProcess
    for test, end in (
        (kinds.hang, disturbance._hang),
        (kinds.crash, disturbance._crash),
        (kinds.exit, disturbance._exit),
    ):
        send(session, {"test_process": kinds(test=test, delay_ms=250)}, loops=0)
        assert begun == [(0.25, end), (-1.0, None)]
        begun.clear()


@pytest.mark.parametrize("kind", ["spell", "tumor"])
def test_what_is_free_takes_no_energy_either(kind: str) -> None:
    """As measured in the real game."""
    client = Client()
    client.game.sim.games.creep[0] += 1
    caster, ability = ("ghost", 1628) if kind == "spell" else ("queen", 1694)
    unit = client.create(caster, 30.5, 14.5)
    client.step()
    client.game.sim.units["energy"][0, client.slot(unit)] = 0.0
    assert client.tell(ability, unit, at=(33.0, 14.0)) == "NotEnoughEnergy"
    send(client.session, {"game_state": debug_pb2.free})
    assert ability in client.offers(unit)
    assert client.tell(ability, unit, at=(33.0, 14.0)) == "Success"
    seen = client.step(20)
    assert not seen.action_errors
    assert 0.0 <= client.unit(unit)["energy"] < 2.0
    if kind == "tumor":
        assert client.tags("creep_tumor_queen")
