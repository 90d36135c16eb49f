"""A folder that looks like an installed game: clients find an executable and map files in it."""

import shlex
import sys
from pathlib import Path

import terrarium.server.process.listen as listen
from terrarium.errors import TerrariumError
from terrarium.server.maps.catalog import map_files
from terrarium.server.maps.stubs import stub
from terrarium.server.versions import BASE_BUILD, GAME_VERSION

BINARIES = {"linux": "SC2_x64", "darwin": "SC2.app/Contents/MacOS/SC2"}
"""below the folder of the version, by platform"""
REPLAYS = "Replays"
BUILD_INFO = ".build.info"
"""Proxies of the ladder answer pings with the version in it, before there is a game."""
PRODUCT = "terrarium"
"""The product in it that tells a folder of ours from one of the real game."""

_SCRIPT = """#!/bin/sh
# Starts Terrarium's server where clients expect the game: terrarium sc2path made this file.
SC2PATH={base}
export SC2PATH
# Isolated: nothing of the client's own packages is imported.
exec {python} -I {listen} "$@"
"""


class InstallError(TerrariumError):
    """The folder cannot be made."""


def default_folder() -> Path:
    """Where the folder is made if nothing else is said."""
    return Path.home() / ".terrarium" / "StarCraftII"


def install(folder: Path, platform: str = sys.platform) -> Path:
    """Make the folder, or bring it up to date; the path of the executable.

    A folder of the real game is left alone.
    """
    if platform not in BINARIES:
        raise InstallError(
            "clients start an .exe file on Windows, and Terrarium is none: use WSL, Linux or "
            "macOS, or start the server by hand (terrarium serve) and let clients connect to it"
        )
    _check_no_real_game(folder)
    binary = folder / "Versions" / f"Base{BASE_BUILD}" / BINARIES[platform]
    try:
        binary.parent.mkdir(parents=True, exist_ok=True)
        (folder / REPLAYS).mkdir(exist_ok=True)
        text = _SCRIPT.format(
            base=shlex.quote(str(folder.absolute())),
            python=shlex.quote(sys.executable),
            listen=shlex.quote(str(Path(listen.__file__).absolute())),
        )
        binary.write_text(text, encoding="utf-8")
        binary.chmod(0o755)
        (folder / BUILD_INFO).write_text(
            f"Active!DEC:1|Version!STRING:0|Product!STRING:0\n1|{GAME_VERSION}|{PRODUCT}\n",
            encoding="utf-8",
        )
        for path, name in map_files().items():
            file = folder / "Maps" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            if not file.exists():  # it may be an imported map
                file.write_text(stub(name), encoding="utf-8")
    except OSError as error:
        raise InstallError(f"{error.filename}: cannot be written: {error.strerror}") from error
    return binary


def _check_no_real_game(folder: Path) -> None:
    names = ["SC2Data", "Battle.net"]
    if not _is_ours(folder / BUILD_INFO):
        names.append(BUILD_INFO)
    marks = [name for name in names if (folder / name).exists()]
    if marks:
        raise InstallError(
            f"{folder} holds the real game ({marks[0]}); give another folder, nothing was changed"
        )
    if folder.exists() and not folder.is_dir():
        raise InstallError(f"{folder} is a file; give a folder")


def _is_ours(info: Path) -> bool:
    try:
        return info.read_text(encoding="utf-8", errors="replace").rstrip().endswith(f"|{PRODUCT}")
    except OSError:
        return False
