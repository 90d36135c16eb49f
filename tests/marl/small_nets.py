"""Small networks of every kind, for the promises that all of them make."""

import dataclasses
import functools
from typing import Any

import pytest
import torch

from terrarium.envs.vector import VecEnv
from terrarium.marl.batch import Obs, parts
from terrarium.marl.net_config import NetConfig
from terrarium.marl.nets.comm import COMMS
from terrarium.marl.nets.cores import CORES
from terrarium.marl.nets.encoders import ENCODERS
from terrarium.testing import battles as observations

ENTITY_ENCODERS = tuple(name for name, encoder in ENCODERS.items() if encoder.reads_units)


def small(encoder: str, core: str, **settings: Any) -> NetConfig:
    """A network with this encoder and core, and with what they need."""
    sizes = {"token_dim": 8, "n_heads": 2, "window": 5, "n_layers": 2, "grid_size": 7}
    sizes |= {"signature_dim": 8, "n_rounds": settings.pop("n_rounds", 1)}
    parts = {
        "encoder_config": ENCODERS[encoder].Config,
        "core_config": CORES[core].Config,
        "comm_config": COMMS[settings.get("comm", "none")].Config,
    }
    for name, config in parts.items():
        known = {field.name for field in dataclasses.fields(config)}
        settings[name] = config(**{key: size for key, size in sizes.items() if key in known})
    return NetConfig(encoder=encoder, core=core, **{"hidden_dim": 16, **settings})


def cores_of(encoder: str) -> list[str]:
    return [core for core in CORES if core != "token" or encoder == "transformer"]


def _every(encoders: tuple[str, ...]) -> pytest.MarkDecorator:
    nets = [small(encoder, core) for encoder in encoders for core in cores_of(encoder)]
    return pytest.mark.parametrize("cfg", nets, ids=lambda cfg: f"{cfg.encoder}-{cfg.core}")


EVERY_NET = _every(tuple(ENCODERS))
EVERY_ENTITY_NET = _every(ENTITY_ENCODERS)


def battles(name: str, n_envs: int = 4, n_steps: int = 12) -> tuple[VecEnv, Obs, torch.Tensor]:
    """Random play, made once for all tests: environment, obs [T, B], begins [T, B]."""
    env, seen, begins = _battles(name, n_envs, n_steps)
    return env, Obs(*(part.clone() for part in parts(seen))), begins.clone()


@functools.cache
def _battles(name: str, n_envs: int, n_steps: int) -> tuple[VecEnv, Obs, torch.Tensor]:
    return observations.battles(name, n_envs, n_steps)
