"""Recorded games played back: who builds does not gather, and ours stays near what was recorded."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from terrarium.bench.economy.config import EconomyBenchConfig
from terrarium.bench.economy.playback import Gathered, play_back
from terrarium.bench.economy.recorded import load_games
from terrarium.bench.economy.summary import bench_economy, summarize
from terrarium.errors import TerrariumError
from tests.shared_facts import CAPTURES

GAMES = CAPTURES.parent.parent / "reference" / "economy_open.json"
LOOPS = [1, 160, 320, 480, 640, 800, 960, 1120, 1280, 1440, 1600]
Player = dict[str, Any]


def recorded(tmp_path: Path, change: Callable[[Player], None] = lambda player: None) -> Path:
    """A file with one game of two Terrans who do nothing, but for what `change` makes of the
    first."""
    series = {
        "loop": LOOPS,
        "workers": [12] * len(LOOPS),
        "minerals_mined_total": [max(1, loop // 2) for loop in LOOPS],
        "gas_mined_total": [0] * len(LOOPS),
    }
    players: list[Player] = [
        {
            "race": "T",
            "kind": "human",
            "start": start,
            "series": series,
            "structures": [],
            "units": {},
        }
        for start in ([30.5, 30.5], [100.5, 100.5])
    ]
    change(players[0])
    game = {"id": "G1", "group": "made", "capture_map": None, "loops": 1600, "players": players}
    file = tmp_path / "games.json"
    file.write_text(json.dumps({"games": [game]}), encoding="utf-8")
    return file


def played(file: Path) -> Gathered:
    """What the first player has at the end."""
    return play_back(load_games(file)[0], {}, [1600])[0]


def test_births_losses_builders_and_gas_change_what_is_gathered(tmp_path: Path) -> None:
    alone = played(recorded(tmp_path))
    assert alone.workers_ours == 12

    def with_births(player: Player) -> None:
        player["units"] = {"SCV": [272, 543]}

    more = played(recorded(tmp_path, with_births))
    assert more.workers_ours == 14
    assert more.ours > alone.ours

    def with_losses(player: Player) -> None:
        player["workers_lost"] = [300, 301]

    fewer = played(recorded(tmp_path, with_losses))
    assert fewer.workers_ours == 10
    assert fewer.ours < alone.ours

    def with_builder(player: Player) -> None:
        player["structures"] = [["Barracks", 400, 1136, None, 36.5, 36.5]]

    building = played(recorded(tmp_path, with_builder))
    assert building.workers_ours == 12
    assert building.ours < alone.ours - 15  # about six trips of one worker

    def with_gas(player: Player) -> None:
        player["structures"] = [["Refinery", 100, 580, None, 36.5, 36.5]]
        gas = [0] * 4 + [19 * k for k in range(1, 8)]
        player["series"] = {**player["series"], "gas_mined_total": gas}

    assert played(recorded(tmp_path, with_gas)).ours < building.ours


def test_a_new_townhall_takes_the_workers_that_have_no_field(tmp_path: Path) -> None:
    def crowd(player: Player) -> None:
        player["units"] = {"SCV": [10] * 12}

    def expand(player: Player) -> None:
        crowd(player)
        player["structures"] = [["CommandCenter", 20, 100, None, 60.5, 60.5]]

    one, two = played(recorded(tmp_path, crowd)), played(recorded(tmp_path, expand))
    assert two.ours > 1.04 * one.ours


def test_workers_run_away_from_a_raid_and_from_no_lone_loss(tmp_path: Path) -> None:
    """A scout that dies takes nobody along; of the built-in AI all of a base run."""

    def lose(losses: list[int], kind: str) -> Gathered:
        def change(player: Player) -> None:
            player["workers_lost"], player["kind"] = losses, kind

        return played(recorded(tmp_path, change))

    alone, apart = lose([400], "human"), lose([400, 1100], "human")
    raid, pulled = lose([400, 440], "human"), lose([400, 440], "built-in AI")
    assert alone.workers_ours == 11
    assert apart.workers_ours == raid.workers_ours == pulled.workers_ours == 10
    assert raid.ours < apart.ours - 15
    assert pulled.ours < raid.ours - 15


def test_the_built_in_ai_spreads_its_workers_over_its_bases(tmp_path: Path) -> None:
    """It walks half of them to a new base, and gathers less meanwhile."""

    def expand(kind: str) -> Gathered:
        def change(player: Player) -> None:
            player["kind"] = kind
            player["structures"] = [["CommandCenter", 20, 1300, None, 60.5, 60.5]]

        return played(recorded(tmp_path, change))

    assert expand("built-in AI").ours < expand("human").ours - 15


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{}", "no recorded games"),
        ("[", "no recorded games"),
        ('{"games": [{"id": 1}]}', "no recorded games"),
    ],
)
def test_a_file_that_holds_no_games_is_refused(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "games.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(TerrariumError, match=says):
        load_games(file)


def test_loops_and_games_that_are_not_there_are_refused(tmp_path: Path) -> None:
    file = recorded(tmp_path)
    with pytest.raises(TerrariumError, match="no multiple of 160"):
        EconomyBenchConfig(str(file), loops=(1000,))
    with pytest.raises(TerrariumError, match='no recorded game "G9"'):
        bench_economy(EconomyBenchConfig(str(file), only=("G9",)))
    with pytest.raises(TerrariumError, match="there is no such folder"):
        bench_economy(EconomyBenchConfig(str(file), maps=str(tmp_path / "nowhere")))


@pytest.mark.slow
@pytest.mark.skipif(not GAMES.is_file(), reason="the recorded games are not here")
def test_ours_is_near_what_recorded_games_gathered() -> None:
    """The fifty open games of economy.md, 14: the mean of each race within 2 %, and nearly all
    players within 6 %."""
    rows = bench_economy(EconomyBenchConfig(str(GAMES), str(CAPTURES)))
    assert all(row.workers_ours - row.workers_recorded in (-1, 0, 1) for row in rows)
    summaries = summarize(rows)
    for summary in summaries:
        assert abs(summary.mean) <= 0.02, summary
    for loop in (1600, 3200, 6400):
        at_loop = [summary for summary in summaries if summary.loop == loop]
        assert sum(summary.n_players for summary in at_loop) == 100
        assert sum(summary.n_near for summary in at_loop) >= 90, loop
