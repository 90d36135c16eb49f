"""Games in which anything is ordered that has to do with building; prints their digests, in the
mode this process runs in."""

import sys

import numpy as np

from terrarium.engine import codes
from terrarium.engine.battle import COMMAND
from terrarium.engine.records import Records
from terrarium.engine.simulator import Simulator
from tests.engine.economy.bases import Base

RACES = ("Terran", "Protoss", "Zerg")
KINDS = (
    codes.BUILD, codes.BUILD, codes.BUILD, codes.BUILD, codes.BUILD, codes.CONSTRUCT, codes.SMART,
    codes.CANCEL_LAST, codes.CANCEL_LAST, codes.STOP, codes.MOVE, codes.GATHER, codes.CAST,
    codes.PRODUCE, codes.ATTACK,
)  # fmt: skip
ODD = (float("nan"), float("inf"), -1e300, -3.0, 0.0, 1e6)


def random_commands(sim: Simulator, e: int, rng: np.random.Generator, n: int) -> Records:
    """Commands of both players: some sensible, many not."""
    commands = np.zeros(n, COMMAND)
    n_slots = int(sim.games.clock["n_slots"][e, 0])
    living = np.flatnonzero(sim.units["alive"][e])
    for command in commands:
        own = int(rng.choice(living)) if rng.random() < 0.8 else int(rng.integers(-2, n_slots + 2))
        inside = 0 <= own < n_slots
        command["unit"] = own
        command["owner"] = sim.units["owner"][e, own] if inside else int(rng.integers(0, 3))
        if rng.random() < 0.05:
            command["owner"] = int(rng.integers(0, 3))
        command["kind"] = int(rng.choice(KINDS))
        command["target"] = int(rng.integers(-1, n_slots + 1)) if rng.random() < 0.4 else -1
        x0, y0, x1, y1 = sim.setup.terrain.playable
        command["x"], command["y"] = rng.uniform(x0, x1), rng.uniform(y0, y1)
        if rng.random() < 0.05:
            command["x"] = float(rng.choice(ODD))
        command["queued"] = rng.random() < 0.3
        command["ability"] = fitting(sim, e, own if inside else 0, command["kind"], rng)
    return commands


def fitting(sim: Simulator, e: int, u: int, kind: int, rng: np.random.Generator) -> int:
    """Mostly an ability or a product that the unit has."""
    mine = int(sim.units["kind"][e, u])
    if kind == codes.CAST:
        kit = sim.rules.kit[mine]
        return int(rng.choice(kit)) if rng.random() < 0.9 else int(rng.integers(-2, 500))
    products = np.flatnonzero(sim.rules.products["by"] == mine)
    if len(products) and rng.random() < 0.9:
        return int(rng.choice(products))
    return int(rng.integers(-2, len(sim.rules.products) + 2))


def start(race: str, n_games: int = 1) -> Simulator:
    """Rich players with what structures require."""
    sim = Base("flat_64", race, n_games).sim
    sim.players["minerals"][:, 1:] = sim.players["vespene"][:, 1:] = 3000.0
    return sim


def play(race: str, n_games: int = 1, n_steps: int = 40) -> Simulator:
    sim = start(race, n_games)
    draws = [np.random.default_rng(e) for e in range(n_games)]
    for _ in range(n_steps):
        for e, rng in enumerate(draws):
            sim.give(e, random_commands(sim, e, rng, 6))
        sim.step(8)
    return sim


def digests() -> list[str]:
    return [play(race).digest() for race in RACES]


if __name__ == "__main__":
    sys.stdout.write("\n".join(digests()))
