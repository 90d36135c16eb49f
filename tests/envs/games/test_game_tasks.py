"""Whole games as tasks: evaluated and recorded, refused for training."""

import numpy as np
import pytest

from terrarium.envs.tasks.games import GameTask
from terrarium.envs.tasks.registry import find_task
from terrarium.envs.tasks.task import EnvSetup, EvalRound
from terrarium.errors import TerrariumError

OPTIONS = {"opponent": "easy-zerg", "limit_ticks": 400}


def test_a_player_is_evaluated_the_same_each_time() -> None:
    task = find_task("game/simple_64", OPTIONS)
    player = task.player("hard-random")
    told = [task.evaluate(player, EvalRound(2, seed=3)).as_json() for _ in range(2)]
    assert [(row["timeouts"], row["mean_loops"]) for row in told] == [(2, 400.0)] * 2
    assert told[0]["win_rate"] == 0.0


def test_a_game_is_recorded_and_played_again(tmp_path) -> None:  # type: ignore[no-untyped-def]
    task = find_task("game/simple_64", OPTIONS)
    replay = task.record(task.player("hard-terran-rush"), 1, "a game")
    assert replay.save(tmp_path / "game.trec") < 20_000
    replay.prepare()
    assert replay.save_page(tmp_path / "game.html") < 5_000_000


def test_whole_games_are_not_trained_on() -> None:
    task = find_task("game/simple_64")
    assert isinstance(task, GameTask)
    for refused in (
        lambda: task.spec(("obs",)),
        lambda: task.open(1, np.zeros(1, np.uint64), (), EnvSetup()),
        lambda: task.check_training(EnvSetup()),
    ):
        with pytest.raises(TerrariumError, match="make_game"):
            refused()


@pytest.mark.parametrize(
    ("word", "options", "told"),
    [
        ("game/simpel_64", {}, 'Did you mean "simple_64"'),
        ("game/simple_64", {"opponent": "hrad-zerg"}, 'Did you mean "Hard"'),
        ("game/simple_64", {"oponent": "hard-zerg"}, 'Did you mean "opponent"'),
        ("game/simple_64", {"limit_ticks": 0}, "limit_ticks is 0"),
    ],
)
def test_what_is_no_game_is_told(word: str, options: dict[str, object], told: str) -> None:
    with pytest.raises(TerrariumError, match=told):
        find_task(word, options)
