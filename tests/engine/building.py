"""Prints the digests of games in which structures come and go, in the mode this process runs in."""

import sys
from pathlib import Path

import numpy as np

from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from tests.engine.arena import flat, on_terrain

ROOT = Path(__file__).resolve().parents[2]


def digests() -> list[str]:
    """Of a game on a map of one sector and of one on several."""
    return [play(48), play(72)]


def play(size: int) -> str:
    walkable = np.ones((size, size), np.bool_)
    walkable[4:, 20] = False
    scenario = on_terrain(flat(size, size, walkable=walkable), "lotv-4.10").sim.scenario
    sim = Simulator(scenario, slots=24, layers=("footprints",))
    walkers = [
        sim.create(0, name, 0, 8.0, 30.0)
        for name in ("marine", "thor", "reaper")  # one for each of the three grounds of walkers
    ]
    for slot in walkers:
        sim.order(0, slot, codes.MOVE, (size - 8.0, 34.0))
    for name, x, y in (("barracks", 20.5, 2.5), ("supply_depot", 8.0, 24.0)):
        sim.step(24)
        last = sim.place(0, name, 1, x, y)
    sim.step(24)
    sim.remove(0, last)
    sim.step(48)
    return sim.digest()


if __name__ == "__main__":
    sys.stdout.write("\n".join(digests()))
