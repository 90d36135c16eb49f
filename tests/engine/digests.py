"""Prints the digests of the fixed battles in the mode this process runs in: run by the tests."""

import json
import sys

import numpy as np

from terrarium.engine.simulator import Simulator
from tests.engine.scripts import play

BATTLES = ("smac/2s3z", "smac/MMM", "smac/1c3s5z", "smacv2/terran_5_vs_5", "smacv2/zerg_5_vs_5")
"""Both families, with missiles, melee, healing, flyers and explosions."""
SEED = 7
N_STEPS = 200


def digest(name: str, n_envs: int, index: int, threads: int) -> str:
    """The state after a fixed battle, played at one place of a batch among other battles."""
    seeds = np.arange(SEED - index, SEED - index + n_envs)
    sim = Simulator(name, n_envs, threads)
    play(sim, np.abs(seeds), N_STEPS)
    sim.close()
    return sim.digest(index)


if __name__ == "__main__":
    json.dump({name: digest(name, 1, 0, 1) for name in BATTLES}, sys.stdout)
