"""Slots: a dead unit's is used again, and the list of the living is exact."""

import numpy as np

from terrarium.engine.simulator import Simulator
from tests.engine.arena import open_ground


def check_living(sim: Simulator, e: int = 0) -> None:
    units, clock = sim.units[e], sim.games.clock[e, 0]
    living = sim.games.living[e, : clock["n_living"]]
    there = np.flatnonzero(units["alive"] | ((units["inside"] >= 0) & (units["tag"] > 0)))
    listed = [u for u in living if units["alive"][u] or units["inside"][u] >= 0]
    assert sorted(listed) == there.tolist()
    assert (np.diff(units["tag"][listed]) > 0).all()


def test_slots_of_the_dead_are_used_again_the_oldest_first() -> None:
    arena = open_ground(slots=4)
    first = [arena.add("marine", at=(10 + 5 * i, 20)) for i in range(4)]
    for piece in (first[2], first[0]):
        piece.set(hp=0.0)
        arena.run(2)
    tags = {int(piece.tag) for piece in first}
    again = [arena.add("zergling", at=(30, 30)), arena.add("zergling", at=(40, 30))]
    assert [piece.slot for piece in again] == [2, 0]
    assert all(int(piece.tag) not in tags for piece in again)
    arena.run(2)
    check_living(arena.sim)


def test_a_game_of_2048_units_works() -> None:
    sim = open_ground("lotv-4.10", size=200, slots=2048).sim
    for i in range(1024):
        sim.create(0, "zergling", 1, 20.0 + i % 32 * 1.5, 20.0 + i // 32 * 1.5)
        sim.create(0, "marine", 2, 120.0 + i % 32 * 1.5, 120.0 + i // 32 * 1.5)
    assert sim.units["alive"][0].all()
    for _ in range(4):
        sim.step(8)
        check_living(sim)


def test_the_living_are_listed_through_births_deaths_and_rides() -> None:
    sim = Simulator("skills/medivac_drop")
    for _ in range(40):
        sim.step(8)
        check_living(sim)
    sim = Simulator("arena/terran_vs_any")
    for _ in range(60):
        sim.step(8)
        check_living(sim)
