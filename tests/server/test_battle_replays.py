"""Replays of SMAC's battles: as many as were fought, from either side, and one to watch."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from s2clientprotocol import common_pb2, debug_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.replay.replays import BattleReplay, load_replay
from terrarium.server import input_log
from terrarium.server.requests import RULES
from terrarium.server.session import ENDED, IN_REPLAY, LAUNCHED, Session
from terrarium.server.translate.ids import api_tag
from tests.server.asking import RAW, ask
from tests.server.commanding import unit_command


def fight(map_name: str) -> Session:
    """A session in which SMAC has joined one of its maps."""
    session = Session(RULES)
    request = api.RequestCreateGame(random_seed=7)
    request.local_map.map_path = f"SMAC_Maps/{map_name}.SC2Map"
    request.player_setup.add(type=api.Participant)
    request.player_setup.add(type=api.Computer, race=common_pb2.Terran, difficulty=api.VeryHard)
    assert not ask(session, create_game=request).create_game.HasField("error")
    join = api.RequestJoinGame(race=common_pb2.Terran, options=RAW)
    assert ask(session, join_game=join).join_game.player_id == 1
    return session


def units(session: Session) -> list[tuple[int, ...]]:
    seen = ask(session, observation=api.RequestObservation()).observation
    return [
        (u.tag, u.unit_type, u.owner, round(u.health, 4), round(u.pos.x, 4), round(u.pos.y, 4))
        for u in seen.observation.raw_data.units
    ]


def attack(session: Session) -> None:
    """A step of SMAC: everybody attacks somebody."""
    seen = ask(session, observation=api.RequestObservation()).observation
    shown = seen.observation.raw_data.units
    mine = [u.tag for u in shown if u.owner == 1]
    theirs = [u.tag for u in shown if u.owner == 2]
    actions = [unit_command(23, [tag], on=theirs[0]) for tag in mine] if theirs else []
    ask(session, action=api.RequestAction(actions=actions))
    ask(session, step=api.RequestStep(count=8))


def end_battle(session: Session) -> None:
    """What SMAC does at a reset."""
    seen = ask(session, observation=api.RequestObservation()).observation
    tags = [unit.tag for unit in seen.observation.raw_data.units]
    request = api.RequestDebug()
    request.debug.add(kill_unit=debug_pb2.DebugKillUnit(tag=tags))
    ask(session, debug=request)
    ask(session, step=api.RequestStep(count=2))


def played(session: Session, n_battles: int = 2, n_steps: int = 12) -> list[list[tuple[int, ...]]]:
    looks = [units(session)]
    for k in range(n_battles):
        if k:
            end_battle(session)
            looks.append(units(session))
        for _ in range(n_steps):
            attack(session)
            looks.append(units(session))
    return looks


def save(session: Session) -> bytes:
    answer = ask(session, save_replay=api.RequestSaveReplay())
    assert not answer.error, answer.error
    return answer.save_replay.data


def start(data: bytes, **how: Any) -> tuple[Session, api.Response]:
    session = Session(RULES)
    request = api.RequestStartReplay(replay_data=data, options=RAW, **how)
    return session, ask(session, start_replay=request)


def watched(session: Session, n_battles: int, n_steps: int = 12) -> list[list[tuple[int, ...]]]:
    looks = [units(session)]
    for k in range(n_battles):
        for count in ([2] if k else []) + [8] * n_steps:
            ask(session, step=api.RequestStep(count=count))
            looks.append(units(session))
    return looks


@pytest.mark.parametrize("player", [0, 1, 2])
def test_battles_go_as_they_went_from_either_side(player: int) -> None:
    session = fight("3m")
    looks = played(session)
    again, answer = start(save(session), observed_player_id=player)
    assert answer.status == IN_REPLAY
    assert not answer.start_replay.HasField("error")
    assert watched(again, 2) == looks
    assert again.status == ENDED
    assert list(ask(again, step=api.RequestStep()).error) == ["Game has already ended"]


def test_steps_of_another_length_come_to_the_same() -> None:
    session = fight("2s3z")
    looks = played(session)
    again, _ = start(save(session), observed_player_id=1)
    while again.status != ENDED:
        ask(again, step=api.RequestStep(count=3))
    assert units(again) == looks[-1]


def test_units_that_clients_create_are_there_as_well() -> None:
    """As SMACv2 does on its empty ground."""
    session = fight("32x32_flat")
    request = api.RequestDebug()
    for owner, x in ((1, 9.0), (2, 22.0)):
        place = common_pb2.Point2D(x=x, y=16.0)
        made = debug_pb2.DebugCreateUnit(unit_type=48, owner=owner, pos=place, quantity=3)
        request.debug.add(create_unit=made)
    ask(session, debug=request)
    ask(session, step=api.RequestStep(count=1))
    for _ in range(20):
        attack(session)
    last = units(session)
    assert 0 < len(last) < 6
    again, _ = start(save(session), observed_player_id=1)
    ask(again, step=api.RequestStep(count=1000))
    assert units(again) == last


def test_actions_are_shown_again() -> None:
    session = fight("3m")
    played(session, n_battles=1, n_steps=1)
    again, _ = start(save(session), observed_player_id=1)
    ask(again, step=api.RequestStep(count=8))
    seen = ask(again, observation=api.RequestObservation()).observation
    told = [action.action_raw.unit_command for action in seen.actions]
    assert [command.ability_id for command in told] == [23] * 3
    assert {tag for command in told for tag in command.unit_tags} == {
        api_tag(tag) for tag in (1, 2, 3)
    }


def test_the_last_battle_can_be_watched_without_the_server(tmp_path: Path) -> None:
    session = fight("3m")
    played(session)
    file = tmp_path / "3m.SC2Replay"
    file.write_bytes(save(session))
    replay = load_replay(file)
    assert isinstance(replay, BattleReplay)
    assert len(replay.frames.steps) == 12
    info = ask(session, replay_info=api.RequestReplayInfo(replay_path=str(file))).replay_info
    assert info.game_duration_loops == 2 * 12 * 8 + 2
    assert [one.player_info.type for one in info.player_info] == [api.Participant, api.Computer]


def test_of_a_long_game_the_last_battles_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(input_log, "MAX_LOOPS", 250)
    session = fight("3m")
    looks = played(session, n_battles=4)
    again, _ = start(save(session), observed_player_id=1)
    assert watched(again, 3) == looks[-39:]
    session = fight("3m")
    for _ in range(40):
        ask(session, step=api.RequestStep(count=8))
    assert "longer" in ask(session, save_replay=api.RequestSaveReplay()).error[0]


def test_a_quick_save_goes_on_as_it_was() -> None:
    session = fight("3m")
    played(session, n_battles=1, n_steps=4)
    ask(session, quick_save=api.RequestQuickSave())
    played(session, n_battles=1, n_steps=4)
    ask(session, quick_load=api.RequestQuickLoad())
    played(session, n_battles=1, n_steps=2)
    last = units(session)
    again, _ = start(save(session), observed_player_id=1)
    ask(again, step=api.RequestStep(count=1000))
    assert units(again) == last


def test_damaged_bytes_are_refused_and_nothing_changes() -> None:
    session = fight("3m")
    played(session, n_battles=1, n_steps=3)
    data, again = save(session), Session(RULES)
    rng = np.random.default_rng(5)
    for k in range(300):
        broken = bytearray(data)
        if k % 3 == 0:
            del broken[int(rng.integers(1, len(data))) :]
        else:
            for at in rng.integers(0, len(data), 1 + k % 4).tolist():
                broken[at] ^= int(rng.integers(1, 256))
        request = api.RequestStartReplay(replay_data=bytes(broken), options=RAW)
        answer = ask(again, start_replay=request)
        if not answer.start_replay.HasField("error"):  # what was hit tells of nothing
            assert answer.status == IN_REPLAY
            ask(again, leave_game=api.RequestLeaveGame())
        assert again.status == LAUNCHED
        assert again.n_faults == 0
