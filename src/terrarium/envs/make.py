"""The ways to an environment, by the name of a scenario."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from terrarium.data.battles.scenario import Scenario
from terrarium.data.battles.scenarios import load_scenario
from terrarium.data.maps.game_map import GameMap
from terrarium.envs.games.game_env import LIMIT_TICKS, STEP_TICKS, GameEnv
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


def make_game(
    map: str | Path | GameMap = "simple_64",
    players: Sequence[str] = ("terran", "hard-random"),
    rules: str = "lotv-4.10",
    fog: bool = True,
    step_ticks: int = STEP_TICKS,
    limit_ticks: int = LIMIT_TICKS,
) -> GameEnv:
    """A whole game with raw state and orders: `make_game("ladder/7", ("terran", "hard-zerg"))`.

    A race alone is a player that the program controls; `hard-zerg` is a computer opponent.
    """
    return GameEnv(map, players, rules, fog, step_ticks, limit_ticks)
