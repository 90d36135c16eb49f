"""Prints digests of what environments show, in the mode this process runs in: run by the tests."""

import hashlib
import json
import sys

import terrarium
from tests.envs.skirmish import SKIRMISH

# Every kernel has a part in one of them. So many steps: plain Python must play them, too.
CASES = {
    "smac": ("smac/MMM", 7, {"contract": "exact", "obs_pathing_grid": True}),
    "smac fixed": ("smac/2s3z", 14, {"obs_terrain_height": True, "obs_last_action": True}),
    "script": ("smac/2m_vs_1z", 40, {"heuristic_ai": True, "heuristic_rest": True}),
    "cone": ("smacv2/terran_5_vs_5", 16, {"contract": "exact", "conic_fov": True}),
    "sightings": ("smacv2/zerg_5_vs_5", 16, {"prob_obs_enemy": 0.5, "action_mask": False}),
    "abilities": (SKIRMISH, 6, {"obs_last_action": True}),
    "measured": ("skills/medivac_drop", 8, {}),
}


def shown(case: str) -> str:
    """A digest of everything a battle showed in some steps of random play."""
    name, n_steps, options = CASES[case]
    env = terrarium.make_vec(name, 1, seed=5, **options)
    env.reset()
    env.sim.units["hp"] *= 0.1  # some must fall in so few steps
    digest = hashlib.sha256()
    for _ in range(n_steps):
        env.step(env.sample_actions())
        for views in (env.now, env.outcome):
            for array in views:
                digest.update(array.tobytes())
    digest.update(env.visibility().tobytes())
    return digest.hexdigest()


if __name__ == "__main__":
    json.dump({case: shown(case) for case in CASES}, sys.stdout)
