"""Every command, given what it cannot use: one line that says so, and exit code 2."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from terrarium import cli
from tests.program import call_program

PROGRAM = [sys.executable, "-c", "from terrarium.cli import main; main()"]
PATHS = [
    "watch HERE",
    "watch 3m --policy HERE",
    "watch mpe/simple_spread --policy HERE",
    "eval HERE 3m",
    "eval kiting HERE",
    "eval kiting 3m --rules HERE",
    "compare HERE",
    "crossplay HERE random",
    "ablate HERE",
    "train mappo HERE",
    "train mappo 3m --preset HERE",
    "train --resume HERE",
    "map HERE",
    "import-map HERE HERE --out map.toml",
    "run-smac HERE",
    "play HERE",
    "match HERE HERE",
    "list units --rules HERE",
    "list abilities --rules HERE",
    "list upgrades --rules HERE",
    "list settings mappo HERE",
    "bench engine --scenarios HERE",
    "bench env --scenarios HERE",
    "bench train --scenario HERE",
    "bench updates --scenario HERE",
    "bench pettingzoo --scenario HERE",
    "bench fidelity --recordings HERE",
    "bench fidelity --rules HERE",
    "bench economy --games HERE",
    "bench game --map HERE",
    "bench opponents --maps HERE",
]
"""What reads a file, a folder or a name"""
OUTPUTS = [
    "watch 3m --out HERE",
    "watch 3m --png HERE",
    "watch 3m --gif HERE",
    "watch 3m --save-record HERE",
    "map flat_32 --png HERE",
    "map flat_32 --out HERE.toml",
    "sc2path HERE",
    "serve --log HERE",
    "train mappo 3m run.folder=HERE run.max_steps=64",
    "demo --folder HERE",
]
"""What writes one"""
TAKE_ANY_WORD = {"run-smac", "serve", "train", "list settings"}
"""Words behind these belong to another program, or are settings, which tell of themselves"""


def refused(*words: str, home: Path | None = None) -> str:
    """What a command says that refuses to work."""
    answer = call_program(*words, home=home)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("terrarium: ")
    assert answer.err.count("\n") == 1
    return answer.err


def put(line: str, name: str) -> list[str]:
    return [word.replace("HERE", name) for word in line.split()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what is no scenario, map, run, bot, record or rule set."""
    home = tmp_path_factory.mktemp("home")
    (home / "folder").mkdir()
    (home / "bytes.toml").write_bytes(b"\xff\xfe\x00\x01")
    (home / "bytes").write_bytes(b"\xff\xfe\x00\x01")
    (home / "other.toml").write_text("x = 1\n")
    (home / "circle").symlink_to(home / "circle")
    return home


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_unknown_options_are_refused(command: str) -> None:
    if command == "run-smac":
        pytest.skip("all words behind the script are its own")
    assert "--nonsense" in refused(*command.split(), "--nonsense")


@pytest.mark.parametrize("command", [name for name in cli.COMMANDS if name not in TAKE_ANY_WORD])
def test_superfluous_words_are_refused(command: str, tmp_path: Path) -> None:
    refused(*command.split(), *["nonsense"] * 9, home=tmp_path)


@pytest.mark.parametrize("name", ["folder", "bytes", "bytes.toml", "other.toml", "none", "circle"])
@pytest.mark.parametrize("line", PATHS)
def test_what_cannot_be_read_is_refused(folder: Path, line: str, name: str) -> None:
    if line.startswith("run-smac") and name in ("bytes", "bytes.toml", "other.toml"):
        pytest.skip("a program that fails gets the traceback that Python gives it")
    refused(*put(line, name), home=folder)


@pytest.mark.parametrize("line", [*PATHS, *OUTPUTS])
def test_names_that_no_file_can_have_are_refused(folder: Path, line: str) -> None:
    refused(*put(line, 300 * "x"), home=folder)


@pytest.mark.parametrize("line", OUTPUTS)
def test_what_cannot_be_written_is_refused(folder: Path, line: str) -> None:
    refused(*put(line, "bytes/file"), home=folder)


def test_a_bot_that_python_cannot_read_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("\ndef (\n")
    assert "bot.py, line 2: invalid syntax" in refused("play", "bot.py", home=tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("columns", ["20", "40"])
def test_narrow_terminals_without_colors_get_the_same_words(columns: str) -> None:
    plain = {**os.environ, "COLUMNS": columns, "NO_COLOR": "1", "TERM": "dumb"}
    for words in (["--help"], ["list", "scenarios", "smac"], ["train", "--help"]):
        done = subprocess.run([*PROGRAM, *words], capture_output=True, env=plain, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        assert b"\x1b" not in done.stdout
        assert done.stdout
