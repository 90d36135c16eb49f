"""Bots in Python files, and computer opponents by name."""

import inspect
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import NoReturn

import sc2.main as client
from sc2.bot_ai import BotAI
from sc2.data import AIBuild, Difficulty, Race

from terrarium.errors import TerrariumError, nearest
from terrarium.server.matches.trouble import MatchError, line_about

RACES = tuple(race.name.lower() for race in Race if race.name != "NoRace")


@dataclass(frozen=True)
class ComputerName:
    """A computer opponent as it was named: hard-zerg, cheat-insane-terran, easy-random-rush."""

    difficulty: Difficulty
    race: Race
    build: AIBuild


def load_bot(words: str) -> type[BotAI]:
    """The bot in a file, or the one of several that is named: `bots.py:Rusher`."""
    name, _, wanted = words.rpartition(":") if ".py:" in words else (words, "", "")
    file = Path(name)
    if not file.is_file():
        raise MatchError(f"{name}: there is no such file; a bot is a Python file for burnysc2")
    if file.suffix != ".py":
        raise MatchError(f"{name}: a bot is a Python file for burnysc2, with a name in .py")
    bots = _bots_in(file)
    if wanted:
        bots = {key: bot for key, bot in bots.items() if key == wanted}
    if len(bots) != 1:
        found = ", ".join(bots) or "none"
        hint = "" if wanted or not bots else f" Name one of them: {name}:{next(iter(bots))}"
        raise MatchError(f"{words}: needed is one class of a bot (BotAI); found: {found}.{hint}")
    return next(iter(bots.values()))


def _bots_in(file: Path) -> dict[str, type[BotAI]]:
    """The classes of bots that a file defines itself."""
    label = f"terrarium_bot_{file.stem}"
    spec = spec_from_file_location(label, file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[label] = module  # dataclasses look themselves up there
    sys.path.insert(0, str(file.parent.absolute()))  # bots import what lies beside them
    with _no_games_from(file):
        try:
            spec.loader.exec_module(module)
        except SyntaxError as error:
            raise MatchError(f"{error.filename}, line {error.lineno}: {error.msg}") from None
        except TerrariumError:
            raise
        except Exception as error:
            raise MatchError(line_about(error, [file.absolute().parent])) from error
    classes = inspect.getmembers(module, inspect.isclass)
    return {
        name: found
        for name, found in classes
        if issubclass(found, BotAI) and found.__module__ == label
    }


@contextmanager
def _no_games_from(file: Path) -> Iterator[None]:
    """Refuse the game that a file starts while it is read: many examples end with one."""

    error = MatchError(
        f"{file} starts a game of its own when it is read; put its run_game(...) below "
        'if __name__ == "__main__":'
    )

    def refuse(*args: object, **settings: object) -> NoReturn:
        raise error

    run_game = client.run_game
    client.run_game = refuse
    try:
        yield
    except SystemExit:  # the client ends the program where it finds no map for that game
        raise error from None
    finally:
        client.run_game = run_game


def race_named(name: str) -> Race:
    """Any case will do."""
    if name.lower() not in RACES:
        raise MatchError(
            f'race "{name}".{nearest(name.lower(), RACES)} Allowed: {", ".join(RACES)}'
        )
    return Race[name.capitalize()]


def computer_named(name: str) -> ComputerName:
    """Read the level, the race, and if it is there the build of an opponent."""
    levels = {_dashed(level.name): level for level in Difficulty}
    builds = {build.name.lower(): build for build in AIBuild if build.name != "RandomBuild"}
    for dashed, level in levels.items():
        rest = name.lower().removeprefix(f"{dashed}-")
        if rest == name.lower():
            continue
        race, _, build = rest.partition("-")
        if race in RACES and (not build or build in builds):
            return ComputerName(level, race_named(race), builds.get(build, AIBuild.RandomBuild))
    raise MatchError(
        f'opponent "{name}": needed are a level and a race, as in hard-zerg, and maybe a build, as '
        f"in hard-zerg-rush. Levels: {', '.join(levels)}. Races: {', '.join(RACES)}. "
        f"Builds: {', '.join(builds)}"
    )


def _dashed(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()
