"""Prints the digests of the fixed battles in the mode this process runs in: run by the tests."""

import json
import sys

import numpy as np

from terrarium.engine.simulator import Simulator
from tests.engine.golden import battle_digest
from tests.engine.scripts import play

BATTLES = {
    "smac/2s3z": 200,
    "smac/MMM": 200,
    "smac/1c3s5z": 200,
    "smacv2/terran_5_vs_5": 200,
    "smacv2/zerg_5_vs_5": 200,
    "skills/raven_support": 60,
    "skills/medivac_drop": 60,
    "skills/ghost_emp": 60,
    "arena/terran_vs_any": 30,
}
"""How many steps of each: missiles, melee, healing, flyers, explosions; then skills, fog, cargo."""
SEED = 7


def digest(name: str, n_envs: int, index: int, threads: int) -> str:
    """The state after a fixed battle, played at one place of a batch among other battles."""
    seeds = np.arange(SEED - index, SEED - index + n_envs)
    sim = Simulator(name, n_envs, threads)
    play(sim, np.abs(seeds), BATTLES[name])
    sim.close()
    return battle_digest(sim, index)


if __name__ == "__main__":
    json.dump({name: digest(name, 1, 0, 1) for name in BATTLES}, sys.stdout)
