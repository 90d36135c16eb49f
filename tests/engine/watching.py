"""Prints the digests of games in which players watch and fight each other, in the mode this process
runs in."""

import sys
from dataclasses import replace

from terrarium.data.games.melee import Melee
from terrarium.data.maps.library import find_map
from terrarium.data.maps.objects import MapObject
from terrarium.engine import codes
from terrarium.engine.simulator import Simulator

THINGS = (MapObject("destructible_rock_6x6", 34.0, 34.0), MapObject("xelnaga_tower", 46.0, 46.0))


def watched(n_games: int = 1) -> Simulator:
    """Rocks, a tower, armies that meet, somebody cloaked, structures that are seen and lost."""
    game_map = find_map("flat_64")
    game_map = replace(game_map, objects=(*game_map.objects, *THINGS))
    sim = Simulator(Melee(game_map, ("Terran", "Zerg")), n_envs=n_games)
    for game in range(n_games):
        tank = sim.create(game, "siege_tank", 1, 29.0, 34.0)
        marines = [sim.create(game, "marine", 1, 42.0, 34.0 + k) for k in range(4)]
        raven = sim.create(game, "raven", 1, 40.0, 38.0)
        zerglings = [sim.create(game, "zergling", 2, 46.0, 50.0 + k) for k in range(6)]
        sim.create(game, "dark_templar", 2, 44.0, 46.0)
        sim.place(game, "barracks", 1, 40.5, 30.5)
        rocks = int((sim.units["kind"][game] == sim.rows[THINGS[0].type]).argmax())
        sim.order(game, tank, codes.ATTACK, target=rocks)
        sim.order(game, raven, codes.MOVE, (46.0, 44.0))
        for slot in marines:
            sim.order(game, slot, codes.ATTACK_MOVE, (46.0, 44.0))
        for slot in zerglings:
            sim.order(game, slot, codes.ATTACK_MOVE, (40.5, 30.5))
        sim.units["hp"][game, rocks] = 40.0
    return sim


def digests(n_games: int = 1) -> list[str]:
    sim = watched(n_games)
    sim.step(240)
    return [sim.digest(game) for game in range(n_games)]


if __name__ == "__main__":
    sys.stdout.write("\n".join(digests()))
