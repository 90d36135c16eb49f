"""Computer opponents play whole games."""

import numpy as np
import pytest

from terrarium.data.opponents.levels import RACES, levels
from terrarium.data.opponents.plans import BUILDS
from terrarium.envs.games.game_env import GameEnv
from terrarium.games.ending import GameResult

MINUTE = 1344
LEVELS = tuple(levels())
PAIRS = [(race, build) for race in RACES for build in BUILDS]
ENVS: dict[tuple[str, str], GameEnv] = {}


def game(players: tuple[str, str], limit_ticks: int) -> GameEnv:
    return GameEnv("simple_64", players, limit_ticks=limit_ticks)


def check(env: GameEnv) -> None:
    """What holds at every moment of every game."""
    units, players = env.sim.units[0], env.sim.players[0, 1:]
    assert (players["minerals"] >= 0.0).all()
    assert (players["vespene"] >= 0.0).all()
    accounts = env.sim.games.accounts[0, 1:]
    assert (accounts["supply_used"] <= 200.0).all()
    x0, y0, x1, y1 = env.map.playable
    alive = units[units["alive"]]
    assert ((alive["x"] >= x0) & (alive["x"] <= x1)).all()
    assert ((alive["y"] >= y0) & (alive["y"] <= y1)).all()


@pytest.mark.parametrize("number", range(len(PAIRS)), ids=lambda k: "-".join(PAIRS[k]))
def test_every_level_race_and_build_plays_a_minute(number: int) -> None:
    """Each build of each race once, and each level three times."""
    race, build = PAIRS[number]
    first = f"{LEVELS[number % len(LEVELS)]}-{race}-{build}"
    second = f"{LEVELS[(number + 5) % len(LEVELS)]}-{RACES[number % 3]}-{BUILDS[number % 5]}"
    env = game((first, second), MINUTE)
    env.reset(number)
    while not env.over:
        env.step()
        check(env)
    for player in (1, 2):
        score = env.score(player)
        assert score["workers"] >= 14
        assert score["gathered_minerals"] >= 500
        # It has built something: at least its first supply.
        built = env.view(player).own
        assert env.catalog.is_structure[built.kind].sum() + score["supply_cap"] > 15
    env.close()


def test_equal_seeds_play_equal_games() -> None:
    env = game(("hard-random", "veryhard-random"), MINUTE)
    digests = []
    for seed in (3, 4, 3):
        env.reset(seed)
        while not env.over:
            env.step()
        digests.append((env.races, env.sim.digest(0)))
    assert digests[0] == digests[2] != digests[1]
    env.close()


def test_a_game_ends_with_a_winner() -> None:
    """The best level against the weakest one."""
    env = game(("cheatinsane-terran-rush", "veryeasy-zerg"), 40_000)
    while not env.over:
        env.step()
        check(env)
    assert env.results == (GameResult.VICTORY, GameResult.DEFEAT)
    assert env.loop < 16_000
    env.close()


def test_a_level_that_cheats_gathers_more() -> None:
    env = game(("cheatinsane-terran-macro", "veryhard-terran-macro"), 2 * MINUTE)
    while not env.over:
        env.step()
    accounts, players = env.sim.games.accounts[0], env.sim.players[0]
    spent = [env.view(k).own for k in (1, 2)]
    worth = [float(env.catalog.cost[own.kind].sum()) + players["minerals"][k + 1]
             for k, own in enumerate(spent)]  # fmt: skip
    assert accounts["gathered_minerals"][1] < 1.3 * accounts["gathered_minerals"][2]
    assert worth[0] - worth[1] > 0.4 * accounts["gathered_minerals"][1]
    env.close()


def test_what_is_not_seen_is_not_known() -> None:
    """A view holds no enemy in the fog; that of a level that sees all holds every one."""
    env = game(("veryhard-terran", "cheatvision-zerg"), MINUTE)
    for _ in range(20):
        env.step()
    assert len(env.view(1).enemy) == 0
    from terrarium.games.player_view import PlayerView

    assert len(PlayerView(env.sim, 0, 2, env.catalog, sees_all=True).enemy) >= 13
    tags = env.view(1).own.tag
    assert (np.diff(tags) > 0).all()
    env.close()
