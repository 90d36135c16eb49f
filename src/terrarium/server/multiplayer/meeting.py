"""How servers of one game find each other, by the ports of join_game: the host listens at the first
of them, the others connect to it, in whatever order they come."""

import dataclasses
import ipaddress
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from typing import Any

from s2clientprotocol import sc2api_pb2 as api

from terrarium import __version__
from terrarium.data.maps.files import map_text, read_map_text
from terrarium.data.maps.game_map import GameMap
from terrarium.engine.tables.rules import RULES_VERSION
from terrarium.errors import TerrariumError
from terrarium.server.game_plan import GamePlan, ServedMap
from terrarium.server.live_game import LiveGame
from terrarium.server.multiplayer.frames import (
    Kind,
    PeerError,
    pack_table,
    receive_frame,
    send_frame,
    unpack_table,
)
from terrarium.server.multiplayer.grants import check_value
from terrarium.server.multiplayer.links import Link
from terrarium.server.multiplayer.lockstep import Lockstep
from terrarium.server.seats import MOST_NAME, GameSeat, read_seat
from terrarium.server.session import Refused, Session
from terrarium.server.texts import text_of

JOIN_SECONDS = 300.0
"""How long a join waits for the others."""
HELLO_SECONDS = 5.0
LOCALHOST = "127.0.0.1"
MAX_CLIENTS = 16


def loopback_ports(request: api.RequestJoinGame) -> int:
    """The port at which the servers of a game meet; only servers of this machine do."""
    host = text_of(request.host_ip)
    if host:
        try:
            is_local = ipaddress.ip_address(host).is_loopback
        except ValueError:
            is_local = host == "localhost"
        if not is_local:
            raise Refused(f"host_ip {host[:100]}: games are played on this machine only")
    port = request.server_ports.game_port
    if not 0 < port < 65536:
        raise Refused(f"server_ports.game_port is {port}; a port is a number from 1 to 65535")
    return port


def host_game(
    session: Session, plan: GamePlan, seat: int, request: api.RequestJoinGame, port: int
) -> LiveGame:
    """Wait for the other clients of a game, and begin it with them."""
    until = time.monotonic() + JOIN_SECONDS
    with ExitStack() as on_failure:
        listening = _listen(port)
        on_failure.callback(listening.close)
        joined = [Client(seat, _view_of(plan, seat, request.observed_player_id))]
        connections: list[socket.socket] = []
        while free_seats(plan, joined):
            connection = _accept(listening, until, session.has_client)
            on_failure.callback(connection.close)
            try:
                plan, client = _welcome(connection, plan, joined)
            except PeerError:
                connection.close()  # whoever that was: the seat stays free
                continue
            joined.append(client)
            connections.append(connection)
        listening.close()
        try:
            for k, connection in enumerate(connections, 1):
                send_frame(connection, Kind.PLAN, pack_table(_plan_table(plan, joined, k)))
            game = LiveGame(plan, joined[0].view, request.options, not plan.seats[seat].plays)
            on_failure.callback(game.close)
            for connection in connections:
                _check_ready(connection, game, until, session.has_client)
            for connection in connections:
                send_frame(connection, Kind.READY, _ready(game))
        except PeerError as error:
            raise Refused(str(error)) from error
        on_failure.pop_all()
    pace = Lockstep(session, game, 0, _players(plan, joined))
    pace.connect(
        {k: _link(connection, session, pace, k) for k, connection in enumerate(connections, 1)}
    )
    return game


def join_hosted_game(
    session: Session, request: api.RequestJoinGame, port: int
) -> tuple[LiveGame, int]:
    """Join the game that another server hosts, and its player; it may not be there yet."""
    until = time.monotonic() + JOIN_SECONDS
    with ExitStack() as on_failure:
        try:
            connection = _connect(port, until, session.has_client)
            on_failure.callback(connection.close)
            send_frame(connection, Kind.HELLO, pack_table(_hello(request)))
            payload = _expect(Kind.PLAN, connection, until, session.has_client)
            plan, joined, me = _read_plan(unpack_table(payload))
            seat = joined[me].seat
            game = LiveGame(plan, joined[me].view, request.options, not plan.seats[seat].plays)
            on_failure.callback(game.close)
            send_frame(connection, Kind.READY, _ready(game))
            _check_ready(connection, game, until, session.has_client)
        except PeerError as error:
            raise Refused(f"the game cannot be joined: {error}") from error
        on_failure.pop_all()
    pace = Lockstep(session, game, me, _players(plan, joined))
    pace.connect({0: _link(connection, session, pace, 0)})
    return game, seat + 1


@dataclasses.dataclass(frozen=True)
class Client:
    """Which seat a client has, and whose view; 0 = everything is seen."""

    seat: int
    view: int


def free_seats(plan: GamePlan, joined: list[Client]) -> list[int]:
    """The seats of clients that nobody has taken."""
    taken = {client.seat for client in joined}
    return [k for k, seat in enumerate(plan.seats) if seat.type != api.Computer and k not in taken]


def _players(plan: GamePlan, joined: list[Client]) -> list[int]:
    return [client.seat + 1 if plan.seats[client.seat].plays else 0 for client in joined]


def _view_of(plan: GamePlan, seat: int, observed: int) -> int:
    return seat + 1 if plan.seats[seat].plays else observed


def _link(connection: socket.socket, session: Session, pace: Lockstep, client: int) -> Link:
    return Link(
        connection, session.changed, partial(pace.deliver, client), partial(pace.lose, client)
    )


# Sockets.


def _listen(port: int) -> socket.socket:
    try:
        return socket.create_server((LOCALHOST, port))
    except OSError as error:
        why = error.strerror or error
        raise Refused(f"cannot wait for other clients at port {port}: {why}") from error


def _accept(listening: socket.socket, until: float, goes_on: Callable[[], bool]) -> socket.socket:
    listening.settimeout(0.1)
    while time.monotonic() < until and goes_on():
        try:
            return listening.accept()[0]
        except TimeoutError:
            continue
    raise Refused("the other clients of the game did not join")


def _connect(port: int, until: float, goes_on: Callable[[], bool]) -> socket.socket:
    while time.monotonic() < until and goes_on():
        try:
            return socket.create_connection((LOCALHOST, port), timeout=1.0)
        except OSError:
            time.sleep(0.05)  # the host may come later
    raise Refused(f"no game was hosted at port {port}")


def _expect(
    kind: Kind, connection: socket.socket, until: float, goes_on: Callable[[], bool]
) -> bytes:
    got, payload = receive_frame(connection, until, goes_on)
    if got != kind:
        raise PeerError("the other server says something else than expected")
    return payload


# What servers tell each other before a game.


def _hello(request: api.RequestJoinGame) -> dict[str, Any]:
    return {
        "observes": request.HasField("observed_player_id"),
        "race": request.race,
        "view": request.observed_player_id,
        "name": text_of(request.player_name)[:MOST_NAME],
    }


def _welcome(
    connection: socket.socket, plan: GamePlan, joined: list[Client]
) -> tuple[GamePlan, Client]:
    """The plan with the client that says hello, and that client."""
    until = time.monotonic() + HELLO_SECONDS
    hello = unpack_table(_expect(Kind.HELLO, connection, until, lambda: True))
    observes, name = hello.get("observes"), hello.get("name")
    race, view = hello.get("race"), hello.get("view")
    n_players = sum(seat.plays for seat in plan.seats)
    if type(observes) is not bool or not isinstance(name, str) or type(race) is not int:
        raise PeerError("a client does not say who it is")
    if type(view) is not int or not 0 <= view <= n_players:
        raise PeerError("a client wants to observe a player who is not there")
    wanted = api.Observer if observes else api.Participant
    for k in free_seats(plan, joined):
        if plan.seats[k].type == wanted:
            taken = GameSeat(wanted, race, name=name[:MOST_NAME])
            seats = (*plan.seats[:k], taken, *plan.seats[k + 1 :])
            plan = dataclasses.replace(plan, seats=seats)
            return plan, Client(k, _view_of(plan, k, view))
    raise PeerError("there is no seat left for the client")


def _plan_table(plan: GamePlan, joined: list[Client], me: int) -> dict[str, Any]:
    assert isinstance(plan.map.ground, GameMap), "battles have one client"
    return {
        "title": plan.map.title,
        "file_name": plan.map.file_name,
        "map": map_text(plan.map.ground),
        "map_name": plan.map.ground.name,
        "seats": [seat.table() for seat in plan.seats],
        "seed": plan.seed,
        "realtime": plan.realtime,
        "disable_fog": plan.disable_fog,
        "clients": [dataclasses.asdict(client) for client in joined],
        "me": me,
    }


def _read_plan(table: dict[str, Any]) -> tuple[GamePlan, list[Client], int]:
    try:
        served = ServedMap(
            str(table["title"])[:200],
            str(table["file_name"])[:1000],
            read_map_text(table["map"], table["map_name"]),
        )
        seats = tuple(read_seat(seat) for seat in table["seats"])
        joined = [Client(int(c["seat"]), int(c["view"])) for c in table["clients"]]
        me, seed = int(table["me"]), int(table["seed"])
        realtime, disable_fog = bool(table["realtime"]), bool(table["disable_fog"])
    except (TerrariumError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise PeerError(f"the host sent no game: {str(error)[:200]}") from error
    n_players = sum(seat.plays for seat in seats)
    if not (0 < me < len(joined) <= MAX_CLIENTS and 0 <= seed < 2**32):
        raise PeerError("the host sent no game")
    if any(
        not (0 <= client.seat < len(seats) and 0 <= client.view <= n_players) for client in joined
    ):
        raise PeerError("the host sent no game")
    return GamePlan(served, seats, seed, realtime, disable_fog), joined, me


def _ready(game: LiveGame) -> bytes:
    return pack_table(
        {"rules": RULES_VERSION, "version": __version__, "check": check_value(game.sim)}
    )


def _check_ready(
    connection: socket.socket, game: LiveGame, until: float, goes_on: Callable[[], bool]
) -> None:
    payload = _expect(Kind.READY, connection, until, goes_on)
    if unpack_table(payload) != unpack_table(_ready(game)):
        raise PeerError("the other server has another version of the rules, or another game")
