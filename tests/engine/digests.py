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
    "smac/27m_vs_30m": 60,
}
"""How many steps of each: missiles, melee, healing, flyers, explosions; then skills, fog, cargo;
then a crowd, whose neighbors come from a grid."""
PLAIN = {
    "smac/2s3z": 18,
    "smac/MMM": 14,
    "smac/1c3s5z": 12,
    "smacv2/terran_5_vs_5": 24,
    "smacv2/zerg_5_vs_5": 50,
    "skills/raven_support": 6,
    "skills/medivac_drop": 8,
    "skills/ghost_emp": 6,
    "arena/terran_vs_any": 6,
    "smac/27m_vs_30m": 6,
}
"""How many of them plain Python plays, which needs seconds for what machine code does in one."""
SEED = 7


def digests(name: str, n_steps: int, n_envs: int = 1, threads: int = 1) -> list[str]:
    """The states after a fixed battle that was played at several places of a batch at once: at both
    ends and at the seam between two threads, among other battles."""
    seeds = SEED + np.arange(n_envs)
    places = sorted({0, n_envs // 2, n_envs - 1})
    seeds[places] = SEED
    sim = Simulator(name, n_envs, threads)
    play(sim, seeds, n_steps)
    sim.close()
    return [battle_digest(sim, place) for place in places]


def lone_digests(battles: dict[str, int]) -> dict[str, str]:
    """Each battle as the only one of its batch, on one thread."""
    return {name: digests(name, n_steps)[0] for name, n_steps in battles.items()}


if __name__ == "__main__":
    json.dump(lone_digests(PLAIN if "plain" in sys.argv else BATTLES), sys.stdout)
