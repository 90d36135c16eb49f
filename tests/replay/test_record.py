"""A record plays the same battle again, to the bit, or it is refused."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from terrarium.data.battles.generated import generate_terrain
from terrarium.data.battles.scenarios import load_scenario, scenario_names
from terrarium.engine import codes
from terrarium.engine.handles import handle
from terrarium.engine.kernels.setup.begin import Starts, reset
from terrarium.engine.simulator import Simulator
from terrarium.replay.errors import ReplayError
from terrarium.replay.playback import frames_of
from terrarium.replay.record import ExactRecord, LightRecord, Recorder
from terrarium.replay.scenario_text import (
    read_scenario,
    read_terrain,
    write_scenario,
    write_terrain,
)
from tests.engine.scripts import give_random_orders
from tests.replay.battles import recorded

SCENARIOS = [
    *("smac/3m", "smac/MMM2", "smac/2c_vs_64zg", "smac/bane_vs_bane"),
    *("smacv2/protoss_5_vs_5", "smacv2/zerg_10_vs_11"),
]

OWN_TERRAIN = """
title = "Pass"
playable = [1, 1, 15, 7]
heights = { level1 = 8.0 }
walkable = '''
################
#......##......#
#......##......#
#..............#
#..............#
#......##......#
#......##......#
################
'''
levels = '''
1111111111111111
1111111111111111
1111111111111111
1111111111111111
1111111111111111
1111111111111111
1111111111111111
1111111111111111
'''
"""

OWN_SCENARIO = """
title = "Brood Lords over a \\"pass\\"\\u007f"
terrain = "pass.toml"
rules = "lotv-4.10"
limit_steps = 100

[[group]]
side = "ally"
at = [3.0, 4.0]
units = { brood_lord = 2 }

[[group]]
side = "enemy"
at = [12.0, 4.0]
units = { marine = 5, zealot = 1 }
order = { attack_move_between = [[3.0, 4.0], [5.0, 4.0]] }
"""


def play_randomly(sim: Simulator, e: int, n_steps: int = 30) -> tuple[ExactRecord, list[str]]:
    """A battle of game `e` of a batch under random orders, and the digest after each step."""
    seeds = np.arange(sim.n_envs, dtype=np.int64) + 41
    sim.reset(seeds)
    recorder = Recorder(sim, e)
    digests = [sim.digest(e)]
    for step in range(n_steps):
        give_random_orders(sim, seeds, step)
        sim.step()
        recorder.note()
        digests.append(sim.digest(e))
    record = recorder.record()
    assert isinstance(record, ExactRecord)
    return record, digests


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_game_of_a_batch_is_replayed_to_the_bit(scenario: str) -> None:
    record, digests = play_randomly(Simulator(scenario, n_envs=3), e=1)
    assert [f"{int(value):016x}" for value in record.checksums] == [d[:16] for d in digests]
    frames = frames_of(record)  # compares every checksum on the way
    assert frames.ticks[-1] - frames.ticks[0] == 8 * 30


def test_a_scenario_of_your_own_is_replayed_when_its_files_are_gone(tmp_path: Path) -> None:
    (tmp_path / "pass.toml").write_text(OWN_TERRAIN)
    (tmp_path / "own.toml").write_text(OWN_SCENARIO)
    # Broodlings appear in the spare slots of the scenario, and later in those of the dead.
    sim = Simulator(tmp_path / "own.toml")
    record, _ = play_randomly(sim, e=0, n_steps=80)
    (tmp_path / "pass.toml").unlink()
    (tmp_path / "own.toml").unlink()
    frames = frames_of(record)
    assert frames.about.scenario == "own"
    assert frames.terrain.name == "pass"
    assert {"brood_lord", "marine", "zealot", "broodling"} == {t.name for t in frames.types}


@pytest.mark.parametrize("name", scenario_names())
def test_every_scenario_survives_being_written(name: str) -> None:
    scenario = load_scenario(name)
    again = read_scenario(write_scenario(scenario))
    assert write_scenario(again) == write_scenario(scenario)
    for field in ("walkable", "level", "ramp", "creep"):
        assert np.array_equal(getattr(again.terrain, field), getattr(scenario.terrain, field))
    assert np.array_equal(again.terrain.z, scenario.terrain.z, equal_nan=True)
    assert replace(again, terrain=scenario.terrain) == scenario


def test_a_terrain_with_ramps_survives_being_written() -> None:
    terrain = generate_terrain(96, seed=4)
    again = read_terrain(terrain.name, write_terrain(terrain))
    assert terrain.ramp.any()
    for field in ("walkable", "level", "ramp", "creep", "z"):
        assert np.array_equal(getattr(again, field), getattr(terrain, field))
    assert (again.name, again.title, again.playable) == (
        *(terrain.name, terrain.title),
        terrain.playable,
    )


def test_seeds_of_all_64_bits_are_replayed() -> None:
    sim = Simulator("smacv2/terran_5_vs_5")
    with np.errstate(over="ignore"):
        seeds = np.array([2**64 - 3], np.uint64)
        reset(sim.handles, handle(Starts(seeds, np.ones(1, np.bool_))))
    recorder = Recorder(sim)
    sim.step()
    recorder.note()
    record = recorder.record()
    assert record.about.seed == 2**64 - 3
    ticks = frames_of(record).ticks
    assert ticks[-1] - ticks[0] == 8


def test_commands_that_the_engine_ignores_are_not_kept() -> None:
    sim = Simulator("smac/3m")
    sim.reset(1)
    recorder = Recorder(sim)
    sim.order(0, 0, codes.MOVE, at=(np.nan, 3.0))
    sim.order(0, 1, codes.ATTACK, target=99)
    sim.order(0, 2, codes.MOVE, at=(11.0, 18.0), target=-7)
    sim.order(0, 3, 77)
    sim.step()
    recorder.note()
    record = recorder.record()
    assert isinstance(record, ExactRecord)
    assert record.commands[["slot", "kind", "target"]].tolist() == [(2, codes.MOVE, codes.NO_UNIT)]
    ticks = frames_of(record).ticks
    assert ticks[-1] - ticks[0] == 8


def test_steps_of_different_lengths_are_replayed() -> None:
    sim = Simulator("smac/3m")
    sim.reset(1)
    recorder = Recorder(sim)
    for n_ticks in (8, 0, 3, 40):
        sim.step(n_ticks)
        recorder.note()
    frames = frames_of(recorder.record())
    start = frames.ticks[0]
    assert (frames.step_ticks() - start).tolist() == [0, 8, 8, 11, 51]
    assert frames.ticks[-1] - start == 51


def test_a_title_becomes_one_line_of_text() -> None:
    recorder = Recorder(Simulator("smac/3m"))
    assert recorder.record("two\nlines\x00 \ud800 und ü").about.title == "two lines und ü"
    assert recorder.record("x" * 900).about.title == "x" * 500
    assert recorder.record().about.title == "3 Marines against 3 Marines"


def test_a_record_of_nothing_shows_the_beginning() -> None:
    frames = frames_of(Recorder(Simulator("smac/3m")).record())
    assert frames.units["alive"].tolist() == [[True] * 6]


TAMPERED: dict[str, tuple[Callable[[ExactRecord], ExactRecord], str]] = {
    "seed": (
        lambda r: replace(r, about=replace(r.about, seed=r.about.seed + 1)),
        "plays another battle than the recorded one, at its beginning",
    ),
    "orders": (
        lambda r: replace(r, commands=_changed(r.commands, "target", -1)),
        "plays another battle than the recorded one, after step",
    ),
    "checksum": (
        lambda r: replace(r, checksums=r.checksums ^ np.uint64(1)),
        "plays another battle than the recorded one, at its beginning",
    ),
    "length of a step": (
        lambda r: replace(r, steps=_changed(r.steps, "n_ticks", 7)),
        "plays another battle than the recorded one, after step 1 of",
    ),
    "rules version": (
        lambda r: replace(r, about=replace(r.about, rules_version=99)),
        r"recorded under version 99 of the rules, and this is version \d+; replay it with Terr",
    ),
    "rule set version": (
        lambda r: replace(r, about=replace(r.about, ruleset_version=99)),
        "recorded under version 99 of the rule set smac",
    ),
    "rule set": (
        lambda r: replace(r, about=replace(r.about, ruleset="libertyy")),
        'unknown rule set "libertyy". Did you mean "liberty"?',
    ),
    "scenario version": (
        lambda r: replace(r, about=replace(r.about, scenario_version=99)),
        r"it names version 99 and rule set smac, but its scenario is of version \d+",
    ),
    "slots": (
        lambda r: replace(r, about=replace(r.about, n_slots=3)),
        "3 slots for 6 units",
    ),
    "scenario": (
        lambda r: replace(r, scenario=replace(r.scenario, scenario="title = 3")),
        "its scenario cannot be used",
    ),
    "army": (
        lambda r: replace(
            r, scenario=replace(r.scenario, scenario=r.scenario.scenario.replace("9.0", "9.5"))
        ),
        "plays another battle than the recorded one, at its beginning",
    ),
}


def _changed(table: np.ndarray, name: str, value: int) -> np.ndarray:
    table = table.copy()
    table[name] = value
    return table


@pytest.mark.parametrize("what", TAMPERED)
def test_a_record_that_was_altered_is_refused(what: str) -> None:
    record = recorded()
    assert isinstance(record, ExactRecord)
    change, message = TAMPERED[what]
    with pytest.raises(ReplayError, match=f"^battle.terrarium: .*{message}"):
        frames_of(change(record), "battle.terrarium")


def test_units_that_were_added_by_hand_are_noticed() -> None:
    sim = Simulator("smac/3m", slots=8)
    sim.reset(0)
    sim.create(0, "marine", 1, 12.0, 16.0)
    with pytest.raises(ReplayError, match="units were added by hand"):
        frames_of(Recorder(sim).record())
    light = Recorder(sim, kind="light").record()
    assert isinstance(light, LightRecord)
    assert frames_of(light).strength()[1][0].tolist() == [4, 3]


def test_neutral_units_are_not_recorded_yet() -> None:
    sim = Simulator("smac/3m", slots=8)
    sim.reset(0)
    sim.create(0, "marine", 0, 12.0, 16.0)
    with pytest.raises(ReplayError, match="a unit of owner 0: records hold battles of players 1"):
        Recorder(sim, kind="light")


def test_what_cannot_be_recorded_is_said_at_once() -> None:
    sim = Simulator("smac/3m", n_envs=2)
    with pytest.raises(ReplayError, match="game 2 does not exist; games are 0 to 1"):
        Recorder(sim, 2)
    with pytest.raises(ReplayError, match='unknown kind of record "heavy"'):
        Recorder(sim, kind="heavy")  # type: ignore[arg-type]
    recorder = Recorder(sim)
    with pytest.raises(ReplayError, match=r'unknown outcome "victory"\. Allowed: win, loss'):
        recorder.record(outcome="victory")
    sim.step()
    recorder.note()
    with pytest.raises(ReplayError, match="has run 9 ticks; begin a record right after a reset"):
        Recorder(sim)
    sim.reset(0)
    with pytest.raises(ReplayError, match="game 0 was reset after step 1; begin a new record"):
        recorder.note()


def test_a_scenario_that_no_file_could_hold_can_be_recorded_lightly() -> None:
    scenario = load_scenario("smac/3m")
    crowded = replace(
        scenario, groups=(scenario.groups[0], replace(scenario.groups[0], side="enemy"))
    )
    sim = Simulator(crowded)
    with pytest.raises(ReplayError, match=r'overlapping spawn.*; use kind="light"'):
        Recorder(sim).record()
    assert frames_of(Recorder(sim, kind="light").record()).units.shape == (1, 6)
