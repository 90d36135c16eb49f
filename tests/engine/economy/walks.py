"""A walk of a race's whole tech tree by orders alone, from a fresh base with free resources."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import ceil

import numpy as np

from terrarium.data.facts.unit_facts import Unit
from terrarium.data.games.melee import WORKERS
from terrarium.engine import codes
from tests.engine.economy.bases import Base

RICH = 10_000.0
FAST_FIELD_LOOPS = 81
"""of a warp-in (economy.md, 7)"""
SUPPLY = {"Zerg": "overlord", "Protoss": "pylon", "Terran": "supply_depot"}
PATIENCE = 1_000
"""loops until something that has not been begun is ordered again"""
SPARE = 12.0
"""supply that is kept free"""
BUILDS = (codes.HOW_BUILD, codes.HOW_BUILD_ON_GEYSER)


@dataclass
class Making:
    """Something that is being made: who makes it, and since when."""

    product: int
    slot: int
    ordered: int
    started: int | None = None


@dataclass
class Walk:
    """Makes each product of a race once, or as often as others are made of it."""

    race: str
    base: Base = field(init=False)
    done: set[int] = field(default_factory=set)
    """rows of products that were made, with the price and the time that the facts say"""
    wrong: list[str] = field(default_factory=list)
    making: list[Making] = field(default_factory=list)
    n_events: int = 0

    def __post_init__(self) -> None:
        self.base = Base("flat_128", self.race)
        sim = self.base.sim
        for unit in self.base.mine(2)[1:]:
            sim.remove(0, unit)
        self.facts = sim.setup.facts  # type: ignore[union-attr]
        self.keys = {row: key for key, row in sim._products.items()}
        self.rows = [
            r for r, (by, _) in self.keys.items() if self.facts.units[by].race == self.race
        ]
        self.builder = WORKERS[self.race]

    def go(self, limit: int) -> None:
        """Order whatever can be ordered until all is made, or the time is over."""
        sim = self.base.sim
        while int(sim.ticks[0]) < limit and self.missing():
            self.base.enrich(RICH, RICH)
            for p in self.wanted():
                self.order(p)
                self.base.enrich(RICH, RICH)
            sim.step(8)
            self.read_events()

    def missing(self) -> list[str]:
        """What has not been made yet. An upgrade is researched in one place, and the forms of
        structures on rich geysers belong to these."""
        products = self.base.sim.rules.products
        upgrades = {int(products[p]["upgrade"]) for p in self.done if products[p]["upgrade"] >= 0}
        return [
            f"{self.keys[p][0]} -> {self.keys[p][1]}"
            for p in self.rows
            if p not in self.done
            and int(products[p]["upgrade"]) not in upgrades
            and not self.keys[p][1].endswith("_rich")
        ]

    def wanted(self) -> Iterator[int]:
        """What to try in this step: supply and workers, what is missing, and what that needs."""
        account = self.base.sim.games.accounts[0, 1]
        n_supply = sum(self.keys[m.product][1] == SUPPLY[self.race] for m in self.making)
        if account["supply_cap"] - account["supply_used"] + 8 * n_supply < SPARE:
            yield from self.rows_of(SUPPLY[self.race])
        if self.base.count(self.builder) < 8 and self.n_making(self.builder) < 2:
            yield from self.rows_of(self.builder)
        names = self.missing()
        open_rows = [p for p in self.rows if f"{self.keys[p][0]} -> {self.keys[p][1]}" in names]
        for p in open_rows:
            by, made = self.keys[p]
            if self.n_making(made) or (self.uses_up(p) and self.is_needed(by, p, open_rows)):
                continue
            yield p
            if (
                not self.base.find(by)
                and not self.n_making(by)
                and by not in ("larva", self.builder)
            ):
                yield from self.rows_of(by)

    def rows_of(self, unit: str) -> list[int]:
        return [p for p in self.rows if self.keys[p][1] == unit]

    def n_making(self, name: str) -> int:
        return sum(self.keys[m.product][1] == name for m in self.making)

    def uses_up(self, p: int) -> bool:
        """Is a structure gone when the product is made?"""
        row = self.base.sim.rules.products[p]
        return row["how"] == codes.HOW_MORPH and self.facts.units[self.keys[p][0]].kind != "unit"

    def is_needed(self, by: str, p: int, open_rows: list[int]) -> bool:
        """Is there something left that only this structure makes, and can make now?"""
        sim, fulfilled = self.base.sim, int(self.base.sim.games.accounts["fulfilled"][0, 1])
        for other in open_rows:
            needs = int(sim.rules.products[other]["needs"])
            is_of_it = other != p and self.keys[other][0] == by and not self.uses_up(other)
            if is_of_it and fulfilled & needs == needs:
                return True
        return False

    def idle(self, unit: str) -> list[int]:
        """Finished units of a type that make nothing."""
        sim = self.base.sim
        busy = {m.slot for m in self.making}
        return [
            u
            for u in self.base.find(unit)
            if not sim.units["status"][0, u] & codes.UNFINISHED
            and sim.games.producers["n_items"][0, u] == 0
            and u not in busy
        ]

    def order(self, p: int) -> None:
        """Give one order, and check what it cost."""
        sim, (by, made), row = self.base.sim, self.keys[p], self.base.sim.rules.products[p]
        makers = self.idle(by)
        if not makers or (row["how"] == codes.HOW_MERGE and len(makers) < 2):
            return
        slot = makers[-1]
        if self.lacks_ground(p):
            return
        at = self.place_for(p, slot)
        if at is None:
            return
        if row["how"] in BUILDS and int(row["builder"]) >= 0:
            sim.build(0, slot, made, at)
        else:
            sim.produce(0, slot, made, at, makers[-2] if row["how"] == codes.HOW_MERGE else -1)
        sim.step(0)
        answer = sim.answer(0, slot)
        if answer == "Success":
            self.making.append(Making(p, slot, int(sim.ticks[0])))
            price = (RICH - float(row["minerals"]), RICH - float(row["vespene"]))
            if self.base.purse() != price:
                self.wrong.append(f"{by} -> {made}: paid {self.base.purse()}, not {price}")
        elif self.base.purse() != (RICH, RICH):
            self.wrong.append(f"{by} -> {made}: {answer}, and yet paid")
        elif answer not in WAITS:
            self.wrong.append(f"{by} -> {made}: {answer}")

    def place_for(self, p: int, slot: int) -> tuple[float, float] | None:
        """A place for a structure or a unit that is warped in; the origin where none is asked."""
        sim, row, made = self.base.sim, self.base.sim.rules.products[p], self.keys[p][1]
        if row["how"] == codes.HOW_BUILD_ON_GEYSER:
            for v in self.base.near(codes.VESPENE):
                at = (float(sim.units["x"][0, v]), float(sim.units["y"][0, v]))
                if sim.can_place(0, 1, made, at) == "Success":
                    return at
            return None
        if row["how"] == codes.HOW_WARP_IN:
            pylon = self.idle("pylon")
            return (
                (float(sim.units["x"][0, pylon[0]]) + 2.0, float(sim.units["y"][0, pylon[0]]) + 2.2)
                if pylon
                else None
            )
        if row["how"] != codes.HOW_BUILD:
            return (0.0, 0.0)
        x, y = (float(sim.units[c][0, self.near_unit(slot, made)]) for c in ("x", "y"))
        away = 7 if made == "pylon" else 1
        for ring in range(away, 20):
            for dx, dy in ring_of(ring):
                at = (x + dx, y + dy)
                if self.is_clear(at) and sim.can_place(0, 1, made, at) == "Success":
                    return at
        return None

    def lacks_ground(self, p: int) -> bool:
        """Is there no use in looking for a place yet?"""
        row, made = self.base.sim.rules.products[p], self.keys[p][1]
        if row["how"] != codes.HOW_BUILD:
            return False
        fulfilled = int(self.base.sim.games.accounts["fulfilled"][0, 1])
        if fulfilled & int(row["needs"]) != int(row["needs"]):
            return int(self.base.sim.ticks[0]) % 800 > 0  # it is refused, as is seen now and then
        return bool(self.facts.units[made].needs_power and not self.idle("pylon"))

    def near_unit(self, slot: int, made: str) -> int:
        """Where to look for a place from."""
        unit = self.facts.units[made]
        if self.base.sim.rules.types["mobile"][self.base.sim.units["kind"][0, slot]]:
            pylons = self.idle("pylon")
            return pylons[0] if unit.needs_power and pylons else self.base.mine()[0]
        return slot

    def is_clear(self, at: tuple[float, float]) -> bool:
        """Away from the fields, so that workers still get there, and from the map's edge."""
        units = self.base.sim.units[0]
        fields = [*self.base.near(codes.MINERALS), *self.base.near(codes.VESPENE)]
        gaps = np.hypot(units["x"][fields] - at[0], units["y"][fields] - at[1])
        return min(at) > 12 and max(at) < 116 and (len(fields) == 0 or gaps.min() > 4.0)

    def read_events(self) -> None:
        """Note what was begun and finished, and whether its time was right."""
        now = int(self.base.sim.ticks[0])
        self.making = [  # a builder may have been called away
            m for m in self.making if m.started is not None or now - m.ordered < PATIENCE
        ]
        events, lost = self.base.sim.events(0, self.n_events)
        self.n_events += len(events) + lost
        assert lost == 0
        for event in events:
            if event["owner"] != 1:
                continue
            p = int(event["amount"])
            if event["kind"] == codes.STARTED and p in self.keys:
                for making in self.making:
                    if making.product == p and making.started is None:
                        making.started = int(event["tick"])
                        break
            elif event["kind"] == codes.FINISHED and p in self.keys:
                self.finish(p, int(event["tick"]))
            elif event["kind"] == codes.FAILED:
                self.making = [m for m in self.making if m.slot != int(event["unit"])]

    def finish(self, p: int, tick: int) -> None:
        found = [m for m in self.making if m.product == p]
        if not found:
            return  # it became that by itself
        making = found[0]
        self.making.remove(making)
        low, high = self.loops(p)
        since = making.ordered if self.base.sim.rules.products[p]["how"] not in BUILDS else None
        if since is None or self.base.sim.rules.products[p]["how"] == codes.HOW_MERGE:
            since = making.started
        took = tick - since + 1 if since is not None else -1
        if not low <= took <= high:
            by, made = self.keys[p]
            self.wrong.append(f"{by} -> {made}: {took} loops, not {low} to {high}")
        self.done.add(p)

    def loops(self, p: int) -> tuple[int, int]:
        """How long the facts say that it takes from the order, or from its beginning."""
        row = self.base.sim.rules.products[p]
        n, how = ceil(float(row["ticks"])), int(row["how"])
        if how == codes.HOW_MORPH:
            inside = int(row["via_ticks"])
            return inside + int(row["via_low"]), inside + int(row["via_high"])
        if how == codes.HOW_WARP_IN:
            return FAST_FIELD_LOOPS, n
        if self.keys[p][1] == "creep_tumor":
            return n + 27, n + 40
        return n, n + 1  # what begins before its phase of the tick has its first step in it

    def check_units(self) -> None:
        """Costs, supply and times of the table are those of the facts."""
        by_id = {unit.id: unit for unit in self.facts.units.values()}
        for p in self.rows:
            by, made = self.keys[p]
            row = self.base.sim.rules.products[p]
            if row["upgrade"] >= 0:
                upgrade = self.facts.upgrades[made]
                said = (upgrade.minerals, upgrade.vespene, upgrade.research_loops)
            else:
                unit: Unit = self.facts.units[made]
                (way,) = (w for w in unit.production if by_id[w.by].name == by)
                said = (way.pays_minerals, way.pays_vespene, way.loops or 0.0)
            if (row["minerals"], row["vespene"], row["ticks"]) != said:
                self.wrong.append(f"{by} -> {made}: {row} is not {said}")


WAITS = (
    "TechRequirementsNotMet",
    "BuildTechRequirementsNotMet",
    "NotEnoughFood",
    "NotEnoughEnergy",
    "Cooldown",
    "CantBuildTooFarFromCreepSource",
    "CantBuildTooFarFromBuildPowerSource",
    "CantBuildLocationInvalid",
    "CantQueueThatOrder",
    "QueueIsFull",
    "NotSupported",
)
"""answers after which one tries again"""


def ring_of(ring: int) -> Iterator[tuple[float, float]]:
    """Points around the origin, at half cells so that all footprints fit."""
    for k in range(-ring, ring + 1):
        yield from ((k, ring), (k, -ring), (ring, k), (-ring, k))
