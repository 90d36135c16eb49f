"""Small networks of every kind, for the promises that all of them make."""

import functools
from typing import Any

import pytest
import torch

from terrarium.envs.vector import VecEnv
from terrarium.marl.batch import Obs, parts
from terrarium.marl.net_config import CORES, ENCODERS, ENTITY_ENCODERS, NetConfig
from tests.marl import observations


def small(encoder: str, core: str, **settings: Any) -> NetConfig:
    """A network with this encoder and core, and with what they need."""
    grid_size = 7 if encoder == "cnn" else 0
    sizes: dict[str, Any] = {
        "hidden_dim": 16,
        "token_dim": 8,
        "n_heads": 2,
        "window": 5,
        "n_layers": 2,
    }
    return NetConfig(encoder=encoder, core=core, grid_size=grid_size, **{**sizes, **settings})


def cores_of(encoder: str) -> list[str]:
    return [core for core in CORES if core != "token" or encoder == "transformer"]


def _every(encoders: tuple[str, ...]) -> pytest.MarkDecorator:
    nets = [small(encoder, core) for encoder in encoders for core in cores_of(encoder)]
    return pytest.mark.parametrize("cfg", nets, ids=lambda cfg: f"{cfg.encoder}-{cfg.core}")


EVERY_NET = _every(ENCODERS)
EVERY_ENTITY_NET = _every(ENTITY_ENCODERS)


def battles(name: str, n_envs: int = 4, n_steps: int = 12) -> tuple[VecEnv, Obs, torch.Tensor]:
    """Random play, made once for all tests: environment, obs [T, B], begins [T, B]."""
    env, seen, begins = _battles(name, n_envs, n_steps)
    return env, Obs(*(part.clone() for part in parts(seen))), begins.clone()


@functools.cache
def _battles(name: str, n_envs: int, n_steps: int) -> tuple[VecEnv, Obs, torch.Tensor]:
    return observations.battles(name, n_envs, n_steps)
