"""Prints digests of what environments show, in the mode this process runs in: run by the tests."""

import hashlib
import json
import sys

import terrarium
from tests.envs.skirmish import SKIRMISH

# Every kernel has a part in one of them.
CASES = {
    "smac": ("smac/MMM", {"contract": "exact", "obs_pathing_grid": True}),
    "smac fixed": ("smac/2s3z", {"obs_terrain_height": True, "obs_last_action": True}),
    "script": ("smac/2m_vs_1z", {"heuristic_ai": True, "heuristic_rest": True}),
    "cone": ("smacv2/terran_5_vs_5", {"contract": "exact", "conic_fov": True}),
    "sightings": ("smacv2/zerg_5_vs_5", {"prob_obs_enemy": 0.5, "action_mask": False}),
    "abilities": (SKIRMISH, {"obs_last_action": True}),
    "measured": ("skills/medivac_drop", {}),
}
N_STEPS = 20


def shown(case: str) -> str:
    """A digest of everything a battle showed in some steps of random play."""
    name, options = CASES[case]
    env = terrarium.make_vec(name, 2, seed=5, **options)
    env.reset()
    digest = hashlib.sha256()
    for _ in range(N_STEPS):
        env.step(env.sample_actions())
        for views in (env.now, env.outcome):
            for array in views:
                digest.update(array.tobytes())
    digest.update(env.visibility().tobytes())
    return digest.hexdigest()


if __name__ == "__main__":
    json.dump({case: shown(case) for case in CASES}, sys.stdout)
