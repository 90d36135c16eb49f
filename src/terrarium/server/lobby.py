"""How games begin and end: create_game, join_game, restart_game, leave_game."""

import os
from dataclasses import replace

from s2clientprotocol import common_pb2
from s2clientprotocol import sc2api_pb2 as api

from terrarium.data.battles.scenario import Scenario
from terrarium.server.game_plan import GamePlan, ServedMap
from terrarium.server.live_game import LiveGame
from terrarium.server.maps.lookup import find_served_map
from terrarium.server.maps.stubs import BadMapFile
from terrarium.server.multiplayer.meeting import host_game, join_hosted_game, loopback_ports
from terrarium.server.realtime import start_clock
from terrarium.server.seats import MOST_NAME, RACE_WORDS, GameSeat
from terrarium.server.session import (
    IN_GAME,
    INIT_GAME,
    LAUNCHED,
    NOT_CREATED,
    QUIT,
    Refused,
    Session,
)
from terrarium.server.texts import text_of

MOST_SEATS = 16
SEAT_TYPES = (api.Participant, api.Computer, api.Observer)
PATH_UNKNOWN = "map_path file doesn't exist."
Creation = api.ResponseCreateGame
Joining = api.ResponseJoinGame


def create_game(
    session: Session, request: api.RequestCreateGame, response: api.ResponseCreateGame
) -> None:
    """Fix the map, the seats and the speed of a game; it begins with the joins."""
    found = _find_map(session, request, response)
    if found is None:
        return
    seats = _seats(request, response, found)
    if seats is None:
        return
    has_seed = request.HasField("random_seed")
    plan = GamePlan(
        map=found,
        seats=seats,
        seed=request.random_seed if has_seed else int.from_bytes(os.urandom(4), "little"),
        realtime=request.realtime,
        disable_fog=request.disable_fog,
    )
    let_go(session)
    forget_left(session)
    session.plan = plan
    session.status = INIT_GAME


def _find_map(
    session: Session, request: api.RequestCreateGame, response: api.ResponseCreateGame
) -> ServedMap | None:
    """The map that is asked for; without one the response says why."""
    if request.HasField("battlenet_map_name"):
        name = text_of(request.battlenet_map_name)
        named = find_served_map(name)
        if named is None:
            response.error = Creation.InvalidMapName
            response.error_details = f'no map is called "{name[:100]}"'
        return named
    local, path = request.local_map, text_of(request.local_map.map_path)
    if not path and not local.map_data:
        response.error = Creation.MissingMap
        return None
    data = local.map_data or session.saved_maps.get(path, b"")
    try:
        found = find_served_map(path, data)
    except BadMapFile as error:
        response.error, response.error_details = Creation.InvalidMapData, str(error)
        return None
    except OSError:  # no file can have such a path
        found = None
    if found is None:
        response.error = Creation.InvalidMapData if data else Creation.InvalidMapPath
        response.error_details = "no map of this name is known" if data else PATH_UNKNOWN
    return found


def _seats(
    request: api.RequestCreateGame, response: api.ResponseCreateGame, found: ServedMap
) -> tuple[GameSeat, ...] | None:
    """Who plays; extra players are dropped, as the game does (sc2api.md, 6)."""
    if not request.player_setup:
        response.error = Creation.MissingPlayerSetup
        return None
    if len(request.player_setup) > MOST_SEATS:
        response.error = Creation.InvalidPlayerSetup
        response.error_details = f"more than {MOST_SEATS} players"
        return None
    if any(not setup.HasField("type") for setup in request.player_setup):
        response.error = Creation.InvalidPlayerSetup
        response.error_details = "a player has no type"
        return None
    is_battle = isinstance(found.ground, Scenario)
    room = 2 if isinstance(found.ground, Scenario) else len(found.ground.starts)
    seats = []
    for setup in request.player_setup:
        seat = _seat(setup)
        if not seat.plays:
            seats.append(seat)
        elif room > 0:
            seats.append(seat)
            room -= 1
    clients = [seat for seat in seats if seat.type != api.Computer]
    if len(clients) == len([seat for seat in seats if not seat.plays]) == len(seats):
        response.error = Creation.InvalidPlayerSetup
        response.error_details = "nobody plays"
        return None
    if not clients:
        response.error = Creation.InvalidPlayerSetup
        response.error_details = "there is no participant and no observer"
        return None
    if is_battle and len(clients) > 1:
        response.error = Creation.MultiplayerUnsupported
        return None
    return tuple(sorted(seats, key=lambda seat: not seat.plays))  # players have the first numbers


def _seat(setup: api.PlayerSetup) -> GameSeat:
    if setup.type != api.Computer:
        return GameSeat(setup.type)
    return GameSeat(
        setup.type,
        setup.race if setup.race in RACE_WORDS else common_pb2.Random,
        difficulty=setup.difficulty,
        ai_build=setup.ai_build,
        name=text_of(setup.player_name)[:MOST_NAME],
    )


def join_game(
    session: Session, request: api.RequestJoinGame, response: api.ResponseJoinGame
) -> None:
    """Take a seat; the game begins when all seats are taken."""
    has_ports = request.HasField("server_ports") or len(request.client_ports) > 0
    if session.plan is None and not has_ports:
        raise Refused(NOT_CREATED)
    if not _may_join(request, response):
        return
    session.end_preparation()
    if session.plan is None:
        forget_left(session)
        game, player = join_hosted_game(session, request, loopback_ports(request))
    else:
        seat = _free_seat(session.plan, request, response)
        if seat is None:
            return
        plan = _with_client(session.plan, seat, request)
        others = [s for k, s in enumerate(plan.seats) if s.type != api.Computer and k != seat]
        if others and has_ports:
            game = host_game(session, plan, seat, request, loopback_ports(request))
        elif any(other.plays for other in others):
            response.error = Joining.MissingPorts
            response.error_details = "a game between clients needs server_ports and client_ports"
            return
        else:
            observes = not plan.seats[seat].plays
            view = request.observed_player_id if observes else seat + 1
            game = LiveGame(plan, view, request.options, observes)
        player = seat + 1
    session.game = game
    session.plan = game.plan
    session.status = IN_GAME
    response.player_id = player
    if game.realtime:
        start_clock(session, game)


def refuse_pictures(options: api.InterfaceOptions) -> None:
    """Who asks for what is not served hears of it."""
    if options.HasField("render"):
        raise Refused("Rendered pictures are not served: join with options.raw alone")


def wants_layers(options: api.InterfaceOptions) -> bool:
    """Does a client want to see feature layers? Some ask for a single cell, for the camera's width.
    Joining is not refused: tests of clients ask for layers and look at none."""
    return options.feature_layer.resolution.x * options.feature_layer.resolution.y > 1


def _may_join(request: api.RequestJoinGame, response: api.ResponseJoinGame) -> bool:
    """Is a join complete, whatever the game? If not, the response says why."""
    if not request.HasField("participation"):
        response.error = Joining.MissingParticipation
    elif not request.HasField("options"):
        response.error = Joining.MissingOptions
    else:
        return True
    return False


def _free_seat(
    plan: GamePlan, request: api.RequestJoinGame, response: api.ResponseJoinGame
) -> int | None:
    """The place of the seat that a client takes; without one the response says why."""
    observes = request.HasField("observed_player_id")
    players = sum(seat.plays for seat in plan.seats)
    if observes and request.observed_player_id > players:
        response.error = Joining.InvalidObservedPlayerId
        return None
    wanted = api.Observer if observes else api.Participant
    for k, seat in enumerate(plan.seats):
        if seat.type == wanted:
            return k
    response.error = Joining.GameFull
    response.error_details = f"the game has no seat for another {api.PlayerType.Name(wanted)}"
    return None


def _with_client(plan: GamePlan, seat: int, request: api.RequestJoinGame) -> GamePlan:
    """The plan with a client in one of its seats."""
    name = text_of(request.player_name)[:MOST_NAME]
    taken = GameSeat(plan.seats[seat].type, request.race, name=name)
    seats = (*plan.seats[:seat], taken, *plan.seats[seat + 1 :])
    return replace(plan, seats=seats)


def restart_game(
    session: Session, request: api.RequestRestartGame, response: api.ResponseRestartGame
) -> None:
    """The same game from its beginning."""
    game = session.playing
    if game.pace is not None or game.is_replay:
        response.error = api.ResponseRestartGame.LaunchError
        response.error_details = "only games of one client can be restarted"
        return
    game.restart()
    session.status = IN_GAME
    response.need_hard_reset = False
    if game.realtime:
        start_clock(session, game)


def leave_game(
    session: Session, request: api.RequestLeaveGame, response: api.ResponseLeaveGame
) -> None:
    """Let the game go; other clients of it have one player less."""
    let_go(session)
    session.status = LAUNCHED


def let_go(session: Session) -> None:
    """The process plays no game any more; of the last one there is still the replay."""
    game, session.game, session.plan = session.game, None, None
    session.bookmark = None
    session.changed.notify_all()
    if game is not None:
        forget_left(session)
        session.left_game = game
        if game.pace is not None:
            game.pace.leave()
        game.close()


def forget_left(session: Session) -> None:
    """Another game begins: nothing remains of the one before."""
    game, session.left_game = session.left_game, None
    if game is not None and game.pace is not None:
        game.pace.close()


def quit_server(session: Session, request: api.RequestQuit, response: api.ResponseQuit) -> None:
    """End the process, when this has been answered."""
    let_go(session)
    if session.left_game is not None and session.left_game.pace is not None:
        session.left_game.pace.quit()
    session.status = QUIT
