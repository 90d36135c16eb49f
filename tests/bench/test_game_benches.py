"""Measurements of whole games: what they count, and what they refuse."""

from itertools import product

import pytest

from terrarium.bench.games.many_games import bench_batch
from terrarium.bench.games.opponents import OpponentBenchConfig, bench_opponents
from terrarium.bench.games.recorded import LOOPS, RECORDED
from terrarium.bench.games.soak import SoakPairing, look_at, pairings, watch
from terrarium.bench.games.speed import SLICE_LOOPS, GameBenchConfig, bench_game
from terrarium.data.opponents.levels import RACES, levels
from terrarium.envs.games.game_env import STEP_TICKS, GameEnv
from terrarium.errors import TerrariumError


def test_a_game_is_timed_minute_by_minute() -> None:
    players = ("easy-terran", "easy-zerg")
    result = bench_game(GameBenchConfig("simple_64", players, loops=SLICE_LOOPS + 80))
    assert [minute.loop for minute in result.minutes] == [SLICE_LOOPS, SLICE_LOOPS + 80]
    assert result.loops == SLICE_LOOPS + 80
    assert result.slowest_loops_per_s <= result.loops_per_s
    assert all(0.0 < minute.scripts_share < 1.0 for minute in result.minutes)


def test_levels_are_measured_beside_recorded_games_and_beside_each_other() -> None:
    config = OpponentBenchConfig(
        levels=("VeryHard",),
        races=("Zerg",),
        games=1,
        duels=1,
        maps=("simple_64",),
        limit_ticks=400,
    )
    result = bench_opponents(config)
    assert [row.loop for row in result.developments] == list(LOOPS)
    first = result.developments[0]
    assert (first.games, first.recorded_workers) == (1, 16)
    assert abs(first.workers - 16) <= 2
    (duels,) = result.duels
    assert (duels.level, duels.below, duels.games, duels.undecided) == ("VeryHard", "Harder", 1, 1)


def test_recorded_levels_are_levels() -> None:
    assert set(RECORDED) < set(levels())
    assert all(set(by_race) == set(RACES) for by_race in RECORDED.values())


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"levels": ("Hrad",)}, 'Did you mean "Hard"'),
        ({"races": ("Zrg",)}, 'Did you mean "Zerg"'),
        ({"games": -1}, "games is -1"),
        ({"maps": ("simpel_64",)}, 'Did you mean "simple_64"'),
        ({"maps": ()}, "name one or more"),
        ({"soak": -1}, "soak is -1"),
        ({"processes": 0}, "processes is 0"),
    ],
)
def test_a_bench_that_makes_no_sense_is_refused(options: dict[str, object], told: str) -> None:
    with pytest.raises(TerrariumError, match=told):
        OpponentBenchConfig(**options)  # type: ignore[arg-type]
    with pytest.raises(TerrariumError, match="loops is 0"):
        GameBenchConfig(loops=0)


def test_a_batch_is_timed_on_one_thread_and_on_two() -> None:
    config = GameBenchConfig("simple_64", ("easy-terran", "easy-zerg"), loops=400)
    one, two = bench_batch(config, batch=3, threads=2, tell=lambda text: None)
    assert (one.threads, two.threads) == (1, 2)
    assert min(one.loops_per_s, two.loops_per_s) > 0.0
    with pytest.raises(TerrariumError, match="batch is -1"):
        GameBenchConfig(batch=-1)


def test_watched_games_are_of_all_races_on_ten_maps() -> None:
    games = pairings(100, seed=3)
    assert len({game.map for game in games}) == 10
    assert {tuple(word.split("-")[1] for word in game.players) for game in games} == set(
        product(RACES, repeat=2)
    )
    assert {game.players[0].split("-")[0] for game in games} == set(levels())
    assert len({game.seed for game in games}) == 100


def test_a_watched_game_tells_what_is_wrong() -> None:
    pairing = SoakPairing("simple_64", ("cheatinsane-zerg-rush", "veryeasy-terran"), 1, 16_000)
    game = watch(pairing)
    assert game.results == ("VICTORY", "DEFEAT")
    assert game.problems == ()
    assert game.looks >= game.loops / STEP_TICKS
    unfinished = watch(SoakPairing("simple_64", ("easy-zerg", "easy-terran"), 1, 80))
    assert (unfinished.results, unfinished.looks) == (("UNDECIDED",) * 2, 10)
    assert unfinished.problems == ("no result but undecided and undecided",)
    env = GameEnv("simple_64", ("easy-terran", "easy-zerg"))
    assert look_at(env) == []
    env.sim.players["minerals"][0, 1] = -5.0
    env.sim.games.accounts["supply_used"][0, 2] = 201.0
    worker = int(env.view(1).own_slots[1])
    env.sim.units["x"][0, worker] = -3.0
    assert look_at(env) == ["a unit outside the map", "negative resources", "supply above 200"]
