"""Whatever is ordered: the game's own answer, nothing charged that is not built, the same bytes."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest

from terrarium.engine import codes
from terrarium.engine.simulator import Simulator
from tests.engine.building import ROOT
from tests.engine.economy.constructing import RACES, digests, play, random_commands, start
from tests.engine.economy.sites import Yard


class Ledger:
    """What player `owner` must have, by what happened to its products."""

    def __init__(self, sim: Simulator, owner: int) -> None:
        self.sim, self.owner, self.since = sim, owner, 0
        self.spent = np.zeros(2)
        self.before = self.bank()

    def bank(self) -> np.ndarray:
        player = self.sim.players[0, self.owner]
        return np.array([player["minerals"], player["vespene"]])

    def price(self, p: int) -> np.ndarray:
        product = self.sim.rules.products[p]
        return np.array([product["minerals"], product["vespene"]])

    def read(self) -> None:
        events, lost = self.sim.events(0, self.since)
        assert lost == 0
        self.since += len(events)
        for event in events[events["owner"] == self.owner]:
            if event["kind"] not in (codes.STARTED, codes.FINISHED, codes.CANCELLED):
                continue
            p = int(event["amount"])
            product = self.sim.rules.products[p]
            is_site = product["how"] in (
                codes.HOW_BUILD,
                codes.HOW_BUILD_ON_GEYSER,
                codes.HOW_ADDON,
            )
            if is_site and event["kind"] == codes.STARTED:
                self.spent += self.price(p)
            elif is_site and event["kind"] == codes.CANCELLED:
                self.spent -= [math.ceil(0.75 * c) for c in self.price(p)]
            elif not is_site and event["kind"] == codes.FINISHED:
                self.spent += self.price(p)

    def pending(self) -> np.ndarray:
        """What is paid for already: orders to build, and queues."""
        games, total = self.sim.games, np.zeros(2)
        for u in np.flatnonzero(self.sim.units["owner"][0] == self.owner):
            if self.sim.units["alive"][0, u] or self.sim.units["inside"][0, u] >= 0:
                for q in range(int(self.sim.units["n_orders"][0, u])):
                    if games.orders["kind"][0, u, q] == codes.BUILD:
                        total += self.price(int(games.orders["ability"][0, u, q]))
                for k in range(int(games.producers["n_items"][0, u])):
                    total += self.price(int(games.items["product"][0, u, k]))
        return total

    def check(self) -> None:
        self.read()
        account = self.sim.games.accounts[0, self.owner]
        gathered = np.array([account["gathered_minerals"], account["gathered_vespene"]])
        due = self.before + gathered - self.spent - self.pending()
        assert np.allclose(self.bank(), due), (self.bank(), due)
        assert (self.bank() >= 0.0).all()


@pytest.mark.parametrize("race", ["Terran", "Protoss"])
def test_every_mineral_is_accounted_for(race: str) -> None:
    sim, rng = start(race), np.random.default_rng(5)
    for u in np.flatnonzero(sim.units["alive"][0]):
        sim.units["passive"][0, u] = True  # nobody dies of a random order to attack
    ledgers = [Ledger(sim, owner) for owner in (1, 2)]
    for _ in range(60):
        commands = random_commands(sim, 0, rng, 8)
        commands = commands[~np.isin(commands["kind"], [codes.CAST, codes.ATTACK])]
        sim.give(0, commands)
        sim.step(7)
        assert set(sim.answers(0)["result"]) <= set(codes.RESULT_NAMES) - {0}
        for ledger in ledgers:
            ledger.check()
    begun = sum(float(ledger.spent.sum()) for ledger in ledgers)
    assert begun >= 300.0  # something was built


FIRST = {"Terran": "supply_depot", "Protoss": "pylon", "Zerg": "hatchery"}
"""what needs nothing"""


def first_worker(sim: Simulator) -> int:
    is_worker = sim.rules.types["worker"][sim.units["kind"][0]]
    mine = sim.units["alive"][0] & (sim.units["owner"][0] == 1)
    return int(np.flatnonzero(is_worker & mine)[0])


@pytest.mark.parametrize("race", RACES)
def test_a_refused_order_changes_nothing(race: str) -> None:
    """Orders without money, supply, tech, power, creep, place or builder; to foreign or dead
    units."""
    sim, rng = start(race), np.random.default_rng(9)
    sim.players["minerals"][0, 1:] = sim.players["vespene"][0, 1:] = 60.0
    n_refused = 0
    for _ in range(60):
        commands = random_commands(sim, 0, rng, 1)
        before = sim.save().games
        sim.give(0, commands)
        sim.step(0)
        if sim.answers(0)["result"][0] == codes.SUCCESS:
            sim.step(3)
            continue
        n_refused += 1
        for name in ("units", "orders", "players", "producers", "items", "accounts", "workers"):
            now, then = getattr(sim.games, name), getattr(before, name)
            for field in now.dtype.names:  # not the padding between them
                assert now[field].tobytes() == then[field].tobytes(), (name, field, commands)
    assert n_refused > 20


@pytest.mark.parametrize(
    ("structure", "at", "says"),
    [
        ("barracks", (40.5, 40.5), "BuildTechRequirementsNotMet"),
        ("pylon", (40.0, 40.0), "NotSupported"),
        ("marine", (40.0, 40.0), "NotSupported"),
        ("barracks_tech_lab", (40.0, 40.0), "NotSupported"),
        ("supply_depot", (0.0, 0.0), "CantFindPlacementLocation"),
        ("supply_depot", (float("nan"), 9.0), "Error"),
        ("refinery", (40.5, 40.5), "CantBuildOnThat"),
    ],
)
def test_bad_orders_get_the_games_own_answer(
    structure: str, at: tuple[float, float], says: str
) -> None:
    yard = Yard()
    assert yard.build(structure, at) == says
    assert yard.bank == (1000.0, 1000.0)
    assert yard.order(yard.worker) == codes.NO_ORDER


def test_no_money_no_gas_no_builder_and_foreign_builders() -> None:
    yard = Yard()
    yard.own(99.0, 0.0)
    assert yard.build("supply_depot", (40.0, 40.0)) == "NotEnoughMinerals"
    yard.own(1000.0, 99.0)
    yard.sim.place(0, "barracks", 1, 24.5, 44.5)
    yard.sim.step(1)
    assert yard.build("factory", (40.5, 40.5)) == "NotEnoughVespene"
    marine = yard.sim.create(0, "marine", 1, 30.0, 30.0)
    assert yard.build("supply_depot", (40.0, 40.0), marine) == "NotSupported"
    yard.sim.order(0, yard.worker, codes.BUILD, (40.0, 40.0), ability=10_000)
    yard.sim.step(1)
    assert yard.sim.answer(0, yard.worker) == "NotSupported"
    theirs = yard.add_worker(44.0, 44.0, owner=2)
    depot = int(
        np.flatnonzero(yard.sim.rules.products["makes"] == yard.sim.rows["supply_depot"])[0]
    )
    yard.sim.order(0, theirs, codes.BUILD, (40.0, 40.0), ability=depot, owner=1)
    yard.sim.step(1)
    assert yard.sim.answer(0, theirs) == "YouCantControlThatUnit"
    yard.sim.remove(0, yard.worker)
    yard.sim.order(0, yard.worker, codes.BUILD, (40.0, 40.0), ability=depot, owner=1)
    yard.sim.step(1)
    assert yard.sim.answer(0, yard.worker) == "Error"
    assert yard.bank == (1000.0, 99.0)


def test_a_saved_game_goes_on_in_the_middle_of_building() -> None:
    for race in RACES:
        sim = play(race, n_steps=6)
        worker = first_worker(sim)
        spot = next(
            (x, y)
            for x in range(24, 60, 3)
            for y in range(24, 60, 3)
            if sim.can_place(0, 1, FIRST[race], (x, y)) == "Success"
        )
        sim.build(0, worker, FIRST[race], spot)
        sim.step(130)
        assert (sim.units["status"][0] & codes.UNFINISHED).any(), race
        save = sim.save()
        sim.step(40)
        after = sim.digest()
        sim.load(save)
        sim.step(40)
        assert sim.digest() == after, race


def test_neither_batch_nor_place_matters() -> None:
    alone, batch = play("Terran", n_steps=12), play("Terran", n_games=3, n_steps=12)
    assert batch.digest(0) == alone.digest(0)
    assert len({batch.digest(e) for e in range(3)}) == 3


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["NUMBA_DISABLE_JIT", "NUMBA_BOUNDSCHECK"])
def test_three_modes_give_the_same_bytes(mode: str) -> None:
    command = [sys.executable, "-m", "tests.engine.economy.constructing"]
    environment = {**os.environ, mode: "1"}
    answer = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert answer.stdout.split() == digests()
