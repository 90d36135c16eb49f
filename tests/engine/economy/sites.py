"""A quiet place to build in: a base without workers, and an enemy far away."""

from collections.abc import Iterator

import numpy as np

from terrarium.engine import codes
from terrarium.engine.records import Records
from tests.engine.economy.bases import Base

WORKERS = {"Terran": "scv", "Protoss": "probe", "Zerg": "drone"}


class Yard:
    """One player of a race who builds, on flat ground."""

    def __init__(self, race: str = "Terran", where: str = "flat_64") -> None:
        self.base, self.race = Base(where, race), race
        self.sim = self.base.sim
        self.clear()

    def clear(self) -> None:
        """A new game with riches and one worker."""
        sim = self.sim
        sim.reset()
        for owner in (1, 2):
            for worker in self.base.mine(owner)[1:]:
                sim.remove(0, worker)
        self.own(1000.0, 1000.0)
        self.worker = self.add_worker(32.5, 26.5)
        sim.step(1)
        self.since = int(sim.games.clock["n_events"][0, 0])

    def add_worker(self, x: float, y: float, owner: int = 1) -> int:
        return self.sim.create(0, WORKERS[self.race], owner, x, y)

    def own(self, minerals: float, vespene: float = 0.0) -> None:
        self.sim.players["minerals"][0, 1] = minerals
        self.sim.players["vespene"][0, 1] = vespene

    @property
    def bank(self) -> tuple[float, float]:
        player = self.sim.players[0, 1]
        return float(player["minerals"]), float(player["vespene"])

    def build(
        self, structure: str, at: tuple[float, float], worker: int | None = None, **more: object
    ) -> str:
        """Order it, and let one loop pass; the answer."""
        worker = self.worker if worker is None else worker
        self.sim.build(0, worker, structure, at, **more)
        self.sim.step(1)
        return self.sim.answer(0, worker)

    def news(self) -> Iterator[tuple[int, str, Records]]:
        """What happened since this was last asked: loop, event, record."""
        events, lost = self.sim.events(0, self.since)
        assert lost == 0
        for event in events:
            self.since += 1
            yield int(event["tick"]), codes.EVENT_NAMES[int(event["kind"])], event

    def until(self, what: str, limit: int = 2000) -> Records:
        """Play on until something happens; its record."""
        for _ in range(limit):
            for _, name, event in self.news():
                if name == what:
                    return event
            self.sim.step(1)
        raise AssertionError(f"nothing {what} in {limit} loops")

    def all_of(self, unit: str, owner: int = 1) -> list[int]:
        units = self.sim.units[0]
        is_one = units["alive"] & (units["owner"] == owner)
        return [int(u) for u in np.flatnonzero(is_one & (units["kind"] == self.sim.rows[unit]))]

    def unit(self, slot: int) -> Records:
        return self.sim.units[0, slot]

    def order(self, slot: int) -> int:
        """The kind of the order that a unit carries out."""
        if self.unit(slot)["n_orders"] == 0:
            return codes.NO_ORDER
        return int(self.sim.games.orders["kind"][0, slot, 0])
