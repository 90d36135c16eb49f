"""Gymnasium environments as tasks: a single agent is a team of one."""

import functools
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from terrarium.envs.pettingzoo.players import RandomPettingZooPlayer
from terrarium.envs.pettingzoo.share import episode_seed
from terrarium.envs.pettingzoo.spec import PettingZooSpec, find_spec
from terrarium.envs.pettingzoo.vector import PettingZooVecEnv
from terrarium.envs.tasks.pettingzoo_tasks import GymnasiumTask
from terrarium.envs.tasks.registry import find_task
from terrarium.envs.tasks.task import EvalRound
from terrarium.errors import TerrariumError
from terrarium.replay.episodes.episode_record import load_episode_record
from tests.envs.pettingzoo.playing import assert_same, play
from tests.program import Run, call_program

CARTPOLE, PENDULUM = "gym:CartPole-v1", "gym:Pendulum-v1"
ECHO = "gym:tests.envs.pettingzoo.gyms:echo"


def opened(name: str, n_envs: int = 1, seed: int = 0, **options: object) -> PettingZooVecEnv:
    env = PettingZooVecEnv(find_spec(name, options), n_envs, seed=seed)
    env.reset()
    return env


def test_an_environment_is_a_team_of_one() -> None:
    task = find_task(CARTPOLE)
    assert isinstance(task, GymnasiumTask)
    assert (task.agents, task.teams) == (("agent",), (("agent", (0,)),))
    assert (task.title, task.limit_steps) == ("CartPole-v1 (Gymnasium)", 500)
    assert task.cooperative
    assert not task.is_won
    assert task.is_drawable
    spec = task.spec(())
    assert (spec.n_agents, spec.n_actions, spec.obs_width) == (1, 3, 4)
    assert spec.discrete


@pytest.mark.parametrize("name", [CARTPOLE, PENDULUM, "gym:FrozenLake-v1", "gym:Acrobot-v1"])
def test_episodes_are_those_of_a_plain_loop(name: str) -> None:
    """Rewards and endings; actions are what the environment takes, in its own bounds."""
    ours, plain = opened(name, seed=7), gymnasium.make(name.removeprefix("gym:"))
    plain.reset(seed=episode_seed(7, 1))
    low, high = getattr(plain.action_space, "low", 0.0), getattr(plain.action_space, "high", 0.0)
    player = RandomPettingZooPlayer(3)
    for _ in range(501):
        actions = player.act(ours)
        ours.step(actions)
        if ours.action_columns:
            action = (low + 0.5 * (actions[0, 0, 1:] + 1.0) * (high - low)).astype(np.float32)
        else:
            action = int(actions[0, 0]) - 1
        _, reward, terminated, truncated, _ = plain.step(action)
        assert ours.own_reward[0, 0] == pytest.approx(float(reward), rel=1e-5)
        assert (bool(ours.terminated[0]), bool(ours.truncated[0])) == (terminated, truncated)
        if terminated or truncated:
            break
    else:
        raise AssertionError("no episode has ended")


def test_a_time_limit_truncates_and_an_ending_terminates() -> None:
    cut = opened(CARTPOLE, max_episode_steps=5)
    log = play(cut, 5)
    assert cut.truncated.all()
    assert not cut.terminated.any()
    assert not cut.own_terminated.any()
    assert log[-1]["final/obs"].any()  # what the moment was worth is asked there
    ended = opened(CARTPOLE)
    while not ended.terminated[0]:
        play(ended, 1)
    assert ended.own_terminated.all()
    assert not ended.truncated.any()
    both = opened("gym:tests.envs.pettingzoo.gyms:both")
    play(both, 3)
    assert both.terminated.all()
    assert not both.truncated.any()


@pytest.mark.parametrize("kind", ["choice", "choices", "bits", "numbers"])
def test_every_kind_of_action_reaches_the_environment(kind: str) -> None:
    """`Echo` checks what it is given, and pays its sum."""
    env = opened(ECHO, n_envs=8, kind=kind)
    assert env.info.obs_width == 4  # a matrix, flattened
    log = play(env, 9)
    rewards = np.array([shown["own/0"] for shown in log])
    assert len(np.unique(rewards)) > 2


def test_processes_and_batches_play_the_same_episodes() -> None:
    spec = find_spec(ECHO, {"kind": "numbers", "ends": False})
    one, two = PettingZooVecEnv(spec, 4, seed=2), PettingZooVecEnv(spec, 4, 2, seed=2)
    try:
        one.reset()
        two.reset()
        assert_same(play(one, 9), play(two, 9))
    finally:
        two.close()


@pytest.mark.parametrize("name", [CARTPOLE, PENDULUM])
def test_a_saved_batch_goes_on_as_if_nothing_had_happened(name: str) -> None:
    env = opened(name, n_envs=3, seed=4)
    play(env, 30)
    saved = env.save()
    expected = play(env, 30)
    other = PettingZooVecEnv(find_spec(name), 3, seed=9)
    other.load(saved)
    assert_same(expected, play(other, 30))


def test_an_evaluation_gives_returns() -> None:
    task = find_task(ECHO, {"kind": "choices", "length": 6})
    result = task.evaluate(task.player("random"), EvalRound(5, seed=3, n_envs=2))
    assert result.mean_steps == 6.0
    assert 0.0 < result.mean_return < 24.0
    assert result.score == result.mean_return


BAD = [
    ("gym:CartPol-v1", {}, 'unknown environment "gym:CartPol-v1". Did you mean "gym:CartPole-v1"?'),
    ("gym:CartPole", {}, "Allowed: gym:<id>, an id that Gymnasium knows with its version"),
    (CARTPOLE, {"max_step": 3}, 'has no option "max_step". Did you mean "max_episode_steps"?'),
    ("gym:no.such:factory", {}, "importing no.such raised ModuleNotFoundError"),
    ("gym:tests.envs.pettingzoo.gyms:ech", {}, "has no function ech, and registers no environment"),
    ("gym:tests.envs.pettingzoo.gyms:number", {}, "gives int instead of an environment of"),
    ("gym:tests.envs.pettingzoo.gyms:endless", {}, "actions in Box(-inf, inf, (1,), float32) are"),
    (ECHO, {"kind": "chocie"}, "making an environment raised KeyError"),
]


@pytest.mark.parametrize(("name", "options", "said"), BAD, ids=str)
def test_mistakes_are_told_in_one_line(name: str, options: dict[str, object], said: str) -> None:
    with pytest.raises(TerrariumError) as error:
        PettingZooVecEnv(find_spec(name, options))
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_module_that_registers_an_environment_is_imported_first() -> None:
    spec: PettingZooSpec = find_spec("gym:gymnasium.envs.classic_control:MountainCar-v0")
    assert spec.info.obs_sizes == (2,)
    assert spec.limit_steps == 200


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return functools.partial(call_program, home=tmp_path)


def test_an_environment_that_draws_itself_can_be_watched(run: Run, tmp_path: Path) -> None:
    words = ("--seed", "3", "--save-record", "a.episode", "--out", "a.html")
    code, _, err = run("watch", ECHO, *words)
    assert (code, err) == (0, "")
    record = load_episode_record(tmp_path / "a.episode")
    assert (record.agents, record.n_steps, record.fps) == (("agent",), 4, 8.0)
    assert len(record.pictures) == 5
    assert (tmp_path / "a.html").stat().st_size > 10_000


def test_the_random_player_is_evaluated(run: Run) -> None:
    code, out, err = run("eval", "random", CARTPOLE, "--episodes", "8")
    assert (code, err) == (0, "")
    row = next(line for line in out.splitlines() if line.startswith(CARTPOLE))
    assert 10.0 < float(row.split()[1]) < 60.0
