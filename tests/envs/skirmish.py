"""A battle in which agents have one of each kind of ability, for tests to play."""

from pathlib import Path
from typing import Any

import numpy as np

from terrarium.data.battles.scenarios import load_scenario
from terrarium.engine.battle import COMMAND
from terrarium.engine.records import Records
from terrarium.envs.vector import VecEnv
from tests.envs.stage import stage

SKIRMISH = Path(__file__).with_name("skirmish.toml")

# Agents come in the order of the alphabet.
CRUISER, GHOST, MARAUDER, MARINE, OTHER_MARINE, MEDIVAC, RAVEN, REAPER, SCV, TANK = range(10)
ENEMY = 10
STOP = 1


def skirmish(**options: Any) -> VecEnv:
    """One battle that waits where it begins."""
    return stage(load_scenario(SKIRMISH), **options)


def unit(env: VecEnv, m: int) -> Records:
    """The engine's record of a member."""
    return env.sim.units[0, env.member_slots[0, m]]


def kind_of(env: VecEnv, m: int) -> str:
    return env.sim.names[int(unit(env, m)["kind"])]


def skill(env: VecEnv, s: int) -> int:
    """The action that uses an ability without a target."""
    return env.info.first_skill + s


def aim(env: VecEnv, s: int, m: int) -> int:
    """The action that uses an ability on a member."""
    return env.info.first_aimed + s * env.info.n_tokens + m


def idle(env: VecEnv) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Everybody does as little as it may."""
    return np.where(env.avail[..., 0], 0, STOP)


def act(env: VecEnv, chosen: dict[int, int], n_steps: int = 1) -> None:
    """Some agents act once, the others wait; then all wait."""
    for step in range(n_steps):
        actions = idle(env)
        if step == 0:
            for a, action in chosen.items():
                actions[0, a] = action
        env.step(actions)


def wait(env: VecEnv, n_steps: int) -> None:
    """Keep doing what was begun: nobody gets an order."""
    for _ in range(n_steps):
        orders = np.zeros((env.n_envs, env.n_agents), COMMAND)
        orders["target"] = -1
        env.step_commands(orders)
