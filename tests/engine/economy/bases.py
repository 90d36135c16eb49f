"""Whole games for tests: a base on flat ground, and the maps of recorded games."""

import lzma
from functools import cache

import numpy as np
import pytest

from terrarium.data.games.melee import Melee
from terrarium.data.maps.game_map import GameMap
from terrarium.data.maps.importer import import_map
from terrarium.data.maps.library import find_map
from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from tests.shared_facts import CAPTURES


@cache
def recorded_map(name: str) -> GameMap:
    """A map as a recorded game shows it."""
    folder = CAPTURES / name
    if not folder.is_dir():
        pytest.skip(f"{folder} is not here")
    files = ("game_info.pb.xz", "observation.pb.xz")
    return import_map(*(lzma.decompress((folder / file).read_bytes()) for file in files))


class Base:
    """Games of two players on a map, and what the first of them has."""

    def __init__(self, where: str | GameMap = "flat_32", race: str = "Terran", n_games: int = 1):
        played = find_map(where) if isinstance(where, str) else where
        self.sim = Simulator(Melee(played, (race, race)), n_envs=n_games)

    def mine(self, owner: int = 1, game: int = 0) -> list[int]:
        """The slots of a player's units, the townhall first."""
        units = self.sim.units[game]
        return [int(u) for u in np.flatnonzero((units["tag"] > 0) & (units["owner"] == owner))]

    def workers(self, owner: int = 1, game: int = 0) -> list[int]:
        return self.mine(owner, game)[1:13]

    def near(self, kind: int, owner: int = 1) -> list[int]:
        """The resources of a kind around a player's start."""
        sim, hall = self.sim, self.mine(owner)[0]
        units = sim.units[0]
        dx, dy = units["x"] - units["x"][hall], units["y"] - units["y"][hall]
        is_kind = sim.rules.types["resource"][units["kind"]] == kind
        there = units["alive"] & (units["owner"] == 0) & is_kind & (np.hypot(dx, dy) < 11)
        return [int(u) for u in np.flatnonzero(there)]

    def add_workers(self, n: int, owner: int = 1) -> None:
        """More workers, sent to the first field."""
        sim, first = self.sim, self.workers(owner)
        field = int(sim.games.orders["target"][0, first[0], 0])
        for k in range(n):
            x, y = (float(sim.units[c][0, first[k]]) for c in ("x", "y"))
            slot = sim.create(0, "scv", owner, x, y)
            sim.order(0, slot, codes.GATHER, target=field)

    def gathered(self, owner: int = 1, what: str = "minerals") -> float:
        return float(self.sim.games.accounts[f"gathered_{what}"][0, owner])

    def find(self, unit: str, owner: int = 1) -> list[int]:
        """The slots of a player's living units of a type, oldest first."""
        units = self.sim.units[0]
        is_one = units["alive"] & (units["owner"] == owner)
        is_one &= units["kind"] == self.sim.rows[unit]
        return sorted((int(u) for u in np.flatnonzero(is_one)), key=lambda u: int(units["tag"][u]))

    def count(self, unit: str, owner: int = 1) -> int:
        return len(self.find(unit, owner))

    def enrich(self, minerals: float = 10_000.0, vespene: float = 10_000.0, owner: int = 1) -> None:
        """Set what a player has to spend."""
        self.sim.players["minerals"][0, owner] = minerals
        self.sim.players["vespene"][0, owner] = vespene

    def purse(self, owner: int = 1) -> tuple[float, float]:
        player = self.sim.players[0, owner]
        return float(player["minerals"]), float(player["vespene"])

    def make(self, slot: int, product: str) -> str:
        """Give the command to make something, in this loop; its answer."""
        self.sim.produce(0, slot, product)
        self.sim.step(0)
        return self.sim.answer(0, slot)

    def wait_for(self, unit: str, n: int, limit: int, owner: int = 1) -> int:
        """Advance until a player has so many units of a type; the loop."""
        for _ in range(limit):
            if self.count(unit, owner) == n:
                return int(self.sim.ticks[0])
            self.sim.step(1)
        raise AssertionError(f"{self.count(unit, owner)} {unit} instead of {n}")

    def without_workers(self) -> "Base":
        """Nobody gathers, so that a purse tells what was paid."""
        for owner in (1, 2):
            for worker in self.workers(owner):
                self.sim.remove(0, worker)
        return self
