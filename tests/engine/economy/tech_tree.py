"""A player who makes everything of a race once, by orders alone, from the beginning of a game."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from terrarium.data.facts.rulesets import load_ruleset
from terrarium.engine import codes
from terrarium.engine.records import Records
from terrarium.engine.tables.names import names_of
from terrarium.engine.tables.products import compile_products, find_needs
from tests.engine.economy.bases import Base

RULES = load_ruleset("lotv-4.10")
ROWS = compile_products(RULES, names_of(RULES), find_needs(RULES))[1]
SITES = (codes.HOW_BUILD, codes.HOW_BUILD_ON_GEYSER, codes.HOW_ADDON)
MADE = (*SITES, codes.HOW_TRAIN, codes.HOW_RESEARCH, codes.HOW_MORPH, codes.HOW_LARVA)
MISSING = ("TechRequirementsNotMet", "BuildTechRequirementsNotMet")
LATER = (
    "NotEnoughFood", "QueueIsFull", "CantQueueThatOrder", "NotSupported",
    "CantFindPlacementLocation", "CantBuildLocationInvalid",
    "CantBuildTooFarFromCreepSource", "CantBuildTooFarFromBuildPowerSource",
)  # fmt: skip
SUPPLY = {
    "Terran": ("scv", "supply_depot"),
    "Protoss": ("probe", "pylon"),
    "Zerg": ("larva", "overlord"),
}
WORKER = {"Terran": "command_center", "Protoss": "nexus", "Zerg": "larva"}
WITH_LABS = ("barracks", "factory", "starport")
RICHES = 20_000.0
STEP = 8
MOST_PRODUCERS = 3

Key = tuple[str, str]


def goals_of(race: str) -> dict[Key, int]:
    """What there is to make: rows of products by producer and product."""
    table = compile_products(RULES, names_of(RULES), find_needs(RULES))[0]
    return {
        key: row
        for key, row in ROWS.items()
        if RULES.units[key[0]].race == race
        and table["how"][row] in MADE
        and not RULES.units[key[0]].flying
        and not key[1].endswith("_rich")
        and (RULES.units[key[0]].kind == "structure" or table["how"][row] != codes.HOW_MORPH)
        and key[0] != "queen"
        and (table["builder"][row] >= 0 or table["how"][row] not in SITES[:2])
    }


@dataclass
class Walk:
    """One walk through the tech tree of a race."""

    race: str
    begun: set[str] = field(default_factory=set)
    """products that are under way, or there; upgrades and units are made at one of their places"""
    done: dict[Key, int] = field(default_factory=dict)
    """how many loops each took from its start to its end"""
    refused: set[Key] = field(default_factory=set)
    prices: dict[Key, tuple[float, float]] = field(default_factory=dict)
    since: int = 0

    def __post_init__(self) -> None:
        self.base = Base("flat_128", self.race)
        self.sim = self.base.sim
        for slot in self.base.mine(2)[1:]:
            self.sim.remove(0, slot)
        self.goals = goals_of(self.race)
        self.keys = {row: key for key, row in ROWS.items()}
        self.starts: dict[tuple[int, int], int] = {}
        self.taken: list[tuple[float, float]] = []
        self.where: dict[str, int] = {}
        self.full: dict[str, int] = {}

    def walk(self, loops: int) -> None:
        for _ in range(loops // STEP):
            if not self.missing():
                return
            self.read()
            self.keep_going()
            for key in self.goals:
                if key[1] not in self.begun:
                    self.attempt(key)
            self.sim.step(STEP)

    def missing(self) -> set[str]:
        """What has not been made yet."""
        return {product for _, product in self.goals} - {product for _, product in self.done}

    def read(self) -> None:
        """Note what was begun, finished, or came to nothing."""
        events, lost = self.sim.events(0, self.since)
        assert lost == 0
        self.since += len(events)
        for event in events[events["owner"] == 1]:
            if event["kind"] not in (codes.STARTED, codes.FINISHED, codes.FAILED):
                continue
            unit, row = int(event["unit"]), int(event["amount"])
            key = self.keys[row]
            if event["kind"] == codes.STARTED:
                self.starts.setdefault((unit, row), int(event["tick"]))
            elif event["kind"] == codes.FINISHED:
                took = int(event["tick"]) - self.starts.pop((unit, row))
                self.done.setdefault(key, took)
            else:
                self.begun.discard(key[1])

    def keep_going(self) -> None:
        """Supply and workers as they are needed."""
        account = self.sim.games.accounts[0, 1]
        free = account["supply_cap"] - account["supply_used"]
        under_way = sum(1 for _, row in self.starts if self.keys[row] == SUPPLY[self.race])
        if free < 16 and account["supply_cap"] < 200 and under_way < 2:
            self.make(SUPPLY[self.race])
        workers = [u for u in self.mine() if self.sim.rules.types["worker"][self.kind(u)]]
        if len(workers) < 10:
            name = {"Terran": "scv", "Protoss": "probe", "Zerg": "drone"}[self.race]
            self.make((WORKER[self.race], name))

    def attempt(self, key: Key) -> None:
        """Make something that was not made yet; what it requires is asked for before that."""
        said = self.make(key)
        if said in MISSING:
            assert not self.has_all(key), key
            self.refused.add(key)
        elif said == "Success":
            assert self.has_all(key), key
            self.begun.add(key[1])
        elif said == "":
            self.ask_for(key[0])
        else:
            assert said in LATER, (key, said)

    def ask_for(self, producer: str) -> None:
        """One more of those who are all busy, or used up."""
        ways = [key for key in self.goals if key[1] == producer]
        n = sum(1 for u in self.mine() if self.name(u) == producer)
        n += sum(1 for _, row in self.starts if self.keys[row][1] == producer)
        known = any(key in self.done for key in ways)
        if known and n < MOST_PRODUCERS and self.sim.ticks[0] >= self.where.get(producer, 0):
            self.where[producer] = int(self.sim.ticks[0]) + 200
            for key in ways:
                if self.make(key) == "Success":
                    return

    def make(self, key: Key) -> str:
        """Give the order to one that is free; the answer, "" if there is none."""
        producer, product = key
        record = self.sim.rules.products[ROWS[key]]
        self.sim.players["minerals"][0, 1] = self.sim.players["vespene"][0, 1] = RICHES
        for slot in self.free(producer, record):
            if record["how"] in SITES[:2]:
                place = self.place_for(product, record)
                if place is None:
                    return "CantFindPlacementLocation"
                self.sim.build(0, slot, product, place)
            elif record["how"] == codes.HOW_ADDON:
                self.sim.build(0, slot, product)
            else:
                self.sim.produce(0, slot, product)
            self.sim.step(0)
            said = self.sim.answer(0, slot)
            bank = self.sim.players[0, 1]
            price = RICHES - float(bank["minerals"]), RICHES - float(bank["vespene"])
            if said == "Success":
                self.prices.setdefault(key, price)
                if record["how"] in SITES[:2]:
                    self.taken.append(place)
            else:
                assert price == (0.0, 0.0), key
            return said
        return ""

    def free(self, producer: str, record: Records) -> Iterator[int]:
        """Units that can make it now."""
        games = self.sim.games
        for u in self.mine():
            if self.name(u) != producer or self.sim.units["status"][0, u] & codes.UNFINISHED:
                continue
            if games.producers["n_items"][0, u] or (
                self.sim.units["n_orders"][0, u]
                and (games.orders["kind"][0, u, 0] in (codes.BUILD, codes.CONSTRUCT))
            ):
                continue
            addon = self.addon_of(u)
            if record["how"] == codes.HOW_ADDON and addon:
                continue
            if record["attached"] and producer in WITH_LABS and "tech_lab" not in addon:
                continue
            yield u

    def addon_of(self, u: int) -> str:
        me = self.sim.units[0, u]
        for v in self.mine():
            other = self.sim.units[0, v]
            beside = abs(other["x"] - me["x"] - 2.5) + abs(other["y"] - me["y"] + 0.5) < 0.1
            if beside and self.sim.rules.types["addon"][other["kind"]]:
                return "unfinished" if other["status"] & codes.UNFINISHED else self.name(v)
        return ""

    def place_for(self, product: str, record: Records) -> tuple[float, float] | None:
        """Free ground with room for an add-on beside it; or a geyser."""
        if record["how"] == codes.HOW_BUILD_ON_GEYSER:
            for u in self.base.near(codes.VESPENE):
                place = (float(self.sim.units["x"][0, u]), float(self.sim.units["y"][0, u]))
                if self.sim.can_place(0, 1, product, place) == "Success":
                    return place
            return None
        if self.sim.ticks[0] < self.full.get(product, 0):
            return None
        hall = self.sim.units[0, self.base.mine()[0]]
        wide, high = (7.0, 5.0) if self.race == "Terran" else (4.0, 4.0)  # add-ons need room
        steps = [(wide * i, high * j) for i in range(-8, 9) for j in range(-8, 9)]
        for dx, dy in sorted(steps, key=lambda step: math.hypot(*step)):
            place = (float(hall["x"]) + dx, float(hall["y"]) + dy)
            near = any(abs(place[0] - x) < wide and abs(place[1] - y) < high for x, y in self.taken)
            if not near and self.sim.can_place(0, 1, product, place) == "Success":
                return place
        self.full[product] = int(self.sim.ticks[0]) + 240
        row = self.sim.rules.types[self.sim.rows[product]]
        if row["needs_power"]:
            self.make(SUPPLY["Protoss"])
        elif row["needs_creep"]:
            self.make(("drone", "hatchery"))
        return None

    def has_all(self, key: Key) -> bool:
        """Does the player have what the facts say is required?"""
        account, player = self.sim.games.accounts[0, 1], self.sim.players[0, 1]
        record = self.sim.rules.products[ROWS[key]]
        level = record["family"] < 0 or player["levels"][record["family"]] >= record["level_before"]
        return bool(
            account["fulfilled"] & record["needs"] == record["needs"]
            and player["techs"] & record["needs_tech"] == record["needs_tech"]
            and level
        )

    def mine(self) -> list[int]:
        units = self.sim.units[0]
        return [int(u) for u in np.flatnonzero(units["alive"] & (units["owner"] == 1))]

    def kind(self, u: int) -> int:
        return int(self.sim.units["kind"][0, u])

    def name(self, u: int) -> str:
        return self.sim.names[self.kind(u)]
