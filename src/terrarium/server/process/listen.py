"""Opens the port before anything is loaded, then starts the server on it.

Run as a file, so that not even the package is imported before: clients try to connect at once, and
their connections wait in the port's queue until the server takes them.
"""

import socket
import sys
from itertools import pairwise

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 5000


def address_of(words: list[str]) -> tuple[str, int]:
    """Host and port of a command line of the game. Its other flags mean nothing here, and unknown
    ones are no mistake: clients pass many."""
    host, port = DEFAULT_HOST, DEFAULT_PORT
    for flag, value in pairwise(words):
        if flag == "-listen":
            host = value
        elif flag == "-port":
            if not value.isdigit() or not 0 < int(value) < 65536:
                raise _end(f"-port {value}: a port is a number from 1 to 65535")
            port = int(value)
    return host, port


def open_port(host: str, port: int) -> socket.socket:
    """A socket that listens, or the end of the program with the reason."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise _end(f"cannot listen on {host} port {port}: {error.strerror or error}") from None


def _end(message: str) -> SystemExit:
    """The end of the program, with one line that says why."""
    sys.stderr.write(f"terrarium: {message}\n")
    return SystemExit(2)


if __name__ == "__main__":
    listening = open_port(*address_of(sys.argv[1:]))
    # This folder is no place to import from; the one that holds the package is, installed or not.
    here = __file__.rpartition("/")[0] or "."
    sys.path[:] = [f"{here}/../../..", *(path for path in sys.path if path != here)]
    from terrarium.server.process.launch import serve

    serve(listening)
