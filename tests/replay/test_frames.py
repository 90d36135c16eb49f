"""Frames show what the simulator had in its arrays."""

import numpy as np
import pytest

from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from terrarium.replay.frames import Frames
from terrarium.replay.playback import frames_of
from terrarium.replay.record import ExactRecord, LightRecord
from tests.replay.battles import frames, recorded


def replayed(scenario: str) -> tuple[Frames, dict[int, np.ndarray]]:
    """Frames, and copies of the simulator's units at every tick."""
    record = recorded(scenario)
    assert isinstance(record, ExactRecord)
    sim = Simulator(scenario)
    sim.reset(record.about.seed)
    truth = {int(sim.ticks[0]): sim.units[0].copy()}
    for k, n_ticks in enumerate(record.steps["n_ticks"].tolist()):
        for given in record.commands[record.commands["step"] == k]:
            at = (given["x"], given["y"])
            sim.order(0, given["slot"], given["kind"], at, given["target"], given["queued"])
        for _ in range(n_ticks):
            sim.step(1)
            truth[int(sim.ticks[0])] = sim.units[0].copy()
    return frames_of(record), truth


@pytest.mark.parametrize("scenario", ["smac/MMM2", "smac/2c_vs_64zg", "smacv2/protoss_10_vs_10"])
def test_samples_are_the_state_of_the_simulator(scenario: str) -> None:
    shown, truth = replayed(scenario)
    assert shown.ticks.tolist() == list(truth)[::2]
    names = Simulator(scenario).names
    for k, tick in enumerate(shown.ticks.tolist()):
        units, sample = truth[tick], shown.units[k]
        alive = units["alive"]
        assert np.array_equal(sample["alive"], alive)
        for name in ("x", "y", "hp", "shield", "energy"):
            expected = units[name][alive].astype(np.float32)
            assert np.array_equal(sample[name][alive], expected), (tick, name)
        assert np.array_equal(sample["side"], units["owner"] - 1)
        assert [shown.types[kind].name for kind in sample["kind"]] == [
            names[kind] for kind in units["kind"]
        ]
        fights = alive & ~sample["healing"]
        assert np.array_equal(sample["target"][fights], units["target"][fights])
        facing = np.stack([np.cos(sample["facing"]), np.sin(sample["facing"])])
        # Angles are kept in single precision.
        assert np.allclose(facing, np.stack([units["face_x"], units["face_y"]]), atol=1e-6)


# Banelings that explode have killed themselves.
@pytest.mark.parametrize(("scenario", "known"), [("smac/MMM2", 0.99), ("smac/bane_vs_bane", 0.8)])
def test_every_death_is_there_with_its_tick_and_place(scenario: str, known: float) -> None:
    shown, truth = replayed(scenario)
    fallen = [
        (tick, u)
        for tick in list(truth)[1:]
        for u in np.flatnonzero(truth[tick - 1]["alive"] & ~truth[tick]["alive"]).tolist()
    ]
    assert sorted(shown.deaths[["tick", "slot"]].tolist()) == fallen
    for death in shown.deaths:
        units = truth[int(death["tick"])]
        assert death["x"] == np.float32(units["x"][death["slot"]])
        if death["killer"] != codes.NO_UNIT:
            assert units["owner"][death["killer"]] - 1 != death["side"]
    assert (shown.deaths["killer"] != codes.NO_UNIT).mean() > known


def test_shots_are_seen_and_missiles_fly() -> None:
    stalkers = frames("smac/2s3z")
    assert stalkers.units["fired"].sum() > 50
    missiles = stalkers.missiles
    assert len(missiles) > 50
    # From sample to sample a missile is where the one before said it would be.
    k = int(missiles["sample"][0])
    first = missiles[missiles["sample"] == k][0]
    after = missiles[missiles["sample"] == k + 1]
    ends = np.hypot(after["x"] - first["x"] - first["dx"], after["y"] - first["y"] - first["dy"])
    assert ends.min() < 0.25  # its target moves meanwhile


def test_who_is_shown_healing_heals() -> None:
    shown, truth = replayed("smac/MMM2")
    n_healing = 0
    for k, tick in enumerate(shown.ticks.tolist()):
        for u in np.flatnonzero(shown.units["healing"][k]).tolist():
            n_healing += 1
            assert shown.types[shown.units["kind"][k, u]].name == "medivac"
            patient = shown.units["target"][k, u]
            assert truth[tick]["owner"][patient] == truth[tick]["owner"][u]
        if tick > shown.ticks[0]:
            spent = truth[tick - 1]["energy"] - truth[tick]["energy"] > 0.05
            # A patient that is whole again, or dead, is no longer shown as one.
            missed = spent & ~shown.units["healing"][k] & truth[tick]["alive"]
            assert missed.sum() <= 1
    assert n_healing > 20


def test_strength_is_the_sum_over_the_living() -> None:
    life, n_alive = frames("smac/3m").strength()
    assert life[0].tolist() == [135.0, 135.0]
    assert n_alive[0].tolist() == [3, 3]
    assert n_alive[-1].min() == 0


def test_a_light_record_shows_the_same_battle_at_each_step() -> None:
    exact, light = frames("smac/MMM2"), recorded("smac/MMM2", kind="light")
    assert isinstance(light, LightRecord)
    shown = frames_of(light)
    assert shown.ticks.tolist() == exact.step_ticks().tolist()
    same = exact.units[np.isin(exact.ticks, shown.ticks)]
    for name in ("alive", "side", "kind", "target", "order", "order_target"):
        assert np.array_equal(shown.units[name], same[name])
    # Rounded to 1/128 of a cell and 1/16 of a point of life.
    assert np.abs(shown.units["x"] - same["x"]).max() <= 1 / 256
    assert np.abs(shown.units["hp"] - same["hp"]).max() <= 1 / 32
    # Who fell within one step is in the order of slots there.
    assert sorted(shown.deaths["slot"]) == sorted(exact.deaths["slot"])
    assert shown.commands["target"].tolist() == exact.commands["target"].tolist()


def test_long_battles_are_sampled_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("terrarium.replay.playback.MAX_SAMPLES", 10)
    shown = frames_of(recorded())
    assert 5 <= len(shown.ticks) <= 12
    assert shown.ticks[-1] == frames().ticks[-1]
