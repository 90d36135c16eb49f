"""`terrarium play` and `terrarium match`: bots in files."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from terrarium.engine.compiling.cache import cache_folder
from tests.program import call_program

BOTS = Path(__file__).with_name("bots.py")
ROOT = Path(__file__).parents[3]


def play(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own: the client keeps where the game is, and sets up signals."""
    return subprocess.run(
        [sys.executable, "-c", "from terrarium.cli import main; main()", *words],
        cwd=home,
        env={**os.environ, "HOME": str(home), "TERRARIUM_CACHE": str(cache_folder())},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_bot_plays_and_its_logs_and_replay_are_kept(tmp_path: Path) -> None:
    words = ("--map", "Flat64", "--race", "terran", "--opponent", "easy-zerg-rush", "--seed", "1")
    done = play(tmp_path, "play", f"{BOTS}:Waiter", *words, "--limit", "6", "--json")
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert (outcome["map"], outcome["results"]) == ("Flat64", ["Tie"])
    assert outcome["players"][0] == "Waiter"
    kept = {"server.log", "bot.log", "game.SC2Replay", "game.html"}
    assert kept <= set(os.listdir(tmp_path / "match"))
    page = Path(outcome["page"])
    assert page == tmp_path / "match" / "game.html"
    assert "<title>Flat, two bases - Terrarium</title>" in page.read_text(encoding="utf-8")


def test_two_bots_play_each_other(tmp_path: Path) -> None:
    bots = (f"{BOTS}:Waiter", f"{BOTS}:Loser")
    words = ("--races", "zerg", "protoss", "--map", "Flat32", "--no-page")
    done = play(tmp_path, "match", *bots, *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[:2] == ["Waiter: Victory", "Loser: Defeat"]
    assert not (tmp_path / "match" / "game.html").exists()
    assert "terrarium watch" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere.py",), "no such file"),
        ((str(BOTS),), "Name one of them"),
        ((f"{BOTS}:Nobody",), "found: none"),
        ((f"{BOTS}:Waiter", "--race", "humans"), 'race "humans"'),
        ((f"{BOTS}:Waiter", "--opponent", "hard"), "hard-zerg"),
        ((f"{BOTS}:Waiter", "--opponent", "hard-zerg-cheese"), "Builds: "),
        ((f"{BOTS}:Waiter", "--limit", "0"), "--limit is 0"),
        ((f"{BOTS}:Waiter", "--patience", "-1"), "--patience is -1"),
    ],
)
def test_what_cannot_be_played_is_said_in_one_line(words: tuple[str, ...], said: str) -> None:
    answer = call_program("play", *words)
    assert answer.code == 2
    assert said in answer.err
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize("where", ["None", "sys.exit(1)"])
def test_a_file_that_plays_when_it_is_read_is_refused(tmp_path: Path, where: str) -> None:
    file = tmp_path / "eager.py"
    file.write_text(
        "import sys\n"
        "from sc2.bot_ai import BotAI\n"
        "from sc2.main import run_game\n"
        "class Eager(BotAI):\n"
        "    async def on_step(self, iteration: int) -> None: ...\n"
        f"run_game({where}, [Eager()])\n"
    )
    answer = call_program("play", str(file))
    assert answer.code == 2
    assert "starts a game of its own" in answer.err
    assert answer.err.count("\n") == 1


BROKEN = """
{first}
from sc2.bot_ai import BotAI
class Broken(BotAI):
    {start}
    async def on_step(self, iteration: int) -> None:
        {step}
"""
STARTS = "async def on_start(self) -> None: "


def broken(folder: Path, first: str = "", start: str = "", step: str = "pass") -> str:
    """A file with a bot that goes wrong somewhere."""
    file = folder / "broken.py"
    file.write_text(BROKEN.format(first=first, start=start, step=step))
    return str(file)


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("import no_such_module", "line 2: ModuleNotFoundError: No module named"),
        ("1 // 0", "line 2: ZeroDivisionError"),
        ("def broken(", "line 2: "),
        ("raise ValueError('two\\nlines')", "line 2: ValueError: two lines"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_its_line(
    tmp_path: Path, first: str, said: str
) -> None:
    answer = call_program("play", broken(tmp_path, first))
    assert answer.code == 2
    assert f"broken.py, {said}" in answer.err
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"step": "if iteration == 3: [][0]"}, "broken.py, line 7: IndexError: list index out"),
        ({"start": f"{STARTS}self.nothing"}, "broken.py, line 5: AttributeError: "),
        ({"start": "def __init__(self, name): ..."}, "Broken: TypeError: "),
        ({"step": "raise SystemExit(3)"}, "broken.py, line 7: SystemExit: 3"),
        ({"step": "while iteration == 2: pass"}, "line 7: the bot does not come back from here"),
    ],
)
def test_a_bot_that_fails_in_a_game_gets_one_line(
    tmp_path: Path, parts: dict[str, str], said: str
) -> None:
    words = ("--opponent", "easy-zerg", "--map", "Flat32", "--no-page", "--patience", "1")
    done = play(tmp_path, "play", broken(tmp_path, **parts), *words)
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_of_two_bots_the_one_that_fails_is_named(tmp_path: Path) -> None:
    bots = (f"{BOTS}:Waiter", broken(tmp_path, step="if iteration == 3: [][0]"))
    done = play(tmp_path, "match", *bots, "--map", "Flat32", "--no-page")
    assert done.returncode == 2
    assert "broken.py, line 7: IndexError" in done.stderr
    log = tmp_path / "match" / "bot.log"
    assert f"The traceback is in {log}" in done.stderr
    assert "Traceback" in log.read_text(encoding="utf-8")
