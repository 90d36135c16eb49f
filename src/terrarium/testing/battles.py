"""Looks at real battles, for networks to be tested on."""

import torch

import terrarium
from terrarium.envs.vector import VecEnv
from terrarium.marl.batch import Obs, obs_from_views, obs_zeros, parts


def battles(name: str, n_envs: int = 4, n_steps: int = 12) -> tuple[VecEnv, Obs, torch.Tensor]:
    """Random play: the environment, what was seen [T, B], and where episodes began [T, B]."""
    env = terrarium.make_vec(name, n_envs, seed=3)
    env.reset()
    env.play_randomly(15)  # into the fight
    seen = obs_zeros(obs_from_views(env.now), n_steps)
    begins = torch.zeros((n_steps, n_envs), dtype=torch.bool)
    for t in range(n_steps):
        for room, part in zip(parts(seen), parts(obs_from_views(env.now)), strict=True):
            room[t] = part
        env.step(env.sample_actions())
        if t + 1 < n_steps:
            begins[t + 1] = torch.from_numpy(env.terminated | env.truncated)
    return env, seen, begins
