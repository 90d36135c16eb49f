"""burnysc2 as it is in the registry plays on servers that it starts by itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sc2 import maps
from sc2.data import Difficulty, Race, Result
from sc2.ids.unit_typeid import UnitTypeId
from sc2.main import run_game
from sc2.player import Bot, Computer

from terrarium.server.process.install import install
from tests.server.clients.bots import Loser, Prober, Toucher, Waiter

# The client's own calls of the libraries that it stands on.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")


@pytest.fixture(scope="module", autouse=True)
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in which the client finds a server; it keeps what it found in its class."""
    folder = tmp_path_factory.mktemp("game")
    install(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SC2PATH", str(folder))
        forget_paths()
        yield folder
    forget_paths()


def forget_paths() -> None:
    # Not among the names of this module: pytest looks at these, and the class ends the program
    # where no game is installed.
    from sc2.paths import Paths

    for name in ("BASE", "EXECUTABLE", "CWD", "REPLAYS", "MAPS"):
        if name in vars(Paths):
            delattr(Paths, name)


def test_a_bot_plays_a_computer_and_asks_for_everything(tmp_path: Path) -> None:
    bot, replay = Prober(), tmp_path / "game.SC2Replay"
    result = run_game(
        maps.get("Simple64"),
        [Bot(Race.Terran, bot), Computer(Race.Zerg, Difficulty.Easy)],
        realtime=False,
        save_replay_as=str(replay),
        random_seed=1,
    )
    assert result == Result.Victory
    assert bot.seen == {
        "ramp": bot.seen["ramp"],
        "start is a base": True,
        "enemy starts": 1,
        "first": (50, 12, 12),
        "place": True,
        "point": True,
        "on the townhall": False,
        "way is longer": True,
        "offers": True,
        "marines": [45.0, 45.0],
        "order": bot.seen["order"],
        "chat": ["hello"],
        "died": True,
        "result": "Victory",
    }
    assert bot.seen["ramp"] in (2, 5)
    assert bot.seen["order"].name == "MOVE_MOVE"
    assert bot.events.count("Marine") == 2
    assert replay.stat().st_size > 0


ARMIES = {
    Race.Terran: ["MARINE", "SIEGETANKSIEGED", "MEDIVAC", "WIDOWMINEBURROWED", "BARRACKSREACTOR"],
    Race.Zerg: ["QUEEN", "LURKERMPBURROWED", "OVERSEER", "BANELING", "SPINECRAWLER"],
    Race.Protoss: ["STALKER", "WARPPRISMPHASING", "CARRIER", "DARKTEMPLAR", "WARPGATE"],
}


@pytest.mark.parametrize("race", ARMIES)
def test_nothing_that_a_bot_can_read_raises(race: Race) -> None:
    bot = Toucher([UnitTypeId[name] for name in ARMIES[race]])
    run_game(
        maps.get("Simple64"),
        [Bot(race, bot), Computer(Race.Random, Difficulty.VeryEasy)],
        realtime=False,
        random_seed=1,
    )
    assert bot.raised == {}
    assert bot.n_read > 10_000


def test_two_bots_play_each_other_on_two_servers() -> None:
    waiter = Waiter()
    results = run_game(
        maps.get("Flat64"),
        [Bot(Race.Protoss, waiter), Bot(Race.Zerg, Loser())],
        realtime=False,
        random_seed=1,
    )
    assert results == [Result.Victory, Result.Defeat]
    assert waiter.loops[:3] == [0, 4, 8]
