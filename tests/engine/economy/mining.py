"""Prints the digests of games in which workers gather, in the mode this process runs in."""

import sys

from terrarium.engine import codes
from tests.engine.economy.bases import Base


def digests(n_games: int = 1) -> list[str]:
    """Of minerals and gas, an exhausted field, workers that are ordered about, and a new one."""
    base = Base(n_games=n_games)
    sim, workers = base.sim, base.workers()
    geyser = base.near(codes.VESPENE)[0]
    x, y = (float(sim.units[c][0, geyser]) for c in ("x", "y"))
    for game in range(n_games):
        refinery = sim.place(game, "refinery", 1, x, y)
        sim.games.resources["contents"][game, base.near(codes.MINERALS)[0]] = 12.0
        for worker in workers[:2]:
            sim.order(game, worker, codes.GATHER, target=refinery)
        sim.produce(game, base.mine()[0], "scv")
        sim.produce(game, base.mine()[0], "scv")  # refused: 50 minerals are there for one
    sim.step(120)
    for game in range(n_games):
        sim.order(game, workers[2], codes.RETURN_CARGO)
        sim.order(game, workers[3], codes.MOVE, (24.0, 24.0))
    sim.step(180)
    return [sim.digest(game) for game in range(n_games)]


if __name__ == "__main__":
    sys.stdout.write("\n".join(digests()))
