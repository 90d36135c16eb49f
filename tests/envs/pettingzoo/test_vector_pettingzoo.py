"""Batches of environments: seeds, modes, saving, and what is refused."""

import logging
import os
import signal
import threading
from typing import Any

import numpy as np
import pytest

from terrarium.envs.pettingzoo.spec import PettingZooSpec, find_spec
from terrarium.envs.pettingzoo.vector import PettingZooVecEnv
from terrarium.envs.vector import EnvError
from tests.envs.pettingzoo.playing import assert_same, play, shown, zoo

SPECS = [
    find_spec("mpe/simple_tag", {"max_cycles": 5}),
    find_spec("mpe/simple_speaker_listener", {"max_cycles": 5, "continuous_actions": True}),
    zoo("crowd"),
    zoo("masked_in_parts"),
    zoo("every_kind"),
    zoo("turns"),
]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name.split(":")[-1])
def test_threads_show_what_one_thread_shows(spec: PettingZooSpec) -> None:
    logs = []
    for mode, workers in (("serial", 1), ("threads", 1), ("threads", 3)):
        env = PettingZooVecEnv(spec, n_envs=5, workers=workers, mode=mode, seed=3)
        env.reset()
        logs.append(play(env, 14))
        env.close()
    assert_same(logs[0], logs[1])
    assert_same(logs[0], logs[2])


@pytest.mark.slow
@pytest.mark.parametrize(("spec", "many"), [(SPECS[0], 2), (SPECS[4], 3)], ids=["mpe", "zoo"])
def test_processes_show_what_one_process_shows(spec: PettingZooSpec, many: int) -> None:
    logs = []
    for workers in (1, many):
        env = PettingZooVecEnv(spec, n_envs=5, workers=workers, seed=3)
        assert env.mode == ("serial" if workers == 1 else "processes")
        env.reset()
        log = play(env, 8)
        saved = env.save()
        log += play(env, 4)
        env.reset(where=[True, False, True, False, False])
        env.load(saved)
        assert_same(log[8:], play(env, 4))
        env.reset(seed=9)
        log.append(shown(env))
        env.close()
        logs.append(log)
    assert_same(logs[0], logs[1])


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name.split(":")[-1])
def test_an_environment_of_a_batch_plays_what_a_single_one_plays(spec: PettingZooSpec) -> None:
    batch, single = PettingZooVecEnv(spec, n_envs=3, seed=10), PettingZooVecEnv(spec, seed=12)
    for env in (batch, single):
        env.reset()
    for many, one in zip(play(batch, 14), play(single, 14), strict=True):
        for name in one:
            assert np.array_equal(many[name][2:], one[name]), name


@pytest.mark.parametrize("autoreset", [True, False])
@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.name.split(":")[-1])
def test_a_loaded_batch_goes_on_to_the_bit(spec: PettingZooSpec, autoreset: bool) -> None:
    env, other = (PettingZooVecEnv(spec, n_envs=3, seed=s, autoreset=autoreset) for s in (4, 77))
    env.reset()
    for n_steps in (0, 3, 2) if autoreset else (0, 3):
        play(env, n_steps)
        saved, before = env.save(), shown(env)
        assert all(array.dtype == np.uint8 for array in saved.values())
        other.load(saved)
        assert_same([before], [shown(other)])
        saved_again = other.save()
        assert all(np.array_equal(saved[name], saved_again[name]) for name in saved)
        if not env.over.any():
            assert_same(play(env, 1), play(other, 1))
    if autoreset:
        assert_same(play(env, 9), play(other, 9))


def test_a_batch_that_is_over_can_be_saved() -> None:
    env, other = (PettingZooVecEnv(zoo("plain"), n_envs=2, autoreset=False) for _ in range(2))
    env.reset()
    play(env, 6)
    other.load(env.save())
    assert other.over.all()
    with pytest.raises(EnvError, match="the episode is over: call reset"):
        other.step(np.ones((2, 3), np.int64))


def test_what_does_not_repeat_itself_begins_anew(
    caplog: pytest.LogCaptureFixture,
) -> None:
    env = PettingZooVecEnv(zoo("forgetful"), n_envs=3)
    env.reset()
    play(env, 4)
    saved = env.save()
    with caplog.at_level(logging.WARNING):
        env.load(saved)
    assert len(caplog.records) == 1
    assert "does not repeat itself" in caplog.text
    assert "3 of 3 environments" in caplog.text
    assert env.episode_steps.tolist() == [0, 0, 0]
    assert env.episode_numbers.tolist() == [2, 2, 2]
    play(env, 7)


def test_a_save_of_another_environment_is_refused() -> None:
    env = PettingZooVecEnv(zoo("plain"), n_envs=2)
    env.reset()
    saved = env.save()
    others = [
        PettingZooVecEnv(zoo("plain"), n_envs=3),
        PettingZooVecEnv(zoo("plain", max_cycles=9), n_envs=2),
        PettingZooVecEnv(zoo("crowd"), n_envs=2),
        PettingZooVecEnv(zoo("plain"), n_envs=2, autoreset=False),
    ]
    for other in others:
        with pytest.raises(EnvError, match="this save is of another environment"):
            other.load(saved)


def test_a_seed_starts_the_series_anew_where_it_is_asked_for() -> None:
    env = PettingZooVecEnv(zoo("plain"), n_envs=2, seed=5)
    env.reset()
    first = env.now.obs.copy()
    env.reset()
    second = env.now.obs.copy()
    assert not np.array_equal(first, second)
    env.reset(seed=[5, 6], where=[False, True])
    assert np.array_equal(env.now.obs[1], first[1])
    assert np.array_equal(env.now.obs[0], second[0])
    env.reset(seed=5)
    assert np.array_equal(env.now.obs, first)


@pytest.mark.parametrize(
    ("actions", "match"),
    [
        ([[1, 1]], r"shape \(1, 2\); .* takes \(1, 3\): one whole number for each agent"),
        ([[1.0, 1.0, 1.0]], "actions are float64; they must be whole numbers"),
        ([[1, 0, 1]], r"environment 0, toy_1: action 0 is not available now. Available: \[1, 2, 3"),
        ([[1, 1, 5]], "toy_2: action 5 is not available"),
        ([[-1, 1, 1]], "toy_0: action -1 is not available"),
        ([[3, 1, 1]], "toy_0: action 3 is not available"),
    ],
)
def test_choices_that_are_not_offered_are_refused(actions: Any, match: str) -> None:
    env = PettingZooVecEnv(zoo("plain"))
    env.reset()
    before = shown(env)
    with pytest.raises(EnvError, match=match):
        env.step(actions)
    assert_same([before], [shown(env)])
    play(env, 1)


@pytest.mark.parametrize(
    ("agent", "column", "value", "match"),
    [
        (0, 1, np.nan, "column 1 holds nan; expected: finite numbers"),
        (0, 9, 1.0, "toy_0: column 9 holds 1.0; expected: 0, because it is not available"),
        (0, 0, 1.0, "toy_0: column 0 holds 1.0; expected: 0"),
        (0, 2, 1.0, r"toy_0: columns 1 to 4 hold \[1.0, 1.0, 0.0, 0.0\]; expected: one 1"),
        (1, 4, 0.5, "toy_1: columns 4 to 5 hold .* expected: one 1"),
        (3, 1, 0.5, "toy_3: columns 1 to 3 hold .* expected: 0 or 1 in each"),
        (5, 2, 1.5, "toy_5: columns 1 to 2 hold .* expected: numbers from -1 to 1"),
    ],
)
def test_columns_that_are_no_action_are_refused(
    agent: int, column: int, value: float, match: str
) -> None:
    env = PettingZooVecEnv(zoo("every_kind"))
    env.reset()
    actions = np.zeros(env.now.avail.shape)
    for a, parts in enumerate(env.info.parts):
        first = 1
        for part in parts:
            actions[0, a, first] = part.kind == "choice"
            first += part.n
    env.step(actions)
    actions[0, agent, column] = value
    with pytest.raises(EnvError, match=match):
        env.step(actions)


def test_who_is_not_there_must_choose_nothing() -> None:
    env = PettingZooVecEnv(zoo("masked_in_parts"))
    env.reset()
    play(env, 2)
    actions = np.zeros((1, 2, 6))
    actions[0, 0, [3, 4]] = 1.0
    with pytest.raises(EnvError, match=r"toy_1: columns 0 to 0 hold \[0.0\]; expected: one 1"):
        env.step(actions)
    actions[0, 1, 0] = 1.0
    env.step(actions)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"n_envs": 0}, "n_envs is 0 and workers 1; both must be 1 or more"),
        ({"mode": "thread"}, 'unknown mode "thread". Did you mean "threads"?'),
        ({"mode": "serial", "workers": 2}, 'mode "serial" has one worker, not 2'),
        ({"seed": -1}, "seed -1 is not a whole number"),
        ({"seed": [1, 2]}, "2 seeds for 1 environments"),
        ({"workers": 2, "render_mode": "human"}, 'render_mode "human" needs mode "serial"'),
    ],
)
def test_odd_settings_are_refused(options: dict[str, Any], match: str) -> None:
    with pytest.raises(EnvError, match=match):
        PettingZooVecEnv(zoo("plain"), **options)


def test_steps_before_the_first_reset_and_after_the_last_are_refused() -> None:
    env = PettingZooVecEnv(zoo("plain"))
    for call in (env.save, lambda: env.step([[1, 1, 1]])):
        with pytest.raises(EnvError, match="no episode has begun: call reset"):
            call()
    with pytest.raises(EnvError, match="the first reset must begin every episode"):
        env.reset(where=[False])
    with pytest.raises(EnvError, match=r"where has shape \(2,\) instead of \(1,\)"):
        env.reset(where=[True, True])
    env.reset()
    env.close()
    env.close()
    with pytest.raises(EnvError, match="closed: make a new one"):
        env.step([[1, 1, 1]])


def test_environments_are_within_reach_in_one_process_only() -> None:
    env = PettingZooVecEnv(find_spec("mpe/simple_spread", {}), n_envs=2, render_mode="rgb_array")
    env.reset()
    assert [len(one.unwrapped.world.landmarks) for one in env.environments] == [3, 3]
    assert env.environments[0].render().shape == (700, 700, 3)
    threads = PettingZooVecEnv(zoo("plain"), n_envs=2, workers=2, mode="threads")
    with pytest.raises(EnvError, match='within reach in "serial" only'):
        _ = threads.environments
    threads.close()


def workers_of(env: PettingZooVecEnv) -> list[int]:
    return [worker.pid for worker in env._crew._workers]  # type: ignore[attr-defined]


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
def test_an_interrupt_leaves_nothing_behind() -> None:
    env = PettingZooVecEnv(zoo("faulty", fault="sleeps"), n_envs=2, workers=2)
    env.reset()
    pids = workers_of(env)
    for pid in pids:
        os.kill(pid, signal.SIGINT)  # as a terminal does
    play(env, 1)
    pressed = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    # Whoever runs many tests at once may have told this process to ignore interrupts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    pressed.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            play(env, 1)
    finally:
        signal.signal(signal.SIGINT, before)
    with pytest.raises(EnvError, match="a step was interrupted"):
        env.reset()
    env.close()
    assert not any(is_running(pid) for pid in pids)
