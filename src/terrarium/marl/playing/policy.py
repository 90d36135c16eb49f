"""A trained policy from its checkpoint. Needs torch and NumPy only: the ladder has no more."""

import tomllib
from pathlib import Path
from typing import Any

import numpy as np

from terrarium.config import Layer, given, layer_from_file
from terrarium.envs.tasks.spec import Spec
from terrarium.errors import TerrariumError
from terrarium.marl.algos import find_algo
from terrarium.marl.algos.algo import Algo
from terrarium.marl.checkpoint import CheckpointError, load_checkpoint
from terrarium.marl.net_config import NetConfig
from terrarium.marl.runtime import make_runtime
from terrarium.marl.sections import algo_sections, algo_settings, net_sections, net_settings


def load_policy(file: Path) -> tuple[Algo, Layer]:
    """An algorithm as a checkpoint left it, with the tables of its run's settings."""
    content = load_checkpoint(file)
    try:
        tables = tomllib.loads(content["settings"])
        name = str(tables["about"]["algo"])
        spec, state = Spec(**content["spec"]), content["algo"]
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{file}: the checkpoint is damaged: {error}") from None
    layer = layer_from_file(file, tables)
    net, cfg = _settings(layer, name)
    algo = find_algo(name)(spec, net, cfg, make_runtime(np.random.SeedSequence(0)))
    algo.load_weights(state)
    return algo, layer


def _settings(layer: Layer, name: str) -> tuple[NetConfig, Any]:
    """Of the networks and of the algorithm; those of the run do not matter for acting."""
    layers = [layer]
    try:
        kinds: dict[str, type[Any]] = {**net_sections(layers), **algo_sections(name, layers)}
    except TerrariumError as error:  # a class that is not here
        raise TerrariumError(f"{layer.source}: {error}") from None
    tables = {key: layer.values[key] for key in kinds if key in layer.values}
    values = given(kinds, [Layer(layer.source, tables)])
    net = net_settings(kinds, values)
    return net, algo_settings(name, kinds, values)
