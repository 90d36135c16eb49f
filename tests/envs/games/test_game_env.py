"""Whole games as environments: what a program that plays one does and is told."""

import pytest

import terrarium
from terrarium.envs.games.game_env import GameEnv
from terrarium.errors import TerrariumError
from terrarium.tactics.macro.game_view import GameOrder, GameOrderKind


@pytest.fixture(scope="module")
def env() -> GameEnv:
    return terrarium.make_game("simple_64", ("terran", "easy-zerg"), limit_ticks=4000)


def test_orders_are_carried_out_and_refused(env: GameEnv) -> None:
    env.reset(1)
    view = env.view(1)
    hall = int(view.own.tag[env.catalog.is_townhall[view.own.kind]][0])
    worker = int(view.own.tag[env.catalog.is_worker[view.own.kind]][0])
    train = GameOrder(GameOrderKind.MAKE, [hall], "scv")
    env.step({1: [train, train, GameOrder(GameOrderKind.MAKE, [worker], "marine")]})
    answers = [(refusal.tag, refusal.result) for refusal in env.refusals[1]]
    assert answers == [(hall, "NotEnoughMinerals"), (worker, "NotSupported")]
    assert env.view(1).making[env.catalog.rows["scv"]] == 1
    assert env.view(1).minerals == 0.0


def test_a_player_builds_by_orders_alone(env: GameEnv) -> None:
    env.reset(2)
    depot, ordered = env.catalog.rows["supply_depot"], False
    while not env.over and env.loop < 1500:
        view = env.view(1)
        if view.minerals >= 100.0 and not ordered:
            places = [(x + 0.0, y + 0.0) for x in range(12, 40) for y in range(12, 40)]
            fits = view.can_place("supply_depot", places)
            worker = int(view.own.tag[env.catalog.is_worker[view.own.kind]][0])
            x, y = places[int(fits.nonzero()[0][0])]
            env.step({1: [GameOrder(GameOrderKind.BUILD, [worker], "supply_depot", x, y)]})
            assert env.refusals[1] == []
            ordered = True
            continue
        env.step()
    built = env.view(1).own
    assert (built.kind == depot).sum() == 1
    assert env.view(1).supply_cap == 23.0


def test_equal_orders_make_equal_games(env: GameEnv) -> None:
    digests = []
    for seed in (5, 5, 6):
        env.reset(seed)
        for _ in range(30):
            env.step()
        digests.append(env.sim.digest(0))
    assert digests[0] == digests[1] != digests[2]


def test_the_time_limit_truncates() -> None:
    env = terrarium.make_game("simple_64", ("terran", "zerg"), limit_ticks=20)
    over = [env.step() for _ in range(3)]
    assert over == [False, False, True]
    assert (env.loop, env.truncated) == (20, True)
    with pytest.raises(TerrariumError, match="the game is over"):
        env.step()
    env.close()


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: terrarium.make_game("simpel_64"), 'Did you mean "simple_64"'),
        (lambda: terrarium.make_game(players=("terran", "hrad-zerg")), 'Did you mean "Hard"'),
        (lambda: terrarium.make_game(players=("teran", "hard-zerg")), "unknown player"),
        (lambda: terrarium.make_game(players=("terran",)), "two or more"),
        (lambda: terrarium.make_game(step_ticks=0), "step_ticks is 0"),
        (lambda: terrarium.make_game(players=("terran",) * 3), "start locations"),
    ],
)
def test_what_makes_no_game_is_told(make, told: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TerrariumError, match=told):
        make()


def test_orders_that_nobody_could_mean_are_told(env: GameEnv) -> None:
    env.reset(0)
    worker = int(env.view(1).own.tag[-1])
    with pytest.raises(TerrariumError, match='Did you mean "supply_depot"'):
        env.step({1: [GameOrder(GameOrderKind.BUILD, [worker], "suply_depot", 20.0, 20.0)]})
    with pytest.raises(TerrariumError, match="plays by itself"):
        env.step({2: []})
    with pytest.raises(TerrariumError, match="players 1 to 2"):
        env.view(3)
