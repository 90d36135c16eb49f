"""`terrarium play` and `terrarium match`: bots written for burnysc2, without StarCraft II."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from terrarium.cli.serve import need_server_packages
from terrarium.cli.tables import print_json
from terrarium.errors import TerrariumError

if TYPE_CHECKING:
    from terrarium.server.matches.match import MatchOutcome, MatchPlan

ANY_RACE = "random"


@dataclass(frozen=True)
class Play:
    """Let a bot, a Python file for burnysc2 (python-sc2), play an opponent.

    A folder gets its logs, those of the server, the replay and a page of the game.

    Example:  terrarium play my_bot.py --race terran --opponent hard-zerg
    """

    bot: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="BOT.py")]
    """the file; BOT.py:Class if it holds several"""
    map: str = "Simple64"
    """a file of the folder of maps (terrarium sc2path)"""
    opponent: str = "hard-zerg"
    """level, race, and maybe a build: cheat-insane-random, easy-terran-rush"""
    race: str = ANY_RACE
    """of the bot"""
    seed: int | None = None
    """of the game"""
    limit: int | None = None
    """seconds of the game until it is a tie"""
    realtime: bool = False
    """at the speed of the ladder"""
    patience: int = 60
    """seconds that a step of a bot may take before it counts as hanging; 0 = any"""
    out: str = "match"
    """folder for logs, the replay and the page"""
    no_page: bool = False
    """do not write game.html, the page that shows the game in a browser"""
    json: bool = False
    """print JSON"""

    def run(self) -> None:
        _check_limit(self.limit)
        _check_patience(self.patience)
        need_server_packages()
        from terrarium.server.matches.bot_files import computer_named
        from terrarium.server.matches.match import MatchPlan

        computer = computer_named(self.opponent)
        plan = MatchPlan(
            map=self.map,
            bots=(_seat(self.bot, self.race),),
            computer=computer,
            folder=Path(self.out),
            seed=self.seed,
            realtime=self.realtime,
            limit_seconds=self.limit,
            page=not self.no_page,
            patience_seconds=self.patience,
        )
        _play(plan, self.json)


@dataclass(frozen=True)
class PlayMatch:
    """Let two bots play each other. Bots are Python files for burnysc2 (python-sc2).

    Example:  terrarium match my_bot.py old_bot.py --races terran zerg
    """

    bot_a: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="BOT_A.py")]
    """the file of the first bot; BOT.py:Class if it holds several"""
    bot_b: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="BOT_B.py")]
    """the file of the second"""
    map: str = "Simple64"
    """a file of the folder of maps (terrarium sc2path)"""
    races: tuple[str, str] = (ANY_RACE, ANY_RACE)
    """of both bots"""
    seed: int | None = None
    """of the game"""
    limit: int | None = None
    """seconds of the game until it is a tie"""
    realtime: bool = False
    """at the speed of the ladder"""
    patience: int = 60
    """seconds that a step of a bot may take before it counts as hanging; 0 = any"""
    out: str = "match"
    """folder for logs, the replay and the page"""
    no_page: bool = False
    """do not write game.html, the page that shows the game in a browser"""
    json: bool = False
    """print JSON"""

    def run(self) -> None:
        _check_limit(self.limit)
        _check_patience(self.patience)
        need_server_packages()
        from terrarium.server.matches.match import MatchPlan

        plan = MatchPlan(
            map=self.map,
            bots=(_seat(self.bot_a, self.races[0]), _seat(self.bot_b, self.races[1])),
            computer=None,
            folder=Path(self.out),
            seed=self.seed,
            realtime=self.realtime,
            limit_seconds=self.limit,
            page=not self.no_page,
            patience_seconds=self.patience,
        )
        _play(plan, self.json)


def _check_limit(seconds: int | None) -> None:
    if seconds is not None and seconds < 1:
        raise TerrariumError(f"--limit is {seconds}; it must be 1 or more")


def _check_patience(seconds: int) -> None:
    if seconds < 0:
        raise TerrariumError(f"--patience is {seconds}; it must be 0 or more")


def _seat(words: str, race: str):  # type: ignore[no-untyped-def]  # its type is of an extra
    from terrarium.server.matches.bot_files import load_bot, race_named
    from terrarium.server.matches.match import BotSeat

    kind = load_bot(words)
    return BotSeat(kind.__name__, kind, race_named(race))


def _play(plan: "MatchPlan", as_json: bool) -> None:
    from terrarium.server.matches.match import play_match

    outcome = play_match(plan)
    if as_json:
        print_json(asdict(outcome))
    else:
        _report(outcome, plan.folder)


def _report(outcome: "MatchOutcome", folder: Path) -> None:
    for player, result in zip(outcome.players, outcome.results, strict=False):
        print(f"{player}: {result}")
    print(f"{outcome.map}, {outcome.seconds:g} s; logs in {folder}")
    if outcome.page is not None:
        print(f"watch it in a browser: {outcome.page}")
    elif outcome.replay is not None:
        print(f"watch it: terrarium watch {outcome.replay}")
