"""What every PettingZoo environment has to keep to be trained on."""

import copy
from typing import Any

import numpy as np
from pettingzoo.test import parallel_api_test

from terrarium.envs.pettingzoo.players import RandomPettingZooPlayer
from terrarium.envs.pettingzoo.spec import find_spec
from terrarium.envs.pettingzoo.vector import PettingZooVecEnv
from terrarium.envs.views import Views


def check_environment(name: str, n_steps: int = 100, **options: Any) -> None:
    """`name` is pettingzoo:package.module:factory, `options` are those of the factory."""
    spec = find_spec(name, options)
    parallel_api_test(spec.make(), num_cycles=n_steps)
    first, second = (_play(name, n_steps, options) for _ in range(2))
    for t, (one, other) in enumerate(zip(first, second, strict=True)):
        for field, x in one._asdict().items():
            y = getattr(other, field)
            assert np.isfinite(x).all(), f"{name}: {field} of step {t} is not finite"
            assert np.array_equal(x, y), f"{name}: the same seed gives another {field} in step {t}"
    avail = first[-1].avail
    assert avail.any(-1).all(), f"{name}: an agent has no action"


def _play(name: str, n_steps: int, options: dict[str, Any]) -> list[Views]:
    """The observations of two environments that are played at random."""
    env = PettingZooVecEnv(find_spec(name, options), n_envs=2, seed=np.array([3, 4], np.uint64))
    seen, player = [], RandomPettingZooPlayer(seed=5)
    try:
        env.reset()
        for _ in range(n_steps):
            seen.append(copy.deepcopy(env.now))
            env.step(player.act(env))
    finally:
        env.close()
    return seen
