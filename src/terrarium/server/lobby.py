"""How games begin and end: create_game, join_game, restart_game, leave_game."""

import os

from s2clientprotocol import common_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.server.game_plan import GamePlan
from terrarium.server.live_game import LiveGame
from terrarium.server.map_lookup import find_served_map
from terrarium.server.maps.stubs import BadMapFile
from terrarium.server.seats import RACE_WORDS, GameSeat
from terrarium.server.session import IN_GAME, INIT_GAME, LAUNCHED, NOT_CREATED, Refused, Session

MAX_SEED = 2**32


def create_game(
    session: Session, request: api.RequestCreateGame, response: api.ResponseCreateGame
) -> None:
    """Fix the map, the seats and the speed of a game; it begins with the joins."""
    if not request.HasField("local_map"):
        response.error = api.ResponseCreateGame.MissingMap
        return
    try:
        served = find_served_map(request.local_map.map_path, request.local_map.map_data)
    except BadMapFile as error:
        response.error = api.ResponseCreateGame.InvalidMapData
        response.error_details = str(error)
        return
    if served is None:
        response.error = api.ResponseCreateGame.InvalidMapPath
        response.error_details = "map_path file doesn't exist."
        return
    if not request.player_setup:
        response.error = api.ResponseCreateGame.MissingPlayerSetup
        return
    has_seed = request.HasField("random_seed")
    session.game = None
    session.plan = GamePlan(
        map=served,
        seats=tuple(_seat(setup) for setup in request.player_setup),
        seed=request.random_seed if has_seed else int.from_bytes(os.urandom(4), "little"),
        realtime=request.realtime,
        disable_fog=request.disable_fog,
    )
    session.status = INIT_GAME


def _seat(setup: api.PlayerSetup) -> GameSeat:
    if setup.type != api.Computer:
        return GameSeat(setup.type)
    return GameSeat(
        setup.type,
        setup.race if setup.race in RACE_WORDS else common_pb2.Random,
        difficulty=setup.difficulty,
        ai_build=setup.ai_build,
        name=setup.player_name,
    )


def join_game(
    session: Session, request: api.RequestJoinGame, response: api.ResponseJoinGame
) -> None:
    """Take a seat; the game begins."""
    if session.plan is None:
        raise Refused(NOT_CREATED)
    session.game = LiveGame(*_joined(session.plan, request), request.options)
    response.player_id = session.game.player
    session.status = IN_GAME


def _joined(plan: GamePlan, request: api.RequestJoinGame) -> tuple[GamePlan, int]:
    """The plan with the seat that the client takes, and its player."""
    seats = list(plan.seats)
    for k, seat in enumerate(seats):
        if seat.type == api.Participant:
            seats[k] = GameSeat(api.Participant, request.race, name=request.player_name)
            break
    else:
        return plan, request.observed_player_id
    return GamePlan(plan.map, tuple(seats), plan.seed, plan.realtime, plan.disable_fog), k + 1


def leave_game(
    session: Session, request: api.RequestLeaveGame, response: api.ResponseLeaveGame
) -> None:
    """Let the game go."""
    session.game = session.plan = None
    session.status = LAUNCHED
