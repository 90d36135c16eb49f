"""Gymnasium's spaces of the views: true bounds of every column, found by its name."""

from collections.abc import Sequence

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

from terrarium.data.facts.rulesets import load_ruleset
from terrarium.envs.members import possible_allies
from terrarium.envs.vector import VecEnv

Bounds = tuple[float, float]

SHARE = (0.0, 1.0)
"""Of most columns: health, shields, type bits, masks, last actions, time, height, own place"""
DIRECTION = (-1.0, 1.0)


def observation_box(vec: VecEnv) -> Box:
    """The space of one agent's observation, `[O]`."""
    return _box(vec.info.obs_features, _obs_bounds(vec))


def team_box(vec: VecEnv) -> Box:
    """The space of all agents' observations, `[A, O]`."""
    one = observation_box(vec)
    shape = (vec.n_agents, 1)
    return Box(np.tile(one.low, shape), np.tile(one.high, shape), dtype=np.float32)


def state_box(vec: VecEnv) -> Box:
    """The space of the global state, `[S]`."""
    is_obs = vec.options.obs_instead_of_state
    return _box(vec.info.state_features, _obs_bounds(vec) if is_obs else _state_bounds(vec))


def mask_box(*shape: int) -> Box:
    """The space of an action mask: whole numbers, as PettingZoo and `Discrete.sample` want it."""
    return Box(0, 1, shape, dtype=np.int8)


def _box(features: Sequence[str], bounds: dict[str, Bounds]) -> Box:
    columns = [_bounds_of(name, bounds) for name in features]
    # A value is computed in float64 and then rounded. So is its bound: order survives rounding.
    low, high = np.array(columns, np.float32).reshape(-1, 2).T
    return Box(low, high, dtype=np.float32)


def _bounds_of(name: str, bounds: dict[str, Bounds]) -> Bounds:
    for part, pair in bounds.items():
        if f"_{part}_" in f"{name}_":
            return pair
    return SHARE


def _obs_bounds(vec: VecEnv) -> dict[str, Bounds]:
    """Bounds of an observation's columns that are not shares, by a part of their names."""
    reach_x, reach_y, reach = 1.0, 1.0, 1.0
    if vec.options.fully_observable:
        x0, y0, x1, y1 = vec.scenario.terrain.playable  # nothing is ever outside of it
        sight = float(vec.kinds["sight"][_rows_of_allies(vec)].min())
        reach_x, reach_y = (x1 - x0) / sight, (y1 - y0) / sight
        reach = float(np.hypot(reach_x, reach_y))
    return {
        "distance": (0.0, reach),
        "relative_x": (-reach_x, reach_x),
        "relative_y": (-reach_y, reach_y),
        "fov_x": DIRECTION,
        "fov_y": DIRECTION,
    }


def _state_bounds(vec: VecEnv) -> dict[str, Bounds]:
    """Bounds of the state's columns that are not shares, by a part of their names."""
    terrain = vec.scenario.terrain
    x0, y0, x1, y1 = terrain.playable
    middle_x, middle_y = 0.5 * terrain.width, 0.5 * terrain.height
    # Exact cooldowns are divided by SMAC's constants, which are too small for some units.
    allies = vec.kinds[_rows_of_allies(vec)]
    fighters = allies[allies["fights"]]
    longest = float((fighters["full_cooldown"] / fighters["cooldown"]).max(initial=1.0))
    return {
        "relative_x": ((x0 - middle_x) / (x1 - x0), (x1 - middle_x) / (x1 - x0)),
        "relative_y": ((y0 - middle_y) / (y1 - y0), (y1 - middle_y) / (y1 - y0)),
        "fov_x": DIRECTION,
        "fov_y": DIRECTION,
        "cooldown": (0.0, longest if vec.options.exact else 1.0),
    }


def _rows_of_allies(vec: VecEnv) -> NDArray[np.int64]:
    """Rows of `vec.kinds` of the unit types that agents may have."""
    names = list(load_ruleset(vec.scenario.rules).units)
    return np.array([names.index(name) for name in sorted(possible_allies(vec.scenario))])
