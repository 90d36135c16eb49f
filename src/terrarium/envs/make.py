"""The ways to an environment, by the name of a scenario."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from terrarium.data.battles.scenario import Scenario
from terrarium.data.battles.scenarios import load_scenario
from terrarium.envs.options import VIEWS, options_for
from terrarium.envs.smac.env import StarCraft2Env
from terrarium.envs.vector import VecEnv


def make(name: Scenario | str | Path, contract: str = "fixed", **options: Any) -> StarCraft2Env:
    """One battle at a time with SMAC's methods: `make("smac/3m", seed=7)`.

    `contract="fixed"` repairs the quirks of SMAC that hurt learning, "exact" keeps them all.
    """
    return StarCraft2Env(name, contract=contract, **options)


def make_vec(
    name: Scenario | str | Path,
    n_envs: int = 1,
    threads: int = 1,
    seed: int | ArrayLike = 0,
    views: Sequence[str] = VIEWS,
    **options: Any,
) -> VecEnv:
    """Many battles at once, in preallocated arrays: the fast way."""
    scenario = name if isinstance(name, Scenario) else load_scenario(name)
    return VecEnv(
        scenario,
        n_envs=n_envs,
        threads=threads,
        seed=seed,
        views=views,
        options=options_for(scenario, options),
    )
