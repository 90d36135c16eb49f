"""The server as a process: it listens before it is loaded, and ends at once."""

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from s2clientprotocol import sc2api_pb2 as api
from websockets.sync.client import connect

import terrarium.server.process.listen as listen
from terrarium.server.process.listen import open_port

LISTEN = Path(listen.__file__)


@contextmanager
def server() -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    with open_port("127.0.0.1", 0) as free:
        port = int(free.getsockname()[1])
    words = [sys.executable, str(LISTEN), "-listen", "127.0.0.1", "-port", str(port), "-unknown"]
    process = subprocess.Popen(words)
    try:
        yield process, port
    finally:
        process.kill()
        process.wait()


def wait_for(port: int) -> None:
    """Until somebody listens; connections wait there for the server."""
    until = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except ConnectionRefusedError:
            assert time.monotonic() < until
            time.sleep(0.02)


def test_a_client_is_served_and_quit_ends_the_process() -> None:
    with server() as (process, port):
        wait_for(port)
        with connect(f"ws://127.0.0.1:{port}/sc2api", open_timeout=60) as client:
            client.send(api.Request(ping=api.RequestPing()).SerializeToString())
            data = client.recv()
            assert isinstance(data, bytes)
            assert api.Response.FromString(data).ping.base_build == 75689
            client.send(api.Request(quit=api.RequestQuit()).SerializeToString())
            assert client.recv()
        assert process.wait(timeout=30) == 0


def test_the_process_ends_when_it_is_told_to() -> None:
    with server() as (process, port):
        wait_for(port)
        with connect(f"ws://127.0.0.1:{port}/sc2api", open_timeout=60):
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=30) == 0
