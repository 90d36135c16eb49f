"""How fast the API server is: its start, and its share of the steps that clients make."""

import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from s2clientprotocol import common_pb2
from s2clientprotocol import sc2api_pb2 as api
from websockets.sync.client import connect

import terrarium.server.process.listen as listen
from terrarium.errors import TerrariumError
from terrarium.server.requests import RULES
from terrarium.server.session import Session

MARINE, ROACH = 48, 110
BATTLE = "3m"
ARMY = 100
"""of Roaches; of Marines twice as many: 200 supply each"""


@dataclass(frozen=True)
class ServerBenchConfig:
    """What is measured."""

    map: str = "AcropolisLE"
    """of the whole game"""
    steps: int = 200
    """of each kind that are measured"""
    seed: int = 1
    """of the games"""

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise TerrariumError(f"steps is {self.steps}; it must be 1 or more")


@dataclass(frozen=True)
class Startup:
    """Seconds from the start of a process until it listens, answers, and is in a game."""

    listening: float
    answering: float
    create: float
    join: float


@dataclass(frozen=True)
class RequestShare:
    """Median milliseconds of a request of a step."""

    game: str
    request: str
    server_ms: float
    client_ms: float
    """to write the request and to read the answer with protobuf alone"""
    kilobytes: float
    """of the answer"""


@dataclass(frozen=True)
class ServerBench:
    """What was measured."""

    startup: Startup
    shares: tuple[RequestShare, ...]


def bench_server(
    config: ServerBenchConfig, tell: Callable[[str], None] = lambda text: None
) -> ServerBench:
    """Measure a server: as a process for its start, in this process for its share of steps."""
    tell("the start")
    startup = measure_startup(config)
    shares: list[RequestShare] = []
    for name, with_armies in (("start of a game", False), ("2 x 200 supply", True)):
        tell(name)
        asker = _Asker(config)
        asker.begin(config.map)
        if with_armies:
            asker.raise_armies()
        steps = (
            api.Request(observation=api.RequestObservation()),
            api.Request(game_info=api.RequestGameInfo()),
            api.Request(step=api.RequestStep(count=4)),
        )
        shares += asker.measure(name, steps)
    battle = f"SMAC's {BATTLE}"
    tell(battle)
    asker = _Asker(config)
    asker.begin(f"SMAC_Maps/{BATTLE}.SC2Map")
    steps = (
        api.Request(action=api.RequestAction()),
        api.Request(step=api.RequestStep(count=8)),
        api.Request(observation=api.RequestObservation()),
    )
    shares += asker.measure(battle, steps)
    return ServerBench(startup, tuple(shares))


def measure_startup(config: ServerBenchConfig) -> Startup:
    """Start a server, and join a game as soon as it lets us."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    words = [sys.executable, "-I", str(Path(listen.__file__).absolute()), "-port", str(port)]
    began = time.perf_counter()
    process = subprocess.Popen(words)
    try:
        listening = _wait_for(port, began)
        url = f"ws://127.0.0.1:{port}/sc2api"
        with connect(url, compression=None, max_size=None, open_timeout=600) as client:

            def ask(request: api.Request) -> float:
                client.send(request.SerializeToString())
                answer = client.recv()
                assert isinstance(answer, bytes)
                _check(api.Response.FromString(answer))
                return time.perf_counter()

            answered = ask(api.Request(ping=api.RequestPing()))
            created = ask(api.Request(create_game=_creation(config, config.map)))
            joined = ask(api.Request(join_game=_join()))
    finally:
        process.kill()
        process.wait()
    return Startup(listening - began, answered - began, created - answered, joined - created)


def _wait_for(port: int, began: float) -> float:
    while time.perf_counter() - began < 60.0:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return time.perf_counter()
        except ConnectionRefusedError:
            time.sleep(0.002)
    raise TerrariumError("the server did not open its port within a minute")


class _Asker:
    """A client in the server's process: what takes time is told apart."""

    def __init__(self, config: ServerBenchConfig) -> None:
        self._config, self._session = config, Session(RULES)

    def begin(self, game_map: str) -> None:
        self._ask(api.Request(create_game=_creation(self._config, game_map)))
        self._ask(api.Request(join_game=_join()))

    def raise_armies(self) -> None:
        """Two armies of 200 supply, far from each other."""
        info = self._ask(api.Request(game_info=api.RequestGameInfo())).game_info.start_raw
        size, request = info.map_size, api.RequestDebug()
        for owner, unit, count, share in ((1, MARINE, 2 * ARMY, 0.35), (2, ROACH, ARMY, 0.65)):
            made = request.debug.add().create_unit
            made.unit_type, made.owner, made.quantity = unit, owner, count
            made.pos.x, made.pos.y = size.x * share, size.y * share
        self._ask(api.Request(debug=request))
        self._ask(api.Request(step=api.RequestStep(count=16)))

    def measure(self, game: str, steps: Sequence[api.Request]) -> list[RequestShare]:
        """The medians of each request of a step."""
        times: list[list[tuple[float, float, int]]] = [[] for _ in steps]
        for _ in range(self._config.steps):
            for request, measured in zip(steps, times, strict=True):
                measured.append(self._timed(request))
        return [
            RequestShare(
                game=game,
                request=str(request.WhichOneof("request")),
                server_ms=1e3 * statistics.median(server for server, _, _ in measured),
                client_ms=1e3 * statistics.median(client for _, client, _ in measured),
                kilobytes=statistics.median(size for _, _, size in measured) / 1024.0,
            )
            for request, measured in zip(steps, times, strict=True)
        ]

    def _timed(self, request: api.Request) -> tuple[float, float, int]:
        began = time.perf_counter()
        data = request.SerializeToString()
        sent = time.perf_counter()
        answer = self._session.answer(data)
        answered = time.perf_counter()
        _check(api.Response.FromString(answer))
        read = time.perf_counter()
        return answered - sent, read - answered + sent - began, len(answer)

    def _ask(self, request: api.Request) -> api.Response:
        data = self._session.answer(request.SerializeToString())
        response: api.Response = api.Response.FromString(data)
        _check(response)
        return response


def _creation(config: ServerBenchConfig, game_map: str) -> api.RequestCreateGame:
    request = api.RequestCreateGame(
        local_map=api.LocalMap(map_path=game_map), random_seed=config.seed
    )
    request.player_setup.add(type=api.Participant)
    request.player_setup.add(type=api.Computer, race=common_pb2.Zerg, difficulty=api.VeryEasy)
    return request


def _join() -> api.RequestJoinGame:
    options = api.InterfaceOptions(raw=True, score=True, show_cloaked=True, show_placeholders=True)
    return api.RequestJoinGame(race=common_pb2.Terran, options=options)


def _check(response: api.Response) -> None:
    if response.error or response.create_game.HasField("error"):
        raise TerrariumError(f"the server refused: {response}")
