"""Battles set up by hand: units put where a test wants them."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from terrarium.data.battles.scenario import Scenario
from terrarium.data.battles.scenarios import load_scenario
from terrarium.engine.battle import COMMAND
from terrarium.engine.records import Records
from terrarium.envs.options import options_for
from terrarium.envs.vector import VecEnv


def stage(scenario: Scenario | str, seed: int = 1, **options: Any) -> VecEnv:
    """One battle that stays as it is when it is over."""
    if isinstance(scenario, str):
        scenario = load_scenario(scenario)
    env = VecEnv(scenario, seed=seed, autoreset=False, options=options_for(scenario, options))
    env.reset()
    return env


def put(env: VecEnv, places: Mapping[int, tuple[float, float]]) -> None:
    """Move members, agents first, then enemies; look again."""
    for m, (x, y) in places.items():
        unit = env.sim.units[0, env.member_slots[0, m]]
        unit["x"], unit["y"] = x, y
    env.refresh()


def kill(env: VecEnv, *members: int) -> None:
    """Let members be dead, as the engine would leave them; look again."""
    for m in members:
        unit = env.sim.units[0, env.member_slots[0, m]]
        unit["alive"], unit["hp"], unit["shield"] = False, 0.0, 0.0
        env.sim.players["n_alive"][0, unit["owner"]] -= 1
    env.refresh()


def column(env: VecEnv, name: str) -> int:
    """Where a feature of the observation is."""
    return env.info.obs_features.index(name)


def order_of(env: VecEnv, slot: int, e: int = 0) -> Records:
    """The command that the last step gave to a unit; NO_ORDER if it gave none."""
    answers = env.sim.answers(e)
    mine = answers[answers["unit"] == slot]
    return mine[-1] if len(mine) else np.zeros(1, COMMAND)[0]
