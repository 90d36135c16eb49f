"""Two servers as processes: one that dies, or hangs, ends the game for the other one."""

import os
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from s2clientprotocol import common_pb2
from s2clientprotocol import sc2api_pb2 as api
from websockets.sync.client import ClientConnection, connect

from tests.server.asking import RAW
from tests.server.test_launch import server, wait_for

MOST_SECONDS = 10.0
"""A client whose opponent's server dies has a result by then."""


def ask(client: ClientConnection, **parts: Any) -> api.Response:
    client.send(api.Request(**parts).SerializeToString())
    data = client.recv(timeout=300)
    assert isinstance(data, bytes)
    return api.Response.FromString(data)


def open_client(port: int) -> ClientConnection:
    wait_for(port)
    return connect(f"ws://127.0.0.1:{port}/sc2api", open_timeout=60, max_size=None)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_who_loses_the_other_server_has_a_result_soon(how: signal.Signals) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        meeting = int(free.getsockname()[1])
    joining = api.RequestJoinGame(options=RAW, race=common_pb2.Terran)
    joining.server_ports.game_port, joining.server_ports.base_port = meeting, meeting
    joining.client_ports.add(game_port=meeting, base_port=meeting)
    creation = api.RequestCreateGame(local_map=api.LocalMap(map_path="Flat32.SC2Map"))
    for _ in range(2):
        creation.player_setup.add(type=api.Participant)
    with (
        server() as (_, first_port),
        server() as (other, second_port),
        ThreadPoolExecutor(1) as pool,
        open_client(first_port) as first,
        open_client(second_port) as second,
    ):
        joined = pool.submit(ask, second, join_game=joining)
        assert ask(first, create_game=creation).status == api.init_game
        assert ask(first, join_game=joining).join_game.player_id == 1
        assert joined.result(300).join_game.player_id == 2
        os.kill(other.pid, how)
        begun = time.monotonic()
        assert ask(first, step=api.RequestStep(count=8)).status == api.ended
        assert time.monotonic() - begun < MOST_SECONDS
        seen = ask(first, observation=api.RequestObservation()).observation
        results = {one.player_id: one.result for one in seen.player_result}
        assert results == {1: api.Victory, 2: api.Defeat}
        second.socket.close()
