"""The number that a battle reports is the one its file asks for."""

from dataclasses import replace

import numpy as np
import pytest

from terrarium.data.battles.scenario import Group, Measure, Scenario
from terrarium.data.battles.terrains import load_terrain
from terrarium.engine.handles import handle
from terrarium.engine.simulator import Simulator
from terrarium.envs.kernels.measures import Scores, compile_yardstick, score_battles

BATTLE = Scenario(
    name="a test's own",
    title="",
    version=1,
    terrain=load_terrain("open_40"),
    rules="lotv-4.10",
    limit_steps=100,
    ticks_per_step=8,
    groups=(
        Group("ally", (8.0, 8.0), {"marine": 2, "siege_tank": 1}),  # 50, 50, 275
        Group("ally", (8.0, 30.0), {"medivac": 1}, inside={"marine": 2}),  # 200, 50, 50
        Group("enemy", (32.0, 30.0), {"roach": 2, "ultralisk": 1}),  # 100, 100, 500
    ),
)
MARINES, TANK, MEDIVAC, ROACHES, ULTRALISK = [0, 1], 2, 3, [6, 7], 8


def score(measure: Measure, dead: list[int], **changed: list[tuple[int, float | int]]) -> float:
    sim = Simulator(replace(BATTLE, measure=measure))
    sim.units["alive"][0, dead] = False
    for field, values in changed.items():
        for slot, value in values:
            sim.units[field][0, slot] = value
    scores = np.zeros(1)
    yardstick = compile_yardstick(sim.scenario, sim.rows)
    score_battles(sim.handles, handle(yardstick), handle(Scores(scores)))
    return float(scores[0])


@pytest.mark.parametrize(
    ("measure", "dead", "expected"),
    [
        (Measure("win"), [], 0.0),
        (Measure("win"), ROACHES, 0.0),
        (Measure("win"), [*ROACHES, ULTRALISK], 1.0),
        (Measure("win", only=("roach",)), ROACHES, 1.0),
        (Measure("kills"), [], 0.0),
        (Measure("kills"), ROACHES, 200 / 700),
        (Measure("kills", only=("ultralisk",)), ROACHES, 0.0),
        (Measure("saves"), [], 1.0),
        (Measure("saves"), [*MARINES, TANK], 300 / 675),
        (Measure("saves", only=("marine",)), MARINES, 0.5),
        (Measure("survives"), [*MARINES, TANK], 1.0),
        (Measure("survives", share=0.5), [*MARINES, TANK], 0.0),
        (Measure("survives", share=400 / 675), [TANK], 1.0),
        (Measure("reach", at=(8.0, 8.0), radius=4.0), [], 375 / 675),
        (Measure("reach", at=(8.0, 30.0), radius=1.0), [], 300 / 675),  # with those on board
        (Measure("reach", at=(20.0, 20.0), radius=4.0), [], 0.0),
    ],
)
def test_value_counts_as_the_measure_says(
    measure: Measure, dead: list[int], expected: float
) -> None:
    assert score(measure, dead) == pytest.approx(expected)


def test_a_unit_counts_in_all_of_its_forms() -> None:
    sieged = Simulator(BATTLE).rows["siege_tank_sieged"]
    saves = Measure("saves", only=("siege_tank",))
    assert score(saves, [], kind=[(TANK, sieged)]) == 1.0
    assert score(saves, [TANK]) == 0.0


def test_what_is_summoned_counts_for_nothing() -> None:
    sim = Simulator(BATTLE, slots=12)
    yardstick, scores = compile_yardstick(sim.scenario, sim.rows), np.zeros(1)
    sim.units["alive"][0, [*ROACHES, ULTRALISK]] = False
    sim.create(0, "broodling", 1, 20.0, 20.0)
    score_battles(sim.handles, handle(yardstick), handle(Scores(scores)))
    assert scores[0] == 1.0
