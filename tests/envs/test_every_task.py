"""What every kind of task promises to training, eval, watch and crossplay."""

from pathlib import Path

import numpy as np
import pytest

from terrarium.envs.tasks.registry import KINDS, find_task, kind_of
from terrarium.envs.tasks.task import EnvSetup, EvalRound, Task
from terrarium.errors import TerrariumError
from terrarium.replay.replays import load_replay

TASKS = {
    "3m": {"reward_sparse": True},
    "mpe/simple_tag": {"max_cycles": 4},
    "pettingzoo:tests.envs.pettingzoo.zoo:plain": {},
    "gym:CartPole-v1": {"max_episode_steps": 6},
}
DRAWN = ["3m", "mpe/simple_tag", "gym:CartPole-v1"]
VIEWS = ("obs", "state")


@pytest.fixture(params=TASKS, ids=str)
def task(request: pytest.FixtureRequest) -> Task:
    return find_task(request.param, TASKS[request.param])


def test_every_kind_is_tried_here() -> None:
    prefixes = {prefix for prefix in KINDS for name in TASKS if name.startswith(prefix)}
    # Whole games are played, but not trained on: tests/envs/games.
    assert prefixes == set(KINDS) - {"game/"}


def test_it_is_found_again_by_its_name_and_its_options(task: Task) -> None:
    again = find_task(task.name, task.given)
    assert (again.name, dict(again.given), again.title) == (task.name, dict(task.given), task.title)
    assert type(again) is kind_of(task.name)
    assert task.differs_from(again) == ""


def test_what_is_shown_has_the_sizes_that_are_told(task: Task) -> None:
    spec, seeds = task.spec(VIEWS), np.arange(3, dtype=np.uint64)
    env = task.open(3, seeds, VIEWS, EnvSetup())
    try:
        assert (env.n_envs, env.n_agents) == (3, spec.n_agents) == (3, len(task.agents))
        assert env.now.obs.shape == (3, spec.n_agents, spec.obs_width)
        assert env.now.state.shape == (3, spec.state_size)
        assert env.now.avail.shape == (3, spec.n_agents, spec.n_actions)
        assert env.action_columns == spec.action_columns
        assert env.own_reward.shape == (3, spec.n_own)
        for blank, shown in zip(task.blank(VIEWS), env.now, strict=True):
            assert (1, *shown.shape[1:]) == blank.shape
        assert (env.episode_steps == 0).all()
        env.abandon()
        assert not env.outcome.terminated.any()
    finally:
        env.close()


def test_an_evaluation_tells_the_same_whatever_the_batch(task: Task) -> None:
    player = task.player("random", seed=1)
    result = task.evaluate(player, EvalRound(5, seed=2, n_envs=3))
    metrics = result.metrics()
    assert metrics["test/return"] == result.mean_return
    assert metrics["test/episode_steps"] == result.mean_steps > 0.0
    assert result.score == (metrics["test/win_rate"] if task.is_won else result.mean_return)
    assert set(result.by_team()) == {team for team, _ in task.teams}
    rows = result.table_rows()
    assert next(iter(rows[0].values())) == task.name
    assert result.as_json()["episodes"] == 5
    if not task.is_won:  # a battle's random player draws for the whole batch
        other = task.evaluate(task.player("random", seed=1), EvalRound(5, seed=2, n_envs=1))
        assert other.metrics() == metrics


@pytest.mark.parametrize("name", DRAWN)
def test_an_episode_is_recorded_kept_and_shown(name: str, tmp_path: Path) -> None:
    task = find_task(name, TASKS[name])
    assert task.is_drawable
    replay = task.record(task.player(task.default_player), 3, "An episode")
    file = tmp_path / f"episode{replay.suffix}"
    assert replay.save(file) == file.stat().st_size
    again = load_replay(file)
    again.prepare()
    for save, kind in ((again.save_page, "html"), (again.save_png, "png")):
        path = tmp_path / f"shown.{kind}"
        assert save(path) == path.stat().st_size > 1000


def test_tasks_without_units_differ_from_battles(task: Task) -> None:
    battle, other = find_task("smac/8m"), find_task("mpe/simple_spread")
    assert battle.differs_from(task) == ("" if task.has_units else "observations")
    assert other.differs_from(task) in ("agents", "observations")


def test_an_unknown_player_is_refused(task: Task) -> None:
    with pytest.raises(TerrariumError, match='unknown player "nobody"'):
        task.player("nobody")
