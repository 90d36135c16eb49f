"""Ten minutes of a whole game between computer opponents: what it comes to, minute by minute, and
parts of it in the mode that this process runs in."""

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from terrarium.engine.simulator import Simulator
from terrarium.engine.state import Games
from terrarium.envs.games.game_env import GameEnv

MAP, PLAYERS = "ladder_small/1", ("harder-protoss-macro", "harder-zerg-macro")
SEED = 1
MINUTE = 1344
LOOPS = 10 * MINUTE


def new_game(limit: int = LOOPS) -> GameEnv:
    env = GameEnv(MAP, PLAYERS, limit_ticks=limit)
    env.reset(SEED)
    return env


def digests(loops: int, saves: Path | None = None) -> list[str]:
    """At the end of each minute; the states go to a folder, if there is one."""
    env, found = new_game(loops), []
    while not env.over:
        env.step()
        if env.loop % MINUTE == 0:
            found.append(env.sim.digest())
            if saves is not None:
                np.savez(saves / f"{env.loop}.npz", **env.sim.save().games._asdict())
    return found


def go_on(sim: Simulator, save: Path, loops: int) -> str:
    """Load a state and let it run without orders."""
    with np.load(save) as arrays:
        sim.load(replace(sim.save(), games=Games(**arrays)))
    sim.step(loops)
    return sim.digest()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loops", type=int, default=LOOPS)
    parser.add_argument("--saves", type=Path, help="go on from these states instead")
    options = parser.parse_args()
    if options.saves is None:
        json.dump(digests(options.loops), sys.stdout)
    else:
        sim = new_game().sim
        files = sorted(options.saves.glob("*.npz"), key=lambda file: int(file.stem))
        json.dump([go_on(sim, file, options.loops) for file in files], sys.stdout)
