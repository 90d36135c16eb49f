"""save_replay, start_replay and replay_info."""

import os
from pathlib import Path

from s2clientprotocol import sc2api_pb2 as api

from terrarium.errors import TerrariumError
from terrarium.replay.errors import ReplayError
from terrarium.replay.files import read_file
from terrarium.replay.storage.container import MAX_FILE
from terrarium.server.live_game import LiveGame
from terrarium.server.lobby import forget_left, let_go, refuse_pictures
from terrarium.server.realtime import LOOPS_PER_SECOND, start_clock
from terrarium.server.replays.files import SavedGame, read_saved, saved_bytes
from terrarium.server.replays.replay_game import ReplayGame, apm_of
from terrarium.server.replays.replayed_battles import ReplayedBattles
from terrarium.server.replays.saved_battles import SavedBattles
from terrarium.server.session import IN_REPLAY, Session
from terrarium.server.texts import text_of
from terrarium.server.versions import BASE_BUILD, DATA_VERSION, GAME_VERSION

REPLAYS = "Replays"
"""below SC2PATH, where clients keep replays"""
Starting = api.ResponseStartReplay
Informing = api.ResponseReplayInfo


def save_replay(
    session: Session, request: api.RequestSaveReplay, response: api.ResponseSaveReplay
) -> None:
    """The game so far, as a file; also when it was left: burnysc2 asks afterwards."""
    response.data = saved_bytes(session.left_game or session.playing)


def start_replay(
    session: Session, request: api.RequestStartReplay, response: api.ResponseStartReplay
) -> None:
    """Play a recorded game again."""
    refuse_pictures(request.options)
    which = request.WhichOneof("replay")
    if which is None or not getattr(request, which):
        response.error = Starting.MissingReplay
        return
    if not request.HasField("options"):
        response.error = Starting.MissingOptions
        return
    try:
        content = _content(which, request.replay_path, request.replay_data)
    except TerrariumError as error:
        response.error, response.error_details = Starting.InvalidReplayPath, str(error)
        return
    try:
        saved = read_saved(content)
    except TerrariumError as error:
        response.error, response.error_details = Starting.InvalidReplayData, str(error)
        return
    if not 0 <= request.observed_player_id <= len(saved.players):
        response.error = Starting.InvalidObservedPlayerId
        return
    session.end_preparation()
    try:
        game = _replayed(saved, request)
    except TerrariumError as error:
        response.error, response.error_details = Starting.LaunchError, str(error)
        return
    game.realtime = request.realtime
    let_go(session)
    forget_left(session)
    session.game, session.plan = game, game.plan
    session.status = IN_REPLAY
    session.note_end()  # it may hold the beginning of a game alone
    if game.realtime:
        start_clock(session, game)


def _replayed(saved: SavedGame | SavedBattles, request: api.RequestStartReplay) -> LiveGame:
    player, options = request.observed_player_id, request.options
    if isinstance(saved, SavedBattles):
        return ReplayedBattles(saved, player, options)
    return ReplayGame(saved, player, options, request.disable_fog, request.record_replay)


def replay_info(
    session: Session, request: api.RequestReplayInfo, response: api.ResponseReplayInfo
) -> None:
    """What a file says of its game."""
    which = request.WhichOneof("replay")
    if which is None or not getattr(request, which):
        response.error = Informing.MissingReplay
        return
    try:
        content = _content(which, request.replay_path, request.replay_data)
    except TerrariumError as error:
        response.error, response.error_details = Informing.InvalidReplayPath, str(error)
        return
    try:
        _describe(read_saved(content), response)
    except TerrariumError as error:
        response.error, response.error_details = Informing.InvalidReplayData, str(error)


def _content(which: str, path: str | bytes, data: bytes) -> bytes:
    if which == "replay_data":
        return data
    try:
        return read_file(_found(Path(text_of(path))), MAX_FILE + 1)
    except ValueError as error:  # of a path with a zero byte
        raise ReplayError("this is no path of a file") from error


def _found(path: Path) -> Path:
    """A path as it is, or in the folder where clients find the game's replays."""
    folder = os.environ.get("SC2PATH")
    if folder is None or path.is_file():
        return path
    return Path(folder) / REPLAYS / path


def _describe(saved: SavedGame | SavedBattles, response: api.ResponseReplayInfo) -> None:
    plan = saved.plan
    response.map_name, response.local_map_path = plan.map.title, plan.map.file_name
    response.game_duration_loops = saved.n_loops
    response.game_duration_seconds = saved.n_loops / LOOPS_PER_SECOND
    response.game_version, response.data_version = GAME_VERSION, DATA_VERSION
    response.data_build = response.base_build = BASE_BUILD
    drawn = [seat.with_race_drawn(plan.seed, k) for k, seat in enumerate(saved.players, 1)]
    outcomes = zip(drawn, saved.results, apm_of(saved), strict=True)
    for player, (seat, result, apm) in enumerate(outcomes, 1):
        extra = response.player_info.add(player_apm=apm)
        info = extra.player_info
        info.player_id, info.type = player, seat.type
        info.race_requested = seat.race_requested
        info.race_actual = seat.race_actual
        if seat.type == api.Computer:
            info.difficulty = seat.difficulty
            info.ai_build = seat.ai_build
        if seat.name:
            info.player_name = seat.name
        extra.player_result.player_id = player
        extra.player_result.result = int(result)
