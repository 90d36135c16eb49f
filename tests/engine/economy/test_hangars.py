"""Carriers, nukes, broodlings: what fights, or is kept for it, without being trained for it."""

import numpy as np
import pytest

from terrarium.engine import codes
from tests.engine.economy.bases import Base


@pytest.fixture
def base() -> Base:
    base = Base("flat_64", "Protoss").without_workers()
    base.enrich(1_000.0)
    return base


def aboard(base: Base, carrier: int) -> int:
    units = base.sim.units[0]
    is_one = units["kind"] == base.sim.rows["interceptor"]
    return int((is_one & (units["inside"] == carrier)).sum())


def test_a_carrier_has_four_interceptors_and_builds_up_to_eight(base: Base) -> None:
    """15 minerals and 256 loops each in 4.10."""
    sim = base.sim
    carrier = sim.create(0, "carrier", 1, 40.0, 40.0)
    sim.step(1)
    assert aboard(base, carrier) == 4
    assert base.purse()[0] == 985.0
    sim.step(256)
    assert aboard(base, carrier) == 5
    sim.step(255 * 4)
    assert aboard(base, carrier) == 8
    assert base.purse()[0] == 1_000.0 - 4 * 15.0
    assert base.make(carrier, "interceptor") == "QueueIsFull"


def test_a_carrier_fights_with_its_interceptors_and_takes_them_back(base: Base) -> None:
    sim = base.sim
    carrier = sim.create(0, "carrier", 1, 40.0, 40.0)
    prey = sim.create(0, "colossus", 2, 47.0, 40.0)
    sim.step(1)
    sim.order(0, prey, codes.HOLD)
    sim.order(0, carrier, codes.ATTACK, target=prey)
    sim.step(80)
    assert aboard(base, carrier) < 2
    hurt = 350.0 - sim.units["hp"][0, prey] - sim.units["shield"][0, prey]
    assert hurt > 20.0
    sim.step(100)
    more = 350.0 - sim.units["hp"][0, prey] - sim.units["shield"][0, prey]
    # Four or five of them, each 2 x (5 - armor) in 48 loops.
    assert 40.0 < more - hurt < 5 * 10 * 100 / 48 + 20
    sim.remove(0, prey)
    sim.step(80)
    assert aboard(base, carrier) >= 4
    assert base.count("interceptor") == 0


def test_interceptors_are_lost_with_their_carrier(base: Base) -> None:
    sim = base.sim
    carrier = sim.create(0, "carrier", 1, 40.0, 40.0)
    sim.step(1)
    sim.units["hp"][0, carrier] = 0.0
    sim.step(3)
    assert aboard(base, carrier) == 0
    assert base.count("interceptor") == 0
    units = sim.units[0]
    assert int(sim.players["n_alive"][0, 1]) == int((units["alive"] & (units["owner"] == 1)).sum())


def test_an_academy_keeps_one_nuke() -> None:
    """960 loops, 100/100; one for each academy."""
    base = Base("flat_64", "Terran").without_workers()
    base.enrich()
    sim = base.sim
    academy = sim.place(0, "ghost_academy", 1, 40.5, 40.5)
    sim.step(1)
    assert base.make(academy, "nuke") == "TechRequirementsNotMet"
    sim.place(0, "factory", 1, 40.5, 46.5)
    sim.step(1)
    assert base.make(academy, "nuke") == "Success"
    assert base.purse() == (9_900.0, 9_900.0)
    assert base.make(academy, "nuke") == "QueueIsFull"
    sim.step(959)
    assert sim.players["nukes"][0, 1] == 0
    sim.step(1)
    assert sim.players["nukes"][0, 1] == 1
    assert base.make(academy, "nuke") == "QueueIsFull"
    ghost = sim.create(0, "ghost", 1, 30.0, 30.0)
    sim.use(0, ghost, "tactical_nuke", (32.0, 30.0))
    sim.step(2)
    assert sim.players["nukes"][0, 1] == 0
    assert base.make(academy, "nuke") == "Success"


@pytest.mark.parametrize(("structure", "n"), [("hatchery", 9), ("spawning_pool", 6)])
def test_broodlings_come_out_of_a_dying_structure(structure: str, n: int) -> None:
    """Half a second later (8 loops)."""
    base = Base("flat_64", "Zerg").without_workers()
    sim = base.sim
    slot = sim.place(0, structure, 1, 40.5, 40.5)
    sim.step(1)
    sim.units["hp"][0, slot] = 0.0
    sim.step(7)
    assert base.count("broodling") == 0
    sim.step(2)
    new = base.find("broodling")
    assert len(new) == n
    away = np.hypot(sim.units["x"][0, new] - 40.5, sim.units["y"][0, new] - 40.5)
    assert away.max() < 4.0
    sim.step(140)
    assert base.count("broodling") == 0


def test_an_overlord_drops_creep_while_it_stands_still() -> None:
    """It needs a Lair (ability 1692)."""
    base = Base("flat_64", "Zerg").without_workers()
    sim = base.sim
    overlord = sim.create(0, "overlord", 1, 40.5, 40.5)
    sim.step(1)
    sim.use(0, overlord, "generate_creep_on")
    sim.step(1)
    assert sim.answer(0, overlord) == "TechRequirementsNotMet"
    sim.place(0, "lair", 1, 26.5, 46.5)
    sim.step(1)
    sim.use(0, overlord, "generate_creep_on")
    sim.step(40)
    assert sim.answer(0, overlord) in ("Success", "")
    width = int(sim.ground.size[0])
    assert sim.games.creep[0, 40 * width + 43] > 0
    sim.order(0, overlord, codes.MOVE, (55.5, 40.5))
    sim.step(64 * 7)
    assert sim.games.creep[0, 40 * width + 41] == 0
