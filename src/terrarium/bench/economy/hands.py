"""The hands of one player of a recorded game: they send its workers where it had them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from terrarium.bench.economy.recorded import BUILT_IN, RecordedStructure
from terrarium.data.maps.expansions import Expansion
from terrarium.data.maps.game_map import Place
from terrarium.engine import codes
from terrarium.engine.simulator import PlacementError, Simulator

WORKERS_PER_FIELD, WORKERS_PER_GEYSER = 2, 3
BIRTH_DISTANCE = 3.5
"""from the middle of a townhall to the units that it makes"""
MULE_DROP_LOOPS = 64
FRIGHTENED, FRIGHT_LOOPS = 3, 160
"""Workers that run away when one dies beside them, and for how long. In the open games a loss takes
8 % of the minerals of the 320 loops around it, and those of a base that loses many come to rest."""
WALK_SLACK = 1.05
"""Ways are this much longer than the straight line."""
WORKER_NAMES = {"Terran": "scv", "Zerg": "drone", "Protoss": "probe"}
TOWNHALL_NAMES = {"Terran": "command_center", "Zerg": "hatchery", "Protoss": "nexus"}
GAS_NAMES = {"Terran": "refinery", "Zerg": "extractor", "Protoss": "assimilator"}

Slot = tuple[int, int]
"""a unit's slot and its tag"""


@dataclass
class Base:
    """A townhall, what lies around it, and who works there."""

    hall: Slot
    x: float
    y: float
    fields: list[Slot]
    geysers: list[Slot]
    miners: list[Slot] = field(default_factory=list)


class Hands:
    """Gives one player's workers their orders in one game of a simulator.

    Workers spread over the bases by how full their fields are, as players do; only those that
    build, and those on gas, are told what the record says.
    """

    def __init__(
        self, sim: Simulator, owner: int, race: str, kind: str, spots: Sequence[Expansion]
    ) -> None:
        self.sim, self.owner, self.race, self.kind = sim, owner, race, kind
        self._spots = spots
        self._pace = float(sim.rules.types["speed"][sim.rows[WORKER_NAMES[race]]])
        self._building: dict[RecordedStructure, Slot] = {}
        self._gas: dict[Slot, list[Slot]] = {}
        self._gas_share = 0.0
        self._fright: dict[Slot, int] = {}
        self.bases: list[Base] = []
        mine = np.flatnonzero(self._alive() & (sim.units["owner"][0] == owner))
        kinds = sim.units["kind"][0]
        hall = next(u for u in mine if sim.rules.types["townhall"][kinds[u]])
        self._add_base(self._slot(int(hall)))
        self.bases[0].miners = [
            self._slot(int(u)) for u in mine if sim.rules.types["worker"][kinds[u]]
        ]

    def split_workers(self) -> None:
        """Give every field one worker, then the nearest fields a second one."""
        base = self.bases[0]
        at = (base.x, base.y)
        fields = sorted(base.fields, key=lambda each: math.dist(self._place(each), at))
        left = list(base.miners)
        for k in range(len(left)):
            there = self._place(fields[k % len(fields)])
            worker = min(left, key=lambda each: math.dist(self._place(each), there))
            left.remove(worker)
            self.sim.order(0, worker[0], codes.GATHER, target=fields[k % len(fields)][0])

    def n_workers(self) -> int:
        """How many the player has now."""
        on_gas = sum(len(self._living(crew)) for crew in self._gas.values())
        building = len(self._living(list(self._building.values())))
        return on_gas + building + sum(len(self._living(base.miners)) for base in self.bases)

    def add_worker(self) -> None:
        """A worker is born where the fields are emptiest, on the side that faces them."""
        base = self._emptiest()
        at = self._beside(base)
        slot = self.sim.create(0, WORKER_NAMES[self.race], self.owner, *at)
        self._send_to_minerals(self._slot(slot), base)

    def lose_worker(self, alone: bool) -> None:
        """A worker dies, at the base with the most of them; those beside it run away, unless it
        was `alone`, as scouts are."""
        base = max(self.bases, key=lambda each: len(self._living(each.miners)))
        outside = [w for w in self._living(base.miners) if self.sim.units["alive"][0, w[0]]]
        if not outside:
            return
        lost = outside.pop()
        at = self._place(lost)
        base.miners.remove(lost)
        self.sim.remove(0, lost[0])
        if alone:
            return
        until = int(self.sim.ticks[0]) + FRIGHT_LOOPS
        calm = [w for w in outside if w not in self._fright]
        near = sorted(calm, key=lambda each: math.dist(self._place(each), at))
        n_frightened = len(near) if self.kind == BUILT_IN else FRIGHTENED
        x, y = self._beside(base)
        behind = 3.0 * base.x - 2.0 * x, 3.0 * base.y - 2.0 * y
        for worker in near[:n_frightened]:
            self._fright[worker] = until
            self.sim.order(0, worker[0], codes.MOVE, behind)

    def calm_down(self) -> None:
        """Those who ran away long enough ago gather again."""
        now = int(self.sim.ticks[0])
        for worker in [w for w, until in self._fright.items() if until <= now]:
            del self._fright[worker]
            for base in self.bases:
                if worker in self._living(base.miners):
                    base.miners.remove(worker)
                    self._send_to_minerals(worker, base)

    def travel_loops(self, distance: float) -> int:
        """How long before its site appears a builder sets out."""
        return round(WALK_SLACK * distance / self._pace)

    def send_builder(self, structure: RecordedStructure) -> None:
        """Take the miner that is nearest to a site, without cargo if there is one."""
        worker = self._free_miner(structure.x, structure.y)
        if worker is not None:
            self._building[structure] = worker
            self.sim.order(0, worker[0], codes.MOVE, (structure.x, structure.y))

    def hand_builder_on(self, done: RecordedStructure, structure: RecordedStructure) -> None:
        """Who has built one structure goes on to another."""
        worker = self._building.pop(done, None)
        if worker is None or not self._lives(worker):
            self.send_builder(structure)
            return
        self._building[structure] = worker
        self.sim.order(0, worker[0], codes.MOVE, (structure.x, structure.y))

    def release_builder(self, structure: RecordedStructure, consumed: bool) -> None:
        """The builder is free again, or has become the structure."""
        worker = self._building.pop(structure, None)
        if worker is None or not self._lives(worker):
            return
        if consumed:
            self.sim.remove(0, worker[0])  # builders come from the minerals: it is outside
        else:
            self._send_to_minerals(worker, self._nearest_base(worker))

    def return_builder(self, structure: RecordedStructure) -> None:
        """A structure that was cancelled becomes the worker again that it was made of."""
        if not self.bases:
            return
        slot = self.sim.create(0, WORKER_NAMES[self.race], self.owner, structure.x, structure.y)
        worker = self._slot(slot)
        self._send_to_minerals(worker, self._nearest_base(worker))

    def add_townhall(self, structure: RecordedStructure) -> None:
        """A finished townhall becomes a base if there are fields for it."""
        spot = min(self._spots, key=lambda s: math.hypot(s.x - structure.x, s.y - structure.y))
        if math.hypot(spot.x - structure.x, spot.y - structure.y) > 3.0:
            return  # built elsewhere, to be flown or as a wall: nothing is mined there
        try:
            hall = self.sim.place(0, TOWNHALL_NAMES[self.race], self.owner, spot.x, spot.y)
        except PlacementError:
            return
        self._add_base(self._slot(hall))
        self._transfer(self.bases[-1])

    def remove_townhall(self, structure: RecordedStructure) -> None:
        """Those who worked there go to the other bases."""
        for base in self.bases:
            if math.hypot(base.x - structure.x, base.y - structure.y) < 3.0:
                self.sim.remove(0, base.hall[0])
                self.bases.remove(base)
                for worker in self._living(base.miners):
                    if self.bases:
                        self._send_to_minerals(worker, self._emptiest())
                return

    def add_gas(self) -> None:
        """A finished structure on the next free geyser."""
        for base in self.bases:
            for geyser in base.geysers:
                x, y = (float(self.sim.units[c][0, geyser[0]]) for c in ("x", "y"))
                try:
                    slot = self.sim.place(0, GAS_NAMES[self.race], self.owner, x, y)
                except PlacementError:
                    continue  # there is one already
                self._gas[self._slot(slot)] = []
                self.man_gas(self._gas_share)
                return

    def man_gas(self, share: float) -> None:
        """Fill the structures on geysers to a share of the workers that they have room for."""
        self._gas_share = share
        wanted = round(share * WORKERS_PER_GEYSER * len(self._gas))
        for site in self._gas:
            crew = self._gas[site] = self._living(self._gas[site])
            n_here = min(wanted, WORKERS_PER_GEYSER)
            wanted -= n_here
            while len(crew) < n_here:
                worker = self._free_miner(*self._place(site))
                if worker is None:
                    return
                crew.append(worker)
                self.sim.order(0, worker[0], codes.GATHER, target=site[0])
            for worker in crew[n_here:]:
                self._send_to_minerals(worker, self._nearest_base(worker))
            del crew[n_here:]

    def call_mule(self) -> None:
        """A MULE on the fullest field of the base that has the most minerals."""
        base = max(self.bases, key=lambda each: self._left_at(each))
        fields = self._living(base.fields)
        if not fields:
            return
        contents = self.sim.games.resources["contents"][0]
        target = max(fields, key=lambda each: (float(contents[each[0]]), -each[0]))
        x, y = self._place(target)
        slot = self.sim.create(0, "mule", self.owner, x, y)
        self.sim.order(0, slot, codes.GATHER, target=target[0])

    def _beside(self, base: Base) -> Place:
        """Where units appear whose rally point is the mineral fields."""
        places = [self._place(each) for each in self._living(base.fields)]
        if not places:
            return base.x, base.y - BIRTH_DISTANCE
        dx = sum(x for x, _ in places) / len(places) - base.x
        dy = sum(y for _, y in places) / len(places) - base.y
        far = max(math.hypot(dx, dy), 1e-9)
        return base.x + dx / far * BIRTH_DISTANCE, base.y + dy / far * BIRTH_DISTANCE

    def _add_base(self, hall: Slot) -> None:
        x, y = self._place(hall)
        units, rules = self.sim.units[0], self.sim.rules
        near = np.hypot(units["x"] - x, units["y"] - y) < 11.0
        kinds = rules.types["resource"][units["kind"]]
        neutral = self._alive() & (units["owner"] == codes.NEUTRAL_OWNER) & near
        fields, geysers = (
            [self._slot(int(u)) for u in np.flatnonzero(neutral & (kinds == kind))]
            for kind in (codes.MINERALS, codes.VESPENE)
        )
        self.bases.append(Base(hall, x, y, fields, geysers))

    def _transfer(self, new: Base) -> None:
        """Workers for which the other bases have no field go to a new one; the built-in AI spreads
        them evenly."""
        everybody = sum(len(self._living(base.miners)) for base in self.bases)
        share = everybody / max(1, sum(len(self._living(base.fields)) for base in self.bases))
        full = min(share, WORKERS_PER_FIELD) if self.kind == BUILT_IN else WORKERS_PER_FIELD
        for base in self.bases:
            if base is new:
                continue
            crew = self._living(base.miners)
            for worker in crew[math.ceil(full * len(self._living(base.fields))) :]:
                base.miners.remove(worker)
                self._send_to_minerals(worker, new)

    def _send_to_minerals(self, worker: Slot, base: Base) -> None:
        """To the field with the fewest workers; the nearest of these."""
        fields = self._living(base.fields)
        base.miners.append(worker)
        if not fields:
            return
        orders = self.sim.games.orders[0, :, 0]
        busy = orders["target"][[w[0] for w in self._living(base.miners)]].tolist()
        target = min(
            fields, key=lambda f: (busy.count(f[0]), math.dist(self._place(f), (base.x, base.y)))
        )
        if self.sim.games.workers["cargo"][0, worker[0]] > 0.0:
            self.sim.order(0, worker[0], codes.RETURN_CARGO)
            self.sim.order(0, worker[0], codes.GATHER, target=target[0], queued=True)
        else:
            self.sim.order(0, worker[0], codes.GATHER, target=target[0])

    def _free_miner(self, x: float, y: float) -> Slot | None:
        cargo = self.sim.games.workers["cargo"][0]
        miners = [(w, base) for base in self.bases for w in self._living(base.miners)]
        if not miners:
            return None
        worker, base = min(
            miners,
            key=lambda each: (
                cargo[each[0][0]] > 0 and math.dist(self._place(each[0]), (x, y)) < 20.0,
                math.dist(self._place(each[0]), (x, y)),
            ),
        )
        base.miners.remove(worker)
        return worker

    def _emptiest(self) -> Base:
        def fullness(base: Base) -> float:
            return len(self._living(base.miners)) / max(1, len(self._living(base.fields)))

        return min(self.bases, key=fullness)

    def _nearest_base(self, worker: Slot) -> Base:
        return min(self.bases, key=lambda b: math.dist(self._place(worker), (b.x, b.y)))

    def _left_at(self, base: Base) -> float:
        contents = self.sim.games.resources["contents"][0]
        return sum(float(contents[slot]) for slot, _ in self._living(base.fields))

    def _place(self, unit: Slot) -> tuple[float, float]:
        return float(self.sim.units["x"][0, unit[0]]), float(self.sim.units["y"][0, unit[0]])

    def _slot(self, u: int) -> Slot:
        return u, int(self.sim.units["tag"][0, u])

    def _alive(self) -> NDArray[np.bool_]:
        units = self.sim.units[0]
        alive: NDArray[np.bool_] = units["alive"] | (units["inside"] >= 0)
        return alive

    def _lives(self, unit: Slot) -> bool:
        units = self.sim.units[0]
        u, tag = unit
        return bool(units["tag"][u] == tag and (units["alive"][u] or units["inside"][u] >= 0))

    def _living(self, units: list[Slot]) -> list[Slot]:
        return [unit for unit in units if self._lives(unit)]
