"""`terrarium sc2path`, `serve` and `play`: what a person types."""

import os
import subprocess
from pathlib import Path

import pytest

from terrarium.cli.serve import Serve
from terrarium.errors import TerrariumError
from terrarium.server.maps.catalog import map_files
from terrarium.server.process.install import InstallError, install
from tests.program import call_program


def test_sc2path_makes_a_folder_and_prints_the_line_for_the_shell(tmp_path: Path) -> None:
    answer = call_program("sc2path", "my game", home=tmp_path)
    folder = tmp_path / "my game"
    assert answer.out == f"export SC2PATH='{folder}'\n"
    assert (answer.code, answer.err) == (0, "")
    binary = folder / "Versions" / "Base75689" / "SC2_x64"
    assert os.access(binary, os.X_OK)
    assert "terrarium_map" in (folder / "Maps" / "SMAC_Maps" / "3m.SC2Map").read_text()
    assert all((folder / "Maps" / path).is_file() for path in map_files())


def test_what_a_user_put_into_the_folder_stays(tmp_path: Path) -> None:
    install(tmp_path / "game")
    file = tmp_path / "game" / "Maps" / "Melee" / "Flat64.SC2Map"
    file.write_text("mine")
    install(tmp_path / "game")
    assert file.read_text() == "mine"


def test_the_real_game_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "SC2Data").mkdir()
    answer = call_program("sc2path", str(tmp_path))
    assert answer.code == 2
    assert "real game" in answer.err
    assert sorted(os.listdir(tmp_path)) == ["SC2Data"]
    (tmp_path / "file").write_text("")
    assert "is a file" in call_program("sc2path", str(tmp_path / "file")).err


def test_a_platform_whose_clients_start_an_exe_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(InstallError, match="WSL"):
        install(tmp_path / "game", platform="win32")
    mac = install(tmp_path / "mac", platform="darwin")
    assert mac.relative_to(tmp_path / "mac").parts[-4:] == ("SC2.app", "Contents", "MacOS", "SC2")


def test_the_executable_refuses_a_port_that_is_none(tmp_path: Path) -> None:
    binary = install(tmp_path / "game")
    done = subprocess.run(
        [binary, "-port", "many", "-verbose"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr == "terrarium: -port many: a port is a number from 1 to 65535\n"


def test_serve_understands_its_own_words_and_leaves_the_games() -> None:
    command = Serve.from_words(["--port=5001", "-verbose", "--host", "0.0.0.0", "-dataDir", "x"])
    assert command.flags == ("-port", "5001", "-verbose", "-listen", "0.0.0.0", "-dataDir", "x")
    with pytest.raises(TerrariumError, match="unknown option"):
        Serve.from_words(["--prt", "1"])
    with pytest.raises(TerrariumError, match="needs a value"):
        Serve.from_words(["--log"])
