"""Games of computer opponents on generated maps, looked at for what must never happen."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from terrarium.data.opponents.levels import RACES, levels

if TYPE_CHECKING:
    from terrarium.envs.games.game_env import GameEnv

N_MAPS = 10
LIMIT_TICKS = 107_520
"""80 minutes of the game's clock; stalemates end a game long before"""
MOST_SUPPLY = 200.0


@dataclass(frozen=True)
class SoakPairing:
    """A game that is to be watched."""

    map: str
    players: tuple[str, str]
    seed: int
    limit_ticks: int = LIMIT_TICKS


@dataclass(frozen=True)
class SoakGame:
    """How a watched game went."""

    map: str
    players: tuple[str, ...]
    seed: int
    loops: int
    looks: int
    """how often it was looked at: after every step, and at its end"""
    results: tuple[str, ...]
    """UNDECIDED: the game did not end"""
    problems: tuple[str, ...]
    """what must never happen, and did; empty: all is well"""


def pairings(games: int, seed: int) -> list[SoakPairing]:
    """All pairs of races in turn, on ten maps, with levels that are near each other."""
    names, pairs = list(levels()), list(product(RACES, repeat=2))
    found = []
    for k in range(games):
        first, second = pairs[k % len(pairs)]
        level = names[k % len(names)]
        other = names[min(len(names) - 1, k % len(names) + k // len(names) % 2)]
        found.append(
            SoakPairing(
                map=f"ladder/{k % N_MAPS + 1}",
                players=(f"{level}-{first}", f"{other}-{second}"),
                seed=seed + k,
            )
        )
    return found


def watch(pairing: SoakPairing) -> SoakGame:
    """Play one game to its end and look at it after every step."""
    from terrarium.envs.games.game_env import GameEnv  # loads the engine

    env = GameEnv(pairing.map, pairing.players, limit_ticks=pairing.limit_ticks)
    env.reset(pairing.seed)
    problems: dict[str, None] = {}
    looks = 0
    while not env.over:
        env.step()
        looks += 1
        problems |= dict.fromkeys(look_at(env))
    results = tuple(result.name for result in env.results)
    if sorted(results) not in (["DEFEAT", "VICTORY"], ["TIE", "TIE"]):
        problems[f"no result but {' and '.join(results).lower()}"] = None
    game = SoakGame(
        map=pairing.map,
        players=tuple(computer.name for computer in env.computers),
        seed=pairing.seed,
        loops=env.loop,
        looks=looks,
        results=results,
        problems=tuple(problems),
    )
    env.close()
    return game


def look_at(env: "GameEnv") -> Sequence[str]:
    """What is wrong in a game at the moment, a few words each."""
    sim, wrong = env.sim, []
    units, accounts, players = sim.units[0], sim.games.accounts[0], sim.players[0]
    if sim.games.clock["fault"][0, 0]:
        wrong.append(f"fault {int(sim.games.clock['fault'][0, 0])}")
    x0, y0, x1, y1 = env.map.playable
    x, y = units["x"][units["alive"]], units["y"][units["alive"]]
    outside = ~((x >= x0) & (x <= x1) & (y >= y0) & (y <= y1))
    neutral = units["owner"][units["alive"]] == 0  # rocks and doodads may lie across the edge
    if (outside & ~neutral).any():
        wrong.append("a unit outside the map")
    if (players["minerals"] < 0.0).any() or (players["vespene"] < 0.0).any():
        wrong.append("negative resources")
    if (sim.games.resources["contents"][0] < 0.0).any():
        wrong.append("less than nothing in a field")
    if (accounts["supply_used"] > MOST_SUPPLY).any() or (
        accounts["supply_cap"] > MOST_SUPPLY
    ).any():
        wrong.append("supply above 200")
    numbers = ("x", "y", "hp", "shield", "energy")
    if not all(np.isfinite(units[name][units["alive"]]).all() for name in numbers):
        wrong.append("a number that is none")
    return wrong
