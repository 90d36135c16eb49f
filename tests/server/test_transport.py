"""The websocket: one client at a time, text and binary frames alike, nobody is left hanging."""

import socket
import threading
from collections.abc import Iterator

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from terrarium.server import transport
from terrarium.server.listen import address_of, open_port
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


def test_the_command_line_of_clients_is_read_and_the_rest_of_it_ignored() -> None:
    known = ["-listen", "127.0.0.1", "-port", "5678"]
    others = ["-dataDir", "/x", "-displayMode", "0", "-verbose", "-eglpath", "lib"]
    words = [*others, *known, *others]
    assert address_of(words) == ("127.0.0.1", 5678)
    assert address_of([]) == ("127.0.0.1", 5000)
    with pytest.raises(SystemExit, match="a port is a number"):
        address_of(["-port", "many"])


def test_a_port_in_use_ends_in_one_line() -> None:
    with open_port("127.0.0.1", 0) as taken, pytest.raises(SystemExit, match="cannot listen"):
        open_port("127.0.0.1", taken.getsockname()[1])
