"""Probes open a structure and leave, drones become one: game_rules.md, 9."""

import pytest

from terrarium.engine import codes
from tests.engine.economy.sites import Yard

PROTOSS, ZERG = Yard("Protoss"), Yard("Zerg")


@pytest.fixture
def protoss() -> Yard:
    PROTOSS.clear()
    return PROTOSS


@pytest.fixture
def zerg() -> Yard:
    ZERG.clear()
    return ZERG


def test_a_probe_opens_a_structure_and_leaves(protoss: Yard) -> None:
    yard = protoss
    yard.build("pylon", (36.0, 30.0))
    yard.sim.build(0, yard.worker, "nexus", (44.5, 30.5), queued=True)
    yard.sim.step(1)
    assert yard.bank[0] == 500.0
    begun = yard.until("started")
    (pylon,) = yard.all_of("pylon")
    assert (yard.unit(pylon)["hp"], yard.unit(pylon)["shield"]) == (20.0, 20.0)
    yard.until("started")
    assert yard.order(yard.worker) == codes.NO_ORDER  # and the pylon grows without it
    done = yard.until("finished")
    assert int(done["tick"]) - int(begun["tick"]) == 400
    assert (yard.unit(pylon)["hp"], yard.unit(pylon)["shield"]) == (200.0, 200.0)


def test_what_needs_power_needs_a_finished_pylon(protoss: Yard) -> None:
    yard = protoss
    too_far = "CantBuildTooFarFromBuildPowerSource"
    for structure, at, said in (
        ("gateway", (38.5, 30.5), too_far),
        ("pylon", (36.0, 30.0), "Success"),
        ("nexus", (44.5, 44.5), "Success"),
    ):
        assert yard.sim.can_place(0, 1, structure, at) == said, structure
    yard.build("pylon", (36.0, 30.0))
    yard.until("started")
    assert yard.sim.can_place(0, 1, "gateway", (38.5, 30.5)) == too_far
    yard.until("finished")
    yard.sim.step(1)
    assert yard.sim.can_place(0, 1, "gateway", (38.5, 30.5)) == "Success"
    assert yard.sim.can_place(0, 1, "gateway", (41.5, 30.5)) == "Success"
    assert yard.sim.can_place(0, 1, "gateway", (42.5, 30.5)) == too_far  # 6.52
    assert yard.sim.can_place(0, 2, "gateway", (38.5, 30.5)) == too_far
    assert yard.build("gateway", (41.5, 30.5)) == "Success"
    yard.until("started")


def test_an_assimilator_needs_neither_power_nor_its_probe(protoss: Yard) -> None:
    geyser = protoss.base.near(codes.VESPENE)[0]
    assert protoss.build("assimilator", (0.0, 0.0), target=geyser) == "Success"
    protoss.until("started")
    assert protoss.order(protoss.worker) == codes.NO_ORDER


def test_a_drone_becomes_its_structure_and_comes_back(zerg: Yard) -> None:
    yard = zerg
    supply = yard.sim.games.accounts["supply_used"]
    yard.sim.step(1)
    used = float(supply[0, 1])
    assert yard.build("hatchery", (36.5, 40.5)) == "Success"
    assert yard.bank[0] == 700.0
    yard.until("started")
    yard.sim.step(1)
    assert not yard.unit(yard.worker)["alive"]
    assert supply[0, 1] == used - 1.0
    assert yard.sim.players["n_lost"][0, 1] == 0
    assert yard.bank[0] == 700.0
    (site,) = (u for u in yard.all_of("hatchery") if u != yard.base.mine()[0])
    yard.sim.order(0, site, codes.CANCEL_LAST)
    yard.sim.step(2)
    assert len(yard.all_of("drone")) == 1
    assert supply[0, 1] == used
    assert yard.bank[0] == 925.0


def test_zerg_structures_need_creep_and_extractors_and_hatcheries_do_not(zerg: Yard) -> None:
    yard = zerg
    yard.sim.step(60)
    hall = yard.base.mine()[0]
    x, y = float(yard.unit(hall)["x"]), float(yard.unit(hall)["y"])
    far, near = (
        (36.5, 40.5),
        next(
            (x + dx, y + dy)
            for dx in (-6.0, 6.0)
            for dy in (-6.0, 6.0)
            if yard.sim.can_place(0, 1, "spawning_pool", (x + dx, y + dy)) == "Success"
        ),
    )
    assert yard.sim.can_place(0, 1, "spawning_pool", far) == "CantBuildTooFarFromCreepSource"
    assert yard.build("spawning_pool", far) == "CantBuildTooFarFromCreepSource"
    assert yard.sim.can_place(0, 1, "hatchery", far) == "Success"
    for terran in ("supply_depot", "barracks"):
        assert yard.sim.can_place(0, 1, terran, near) == "CantBuildTooCloseToCreepSource"
    assert yard.build("spawning_pool", near) == "Success"
    begun = yard.until("started")
    assert yard.unit(int(begun["unit"]))["hp"] == 100.0
    geyser = yard.base.near(codes.VESPENE)[0]
    drone = yard.add_worker(30.0, 30.0)
    assert yard.build("extractor", (0.0, 0.0), drone, target=geyser) == "Success"
    yard.until("started")


def test_a_dead_site_gives_nothing_back(zerg: Yard) -> None:
    zerg.build("hatchery", (36.5, 40.5))
    begun = zerg.until("started")
    zerg.sim.units["hp"][0, int(begun["unit"])] = 0.0
    zerg.sim.step(2)
    assert zerg.bank[0] == 700.0
    assert not zerg.all_of("drone")


def test_rich_geysers_have_structures_of_their_own(protoss: Yard) -> None:
    geyser = protoss.sim.place(0, "rich_vespene_geyser", 0, 40.5, 40.5)
    assert protoss.build("assimilator", (40.5, 40.5)) == "Success"
    protoss.until("started")
    assert protoss.all_of("assimilator_rich")
    assert not protoss.all_of("assimilator")
    assert protoss.sim.games.resources["geyser"][0, protoss.all_of("assimilator_rich")[0]] == geyser
