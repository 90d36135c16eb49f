"""`terrarium serve` and `terrarium sc2path`: clients of the game find a server in its place."""

import os
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import tyro

from terrarium.errors import TerrariumError

_NEEDED = ("websockets", "s2clientprotocol")
_FLAGS = {"--host": "-listen", "--port": "-port"}


def need_server_packages() -> None:
    """The server runs in a process of its own: what it lacks is said here."""
    for package in _NEEDED:
        if find_spec(package) is None:
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)


@dataclass(frozen=True)
class Serve:
    """Serve the API of StarCraft II until a client quits, or the process is ended.

    Clients that start the game by themselves find it by `terrarium sc2path`.

    The game's own flags (-listen, -port and others) are understood or ignored.

    Example:  terrarium serve --port 5000
    """

    host: str = "127.0.0.1"
    """address to listen on; 0.0.0.0: all"""
    port: int = 5000
    """port to listen on"""
    log: str | None = None
    """append what the server has to say to this file"""
    flags: tyro.conf.Suppress[tuple[str, ...]] = ()
    """flags of the game"""

    @classmethod
    def from_words(cls, words: Sequence[str]) -> "Serve":
        """Read ours and leave the game's, of which unknown ones are no mistake."""
        log, rest = None, []
        words = [part for word in words for part in _split(word)]
        while words:
            word, *words = words
            if word == "--log" or word in _FLAGS:
                if not words:
                    raise TerrariumError(f"{word} needs a value. See: terrarium serve --help")
                value, *words = words
                if word == "--log":
                    log = value
                else:
                    rest += [_FLAGS[word], value]
            elif word.startswith("--"):
                raise TerrariumError(
                    f'unknown option "{word}" of terrarium serve. Allowed: --host, --port, --log, '
                    "--help, and flags of the game with one dash"
                )
            else:
                rest.append(word)
        return cls(log=log, flags=tuple(rest))

    def run(self) -> None:
        import terrarium.server.process.listen as listen

        need_server_packages()
        environment = dict(os.environ)
        if self.log is not None:
            with open(self.log, "a", encoding="utf-8"):
                pass  # one that cannot be written is said before the program is replaced
            environment["TERRARIUM_SERVER_LOG"] = str(Path(self.log).absolute())
        listen.address_of(list(self.flags))  # mistakes are said before the program is replaced
        words = [sys.executable, "-I", str(Path(listen.__file__).absolute()), *self.flags]
        os.execve(sys.executable, words, environment)


@dataclass(frozen=True)
class Sc2Path:
    """Make a folder that clients take for StarCraft II: a server, and maps.

    It prints the line for the shell by which clients find it.

    Example:  terrarium sc2path ~/StarCraftII
    """

    folder: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="[FOLDER]")] = ""
    """where; else .terrarium/StarCraftII in your home folder"""

    def run(self) -> None:
        need_server_packages()
        from terrarium.server.process.install import default_folder, install

        folder = Path(self.folder).expanduser() if self.folder else default_folder()
        install(folder)
        print(f"export SC2PATH={shlex.quote(str(folder.absolute()))}")


def _split(word: str) -> list[str]:
    """`--port=5000` is two words."""
    name, equals, value = word.partition("=")
    return [name, value] if equals and name in (*_FLAGS, "--log") else [word]
