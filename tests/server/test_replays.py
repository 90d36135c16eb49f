"""Replays: a game is saved, described, and goes the same way again."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from s2clientprotocol import common_pb2, debug_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.replay.games.game_file import game_from_bytes
from terrarium.replay.games.game_playback import replay_game
from terrarium.server.requests import RULES
from terrarium.server.session import ENDED, IN_GAME, IN_REPLAY, LAUNCHED, Session
from tests.server.asking import RAW, ask, in_game

LOOPS = 40


def step(session: Session, count: int) -> api.Response:
    return ask(session, step=api.RequestStep(count=count))


def seen(session: Session) -> api.ResponseObservation:
    return ask(session, observation=api.RequestObservation()).observation


def start(data: bytes, **how: Any) -> tuple[Session, api.Response]:
    session = Session(RULES)
    request = api.RequestStartReplay(replay_data=data, options=RAW, **how)
    return session, ask(session, start_replay=request)


def truth(session: Session) -> bytes:
    """Who is where."""
    units = session.playing.sim.units[0]
    alive = units[units["alive"]]
    return b"".join(np.ascontiguousarray(alive[name]).tobytes() for name in ("tag", "x", "y", "hp"))


@pytest.fixture(scope="module")
def played() -> tuple[Session, list[bytes]]:
    """A game with a computer that cheats, with cheats of its client, until it surrenders."""
    session = in_game(difficulty=api.CheatInsane)
    truths = []
    for loop in range(0, LOOPS, 8):
        request = api.RequestDebug()
        if loop == 8:
            at = common_pb2.Point2D(x=16, y=16)
            made = debug_pb2.DebugCreateUnit(unit_type=48, owner=1, pos=at, quantity=3)
            request.debug.add(create_unit=made)
            request.debug.add(game_state=debug_pb2.show_map)
        if loop == LOOPS - 8:
            request.debug.add(end_game=debug_pb2.DebugEndGame())
        ask(session, debug=request)
        step(session, 8)
        truths.append(truth(session))
    assert session.status == ENDED
    return session, truths


@pytest.fixture(scope="module")
def data(played: tuple[Session, list[bytes]]) -> bytes:
    return ask(played[0], save_replay=api.RequestSaveReplay()).save_replay.data


def test_a_replay_is_described(data: bytes, tmp_path: Path) -> None:
    session = Session(RULES)
    info = ask(session, replay_info=api.RequestReplayInfo(replay_data=data)).replay_info
    assert not info.HasField("error")
    assert info.game_duration_loops == LOOPS - 8  # who gives up, does so at once
    assert info.game_duration_seconds == pytest.approx((LOOPS - 8) / 22.4)
    assert (info.base_build, info.local_map_path) == (75689, "Flat32.SC2Map")
    first, second = info.player_info
    assert (first.player_result.result, second.player_result.result) == (api.Defeat, api.Victory)
    assert (first.player_info.race_requested, first.player_info.race_actual) == (1, 1)
    assert second.player_info.difficulty == api.CheatInsane
    file = tmp_path / "game.SC2Replay"
    file.write_bytes(data)
    named = ask(session, replay_info=api.RequestReplayInfo(replay_path=str(file)))
    assert named.replay_info == info
    assert named.status == LAUNCHED


def test_a_path_is_also_looked_up_among_the_replays_of_the_folder(
    data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SC2PATH", str(tmp_path))
    (tmp_path / "Replays" / "mine").mkdir(parents=True)
    (tmp_path / "Replays" / "mine" / "game.SC2Replay").write_bytes(data)
    session = Session(RULES)
    for path, is_there in (("mine/game.SC2Replay", True), ("game.SC2Replay", False)):
        info = ask(session, replay_info=api.RequestReplayInfo(replay_path=path)).replay_info
        assert info.HasField("error") is not is_there
    request = api.RequestStartReplay(replay_path="mine/game.SC2Replay", options=RAW)
    assert ask(session, start_replay=request).status == IN_REPLAY


@pytest.mark.parametrize("player", [0, 1, 2])
def test_a_replay_goes_as_the_game_went(
    data: bytes, played: tuple[Session, list[bytes]], player: int
) -> None:
    session, answer = start(data, observed_player_id=player)
    assert (answer.status, answer.start_replay.HasField("error")) == (IN_REPLAY, False)
    assert seen(session).observation.game_loop == 0
    for k in range(3):
        assert step(session, 8).status == IN_REPLAY
        assert truth(session) == played[1][k]
    assert not seen(session).player_result
    last = step(session, 1000)  # it stops where the record does
    assert (last.status, last.step.simulation_loop) == (ENDED, LOOPS - 8)
    results = {one.player_id: one.result for one in seen(session).player_result}
    assert results == {1: api.Defeat, 2: api.Victory}
    assert list(step(session, 1).error) == ["Game has already ended"]


def test_actions_of_the_watched_player_are_shown(data: bytes) -> None:
    session, _ = start(data, observed_player_id=2)
    step(session, LOOPS)
    actions = [action.action_raw.unit_command for action in seen(session).actions]
    assert actions
    assert all(told.ability_id and told.unit_tags for told in actions)


def test_a_replay_is_not_recorded_unless_that_is_asked_for(data: bytes) -> None:
    session, _ = start(data)
    step(session, 16)
    assert ask(session, save_replay=api.RequestSaveReplay()).error
    assert ask(session, action=api.RequestAction()).error
    assert session.status == IN_REPLAY
    session, _ = start(data, record_replay=True)
    step(session, 1000)
    again = ask(session, save_replay=api.RequestSaveReplay()).save_replay.data
    assert again == data


def test_the_record_is_one_that_can_be_watched(data: bytes) -> None:
    record = game_from_bytes(data)
    assert record.about.players == ("Player 1", "Computer 2 (CheatInsane)")
    ticks = [int(sim.ticks[0]) for sim in replay_game(record)]
    assert ticks[-1] - ticks[0] == LOOPS - 8


def test_burnysc2_reads_the_version_of_a_replay(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "game.SC2Replay"
    file.write_bytes(data)
    main = pytest.importorskip("sc2.main")
    assert main.get_replay_version(file) == ("Base75689", "B89B5D6FA7CBF6452E721311BFBC6CB2")


@pytest.mark.parametrize("n_bytes", [4, 15, 16, 40])
def test_an_archive_that_ends_too_early_is_refused(data: bytes, n_bytes: int) -> None:
    _, answer = start(data[:n_bytes])
    assert (answer.status, answer.start_replay.HasField("error")) == (LAUNCHED, True)


def test_what_is_no_replay_is_refused(data: bytes, tmp_path: Path) -> None:
    codes = api.ResponseStartReplay
    flipped = bytearray(data)
    flipped[len(data) // 2] ^= 1
    session = Session(RULES)
    for request, error in (
        (api.RequestStartReplay(options=RAW), codes.MissingReplay),
        (api.RequestStartReplay(replay_data=data), codes.MissingOptions),
        (
            api.RequestStartReplay(replay_path=str(tmp_path / "none"), options=RAW),
            codes.InvalidReplayPath,
        ),
        (api.RequestStartReplay(replay_data=b"MPQ", options=RAW), codes.InvalidReplayData),
        (
            api.RequestStartReplay(replay_data=bytes(flipped), options=RAW),
            codes.InvalidReplayData,
        ),
        (
            api.RequestStartReplay(replay_data=data, observed_player_id=3, options=RAW),
            codes.InvalidObservedPlayerId,
        ),
    ):
        answer = ask(session, start_replay=request)
        assert answer.start_replay.error == error
        assert answer.status == LAUNCHED
    missing = ask(session, replay_info=api.RequestReplayInfo()).replay_info
    assert missing.error == api.ResponseReplayInfo.MissingReplay


def test_a_game_goes_on_from_its_quick_save_any_number_of_times() -> None:
    session = in_game()
    assert ask(session, quick_load=api.RequestQuickLoad()).error
    step(session, 16)
    assert ask(session, quick_save=api.RequestQuickSave()).HasField("quick_save")
    step(session, 32)
    first = session.playing.sim.digest()
    for _ in range(2):
        assert ask(session, quick_load=api.RequestQuickLoad()).status == IN_GAME
        assert seen(session).observation.game_loop == 0
        step(session, 32)
        assert session.playing.sim.digest() == first
    data = ask(session, save_replay=api.RequestSaveReplay()).save_replay.data
    again, _ = start(data)
    step(again, 1000)
    assert again.playing.sim.digest() == first
