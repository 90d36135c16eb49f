"""Battles of environments as records and pictures."""

from pathlib import Path

import numpy as np
import pytest

import terrarium
from terrarium.envs.recording import BattleLog
from terrarium.envs.vector import EnvError, VecEnv
from terrarium.replay.playback import frames_of
from terrarium.replay.record_file import load_record


@pytest.mark.parametrize("name", ["smac/MMM", "smacv2/zerg_5_vs_5"])
def test_a_saved_battle_is_the_battle_that_was_played(name: str, tmp_path: Path) -> None:
    env = terrarium.make(name, seed=4, replay_dir=str(tmp_path), replay_prefix="mine")
    env.reset()
    rng = np.random.default_rng(0)
    for _ in range(30):
        masks = env.get_avail_actions()
        _, over, _ = env.step([int(rng.choice(np.flatnonzero(mask))) for mask in masks])
        if over:
            break
    path = env.save_replay()
    assert Path(path).parent == tmp_path
    frames = frames_of(load_record(Path(path)))
    units, last = env.vec.sim.units[0], frames.units[-1]
    assert frames.ticks[-1] == env.vec.sim.ticks[0]
    np.testing.assert_array_equal(last["alive"], units["alive"])
    np.testing.assert_allclose(last["x"], units["x"], atol=1e-5)


def test_a_record_knows_how_the_battle_ended() -> None:
    env = terrarium.make("smac/3m", seed=1)
    env.reset()
    assert env.record().about.outcome == "unknown"
    over = False
    while not over:
        _, over, _ = env.step([int(not mask[0]) for mask in env.get_avail_actions()])
    assert env.record("standing still").about.outcome == "loss"
    env.reset()
    assert env.record().about.outcome == "unknown"


def test_other_step_lengths_are_recorded_too() -> None:
    env = terrarium.make("smac/3m", seed=1, step_mul=4)
    env.reset()
    for _ in range(5):
        env.step([1, 1, 1])
    ticks = frames_of(env.record()).ticks
    assert ticks[-1] - ticks[0] == 20


def test_a_battle_that_was_changed_from_outside_makes_no_record() -> None:
    env = terrarium.make("smac/3m", seed=1)
    env.reset()
    env.vec.sim.units["hp"][0, 0] = 1.0
    env.step([1, 1, 1])
    with pytest.raises(EnvError, match="changed from outside"):
        env.record()


def test_a_picture_shows_both_sides() -> None:
    env = terrarium.make("smac/3m", seed=1)
    env.reset()
    image = env.render()
    assert image.dtype == np.uint8
    assert image.shape[2] == 3
    assert len(np.unique(image.reshape(-1, 3), axis=0)) > 20
    env.step([4, 4, 4])
    assert not np.array_equal(env.render(), image)
    with pytest.raises(EnvError, match="rgb_array"):
        env.render("human")


def test_the_reasons_of_a_player_are_recorded() -> None:
    vec = VecEnv("smac/3m", seed=1, autoreset=False)
    vec.reset()
    log = BattleLog(vec)
    for why in ({0: "stand", 2: "stand"}, None, {0: "still"}):
        vec.step(np.ones((1, 3), np.int64))
        log.note(why)
    frames = frames_of(log.record())
    said = [(int(w["step"]), int(w["slot"]), frames.reasons[w["reason"]]) for w in frames.whys]
    assert said == [(0, 0, "stand"), (0, 2, "stand"), (2, 0, "still")]
    log.begin()
    vec.reset()
    assert not len(frames_of(log.record()).whys)
