"""The websocket: one client at a time, text and binary frames alike, nobody is left hanging."""

import socket
import struct
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from terrarium.server import transport
from terrarium.server.process.listen import address_of, open_port
from terrarium.server.transport import PATH, Transport

NO_UTF8 = b"\x08\xff\xfe\x01"


@pytest.fixture
def url(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A server that answers with what it was sent, backwards."""
    monkeypatch.setattr(transport, "HANDOVER_SECONDS", 0.3)
    listening = open_port("127.0.0.1", 0)
    server = Transport(listening, lambda data: data[::-1])
    thread = threading.Thread(target=server.run)
    thread.start()
    yield f"ws://127.0.0.1:{listening.getsockname()[1]}{PATH}"
    server.stop()
    thread.join()


def open_client(url: str) -> ClientConnection:
    return connect(url, compression=None, max_size=None)


@pytest.mark.parametrize("text", [False, True])
def test_frames_of_both_kinds_are_answered_in_binary(url: str, text: bool) -> None:
    with open_client(url) as client:
        client.send(NO_UTF8, text=text)
        assert client.recv() == NO_UTF8[::-1]


def test_large_messages_pass(url: str) -> None:
    with open_client(url) as client:
        client.send(bytes(8 * 2**20))
        assert client.recv() == bytes(8 * 2**20)


def test_a_second_client_is_turned_away_and_the_first_one_goes_on(url: str) -> None:
    with open_client(url) as first:
        with pytest.raises(InvalidStatus, match="503"):
            open_client(url)
        first.send(b"ab")
        assert first.recv() == b"ba"
    with open_client(url) as second:  # the first has gone
        second.send(b"cd")
        assert second.recv() == b"dc"


def test_a_client_that_dies_makes_room(url: str) -> None:
    first = open_client(url)
    first.socket.shutdown(socket.SHUT_RDWR)
    with open_client(url) as second:
        second.send(b"ab")
        assert second.recv() == b"ba"


def test_other_paths_are_unknown(url: str) -> None:
    with pytest.raises(InvalidStatus, match="404"):
        open_client(url.replace(PATH, "/other"))


def test_the_command_line_of_clients_is_read_and_the_rest_of_it_ignored(
    capsys: pytest.CaptureFixture[str],
) -> None:
    known = ["-listen", "127.0.0.1", "-port", "5678"]
    others = ["-dataDir", "/x", "-displayMode", "0", "-verbose", "-eglpath", "lib"]
    words = [*others, *known, *others]
    assert address_of(words) == ("127.0.0.1", 5678)
    assert address_of([]) == ("127.0.0.1", 5000)
    with pytest.raises(SystemExit, match="2"):
        address_of(["-port", "many"])
    assert capsys.readouterr().err.startswith("terrarium: -port many: a port is a number")


def test_a_port_in_use_ends_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with open_port("127.0.0.1", 0) as taken, pytest.raises(SystemExit, match="2"):
        open_port("127.0.0.1", taken.getsockname()[1])
    message = capsys.readouterr().err
    assert message.startswith("terrarium: cannot listen on 127.0.0.1 port")
    assert message.count("\n") == 1


def test_fifty_connections_at_once_leave_the_client_alone(url: str) -> None:
    with open_client(url) as client, ThreadPoolExecutor(50) as pool:

        def knock(_: int) -> int:
            with pytest.raises(InvalidStatus) as refusal:
                open_client(url)
            return refusal.value.response.status_code

        knocks = pool.map(knock, range(50))
        for _ in range(20):
            client.send(b"ab")
            assert client.recv() == b"ba"
        assert set(knocks) == {503}


HANDSHAKE = (
    b"GET /sc2api HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


def address(url: str) -> tuple[str, int]:
    return "127.0.0.1", int(url.split(":")[2].split("/")[0])


@pytest.mark.parametrize("words", [b"", b"GET /sc2api HTTP/1.1\r\n", b"\xff" * 4000 + b"\r\n\r\n"])
def test_who_never_finishes_the_handshake_holds_nobody_up(url: str, words: bytes) -> None:
    with socket.create_connection(address(url)) as silent:
        silent.sendall(words)
        with open_client(url) as client:
            client.send(b"ab")
            assert client.recv() == b"ba"


def test_a_client_that_does_not_read_is_waited_for(url: str) -> None:
    with open_client(url) as client:
        many, size = 8, 2**20
        for k in range(many):
            client.send(bytes([k]) * size)
        time.sleep(0.1)  # nothing is read meanwhile, and answers fill the buffers of the system
        for k in range(many):
            assert client.recv() == bytes([k]) * size


def test_a_client_that_dies_without_reading_makes_room(url: str) -> None:
    with open_client(url) as first:
        for _ in range(4):
            first.send(bytes(2**21))
        # It goes without a word: the system resets the connection.
        first.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        first.socket.shutdown(socket.SHUT_RD)
        first.socket.close()
    with open_client(url) as second:
        second.send(b"ab")
        assert second.recv() == b"ba"


def test_frames_that_are_none_end_the_connection_alone(url: str) -> None:
    with socket.create_connection(address(url)) as raw:
        raw.sendall(HANDSHAKE + b"\xff\xff\xff\xff" * 10)
        while raw.recv(1000):
            pass  # until the server closes
    with open_client(url) as second:
        second.send(b"ab")
        assert second.recv() == b"ba"


def test_it_is_known_whether_the_client_is_there() -> None:
    listening = open_port("127.0.0.1", 0)
    server = Transport(listening, lambda data: data)
    thread = threading.Thread(target=server.run)
    thread.start()
    assert not server.has_client()
    with open_client(f"ws://127.0.0.1:{listening.getsockname()[1]}{PATH}") as client:
        client.send(b"ab")
        client.recv()
        assert server.has_client()
    until = time.monotonic() + 5.0
    while server.has_client():
        assert time.monotonic() < until
    server.stop()
    thread.join()


def test_who_is_gone_is_not_waited_for_once_somebody_else_is_there() -> None:
    """A join that waits for others ends when its own client leaves, whoever connects then."""
    listening = open_port("127.0.0.1", 0)

    def answer(data: bytes) -> bytes:
        until = time.monotonic() + 20.0
        while data == b"wait" and server.has_client() and time.monotonic() < until:
            time.sleep(0.1)
        return data

    server = Transport(listening, answer)
    thread = threading.Thread(target=server.run)
    thread.start()
    url = f"ws://127.0.0.1:{listening.getsockname()[1]}{PATH}"
    with open_client(url) as first:
        first.send(b"wait")
        time.sleep(0.05)
    with open_client(url) as second:
        second.send(b"ab")
        assert second.recv(timeout=5.0) == b"ab"
    server.stop()
    thread.join()
